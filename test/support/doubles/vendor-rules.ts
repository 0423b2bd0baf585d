import type { RecordedRequest } from '../recorded-request.js';
import type { Complaint } from '../upstream-answers.js';
import { anthropicMessages } from './anthropic-messages.js';
import type { DialectDouble, Refusal, WireCall } from './double.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

// The rules of a vendor's own address for any key, for upstreams that a suite scripts byte by byte.

const callOf = ({ json: body, headers }: RecordedRequest): WireCall => ({
  body,
  headers,
  model: String(body?.model),
  stream: body?.stream === true,
  platform: 'direct',
});

const refused = (double: DialectDouble, refusal: Refusal | undefined): Complaint | undefined =>
  refusal && double.failure('invalid', refusal.message);

/** Messages, and the count of their tokens. */
export function anthropicRules(request: RecordedRequest): Complaint | undefined {
  const { headers, path } = request;
  if (typeof headers['x-api-key'] !== 'string') {
    return anthropicMessages.failure('unauthorised', 'x-api-key header is required');
  }
  if (!headers['anthropic-version'])
    return anthropicMessages.failure('invalid', 'anthropic-version: header is required');
  const call = callOf(request);
  const fault = (path.endsWith('/count_tokens') ? anthropicMessages.counting! : anthropicMessages).refuse(call);
  return refused(anthropicMessages, fault);
}

/** Chat completions and responses. */
export function openaiRules(request: RecordedRequest): Complaint | undefined {
  const double = request.path.endsWith('/responses') ? openaiResponses : openaiChat;
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) {
    return double.failure('unauthorised', "You didn't provide an API key.");
  }
  return refused(double, double.refuse(callOf(request)));
}
