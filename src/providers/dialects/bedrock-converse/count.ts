import type { ModelRequest } from '../../../core/conversation/request.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject } from '../../../core/json/json.js';
import type { CountedPrompt, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools } from '../encode-context.js';
import { jsonCall } from '../json-call.js';
import { pathSegment } from '../../../core/text/path-segment.js';
import { readCount } from '../figures.js';
import { converseContext, converseToolWords } from './encode-context.js';
import { encodeBody } from './encode.js';

/**
 * The prefix that a profile of several regions adds to its model's id. Bedrock counts tokens only for models and
 * refuses profiles (alchemy.run, CountTokens of Bedrock; read 2026-11-24).
 */
const PROFILE = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\.(?=[a-z0-9]+\.)/;

/**
 * The call that counts the tokens of the same request
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html).
 * @throws Untranslatable as the request itself would, and for media by address: nothing is fetched for a count
 */
export function* encodeCount(request: ModelRequest, target: Target): Steps<UpstreamCall> {
  const toolWords = namesTools(request) ? yield* converseToolWords(request, target) : undefined;
  const context = converseContext(request, target, new Map(), toolWords);
  const { system, messages, toolConfig } = yield* encodeBody(context);
  return jsonCall(
    `/model/${pathSegment(target.endpoint.upstreamModel.replace(PROFILE, ''))}/count-tokens`,
    { input: { converse: { system, toolConfig, messages } } },
    false,
  );
}

export function decodeCount(body: unknown): CountedPrompt {
  const count = isJsonObject(body) ? readCount(body['inputTokens']) : undefined;
  if (count !== undefined) return { inputTokens: count };
  throw new ProviderFault('malformed-reply', "The provider's reply has no count.");
}
