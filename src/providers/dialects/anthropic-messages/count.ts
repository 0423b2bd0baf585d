import type { ModelRequest } from '../../../core/conversation/request.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import type { CountedPrompt, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { encodeMessages, type CallForm } from './encode.js';

export const COUNT_PATH = '/v1/messages/count_tokens';

/** Fields that the vendor's count takes. It refuses those that only an answer needs, such as `max_tokens`. */
const COUNTED_FIELDS: ReadonlySet<string> = new Set([
  'model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'context_management', 'mcp_servers',
]); // oxfmt-ignore

const COUNT: CallForm = { path: COUNT_PATH, fields: COUNTED_FIELDS };

/**
 * The call that counts the tokens of the same request.
 * @throws Untranslatable as the request itself would
 */
export const encodeCount = (request: ModelRequest, target: Target): Steps<UpstreamCall> =>
  encodeMessages(request, target, undefined, COUNT);

export function decodeCount(body: unknown): CountedPrompt {
  const { input_tokens: count, context_management: edited } = isJsonObject(body) ? body : {};
  if (!isCount(count)) throw new ProviderFault('malformed-reply', "The provider's reply has no count.");
  const original = isJsonObject(edited) ? edited['original_input_tokens'] : undefined;
  return { inputTokens: count, ...(isCount(original) && { originalInputTokens: original }) };
}

const isCount = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
