import { GatewayError, type ErrorDetail } from '../../core/errors.js';
import { isEmptyJson, type JsonObject } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';

/** The error for a refused field: the remedy, and further keys that its client reads. */
interface Refusal {
  /** @param messages the field that has the whole conversation */
  readonly advice: (messages: string) => string;
  readonly detail?: ErrorDetail;
}

const NEEDS_STORED_CONVERSATION: Refusal = {
  advice: (messages) => `the gateway keeps no conversations; send all of it in ${messages}`,
};

/**
 * Undeclared fields that contain or name a part of the conversation: without them `messages` has another meaning. They
 * are refused, also where a provider accepts any field, because the ids they contain are those of other replies than
 * this gateway's. From the request types of the vendors' SDKs (openai 6.49.0, @anthropic-ai/sdk 1.14.0, read
 * 2026-11-29; `npm run sdk:fields` reports new ones).
 */
export const CONVERSATION_FIELDS: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  [
    'thread',
    // Clients that start threads by themselves continue without one (@anthropic-ai/sdk, `ThreadState`).
    {
      ...NEEDS_STORED_CONVERSATION,
      detail: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
    },
  ],
  ['previous_response_id', NEEDS_STORED_CONVERSATION],
  ['previous_message_id', NEEDS_STORED_CONVERSATION],
  ['conversation', NEEDS_STORED_CONVERSATION],
  ['prompt', { advice: (messages) => `stored prompts are not supported; send their text in ${messages}` }],
  ['input', { advice: () => 'belongs to the responses format; send messages' }],
  ['instructions', { advice: () => 'belongs to the responses format; send them as the system prompt' }],
  ['system', { advice: () => 'belongs to the Messages format; send a message with the role system' }],
]);

/**
 * @param extras the fields of a body that its face does not declare
 * @param messages the field that has the whole conversation
 * @throws GatewayError `invalid-request` where it is not the whole one
 */
export function assertSelfContained(extras: JsonObject, messages: 'messages' | 'input' = 'messages'): void {
  for (const [field, value] of Object.entries(extras)) {
    if (isEmptyJson(value)) continue;
    // Some servers accept names in any case.
    const refusal = CONVERSATION_FIELDS.get(field.trim().toLowerCase());
    if (!refusal) continue;
    throw new GatewayError('invalid-request', `${shortened(field)}: ${refusal.advice(messages)}`, refusal.detail);
  }
}
