// Every kind of error has exactly the form of docs/use/errors.md#bodies and docs/use/errors.md#types, in both
// families. Byte for byte, from a table.
import { readFileSync } from 'node:fs';
import { GatewayError, type ErrorKind } from '../../core/errors.js';
import {
  APPEARANCES,
  chatErrorBody,
  errorFamily,
  errorHeaders,
  genericErrorBody,
  messageErrorBody,
} from './error-views.js';

/** Kind → status, `error.type` of the Messages family, `error_type`. */
const LOOKS: Readonly<Record<ErrorKind, readonly [number, string, string]>> = {
  'invalid-request': [400, 'invalid_request_error', 'invalid_request'],
  'context-too-long': [400, 'invalid_request_error', 'context_length_exceeded'],
  unauthenticated: [401, 'authentication_error', 'authentication'],
  'payment-required': [402, 'billing_error', 'payment_required'],
  forbidden: [403, 'permission_error', 'permission_denied'],
  'not-found': [404, 'not_found_error', 'not_found'],
  'method-not-allowed': [405, 'invalid_request_error', 'invalid_request'],
  conflict: [409, 'invalid_request_error', 'invalid_request'],
  'request-timed-out': [408, 'timeout_error', 'timeout'],
  'too-large': [413, 'invalid_request_error', 'payload_too_large'],
  'unsupported-media-type': [415, 'invalid_request_error', 'invalid_request'],
  unprocessable: [422, 'invalid_request_error', 'unprocessable'],
  'rate-limited': [429, 'rate_limit_error', 'rate_limit_exceeded'],
  'headers-too-large': [431, 'invalid_request_error', 'invalid_request'],
  'client-closed': [499, 'api_error', 'unmapped'],
  internal: [500, 'api_error', 'server'],
  'upstream-failed': [502, 'api_error', 'provider_unavailable'],
  unavailable: [503, 'overloaded_error', 'provider_overloaded'],
  'service-unavailable': [503, 'overloaded_error', 'server'],
  'timed-out': [504, 'timeout_error', 'timeout'],
  overloaded: [529, 'overloaded_error', 'provider_overloaded'],
};
const NOWHERE = { requestId: null };
const MESSAGE = 'Say "what" to do.';
const QUOTED = String.raw`"Say \"what\" to do."`;

describe.each(Object.entries(LOOKS) as [ErrorKind, (typeof LOOKS)[ErrorKind]][])(
  '%s',
  (kind, [status, type, errorType]) => {
    // docs/use/errors.md#rate-limits: a 429 states its kind in the metadata.
    const metadata = kind === 'rate-limited' ? ',"metadata":{"error_type":"rate_limit_exceeded"}' : '';
    const error = new GatewayError(kind, MESSAGE);

    it('has its status', () => {
      expect(APPEARANCES[kind].status).toBe(status);
    });

    it('has this form on /messages', () => {
      expect(JSON.stringify(messageErrorBody(error, NOWHERE))).toBe(
        `{"type":"error","error":{"type":"${type}","code":${status},"message":${QUOTED},"error_type":"${errorType}"${metadata}},` +
          `"request_id":null}`,
      );
    });

    it('has this form elsewhere', () => {
      expect(JSON.stringify(genericErrorBody(error, NOWHERE))).toBe(
        `{"error":{"code":${status},"message":${QUOTED}${metadata}}}`,
      );
    });
  },
);

it('contains the generation, the detailed type, metadata and the routing where present', () => {
  const error = new GatewayError('rate-limited', 'Wait.', {
    errorType: 'exact',
    metadata: { provider_code: 'slow_down' },
  });
  const context = {
    requestId: 'gen-1-abc',
    extras: { router_metadata: { strategy: 'direct' }, openrouter_metadata: { strategy: 'direct' } },
  };
  const routing = '"router_metadata":{"strategy":"direct"},"openrouter_metadata":{"strategy":"direct"}';
  const metadata = '"metadata":{"error_type":"rate_limit_exceeded","provider_code":"slow_down"}';
  expect(JSON.stringify(messageErrorBody(error, context))).toBe(
    `{"type":"error","error":{"type":"rate_limit_error","code":429,"message":"Wait.","error_type":"exact",${metadata}},` +
      `"request_id":"gen-1-abc",${routing}}`,
  );
  expect(JSON.stringify(genericErrorBody(error, context))).toBe(
    `{"error":{"code":429,"message":"Wait.",${metadata}},${routing}}`,
  );
  expect(chatErrorBody(error, context)).toEqual({
    error: { code: 429, message: 'Wait.', metadata: { error_type: 'exact', provider_code: 'slow_down' } },
    router_metadata: { strategy: 'direct' },
    openrouter_metadata: { strategy: 'direct' },
  });
});

it.each(Object.entries(LOOKS))('reports %s to a chat client with the detailed type', (kind, [code, , error_type]) => {
  const body = chatErrorBody(new GatewayError(kind as ErrorKind, MESSAGE), { requestId: null });
  expect(body).toEqual({ error: { code, message: MESSAGE, metadata: { error_type } } });
});

it.each([
  [undefined, undefined],
  [0, '1'],
  [1, '1'],
  [1_000, '1'],
  [1_001, '2'],
  [120_000, '120'],
])('rounds %s ms to whole seconds: %s', (retryAfterMs, header) => {
  const detail = { headers: { Allow: 'GET' }, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  expect(errorHeaders(new GatewayError('unavailable', MESSAGE, detail))).toEqual({
    Allow: 'GET',
    ...(header !== undefined && { 'Retry-After': header }),
  });
});

it.each([
  ['/api/v1/messages', 'messages'],
  ['/v1/messages', 'messages'],
  ['/api/v1/messages/', 'messages'],
  ['/api/v1/messages/count_tokens', 'messages'],
  ['/API/V1/Messages', 'messages'],
  ['/api/v1/messagesx', 'generic'],
  ['/api/v2/messages', 'generic'],
  ['/messages', 'generic'],
  ['/x/api/v1/messages', 'generic'],
  ['/api/v1/chat/completions', 'chat'],
  ['/V1/Chat/completions/', 'chat'],
  ['/api/v1/chat', 'generic'],
  ['/api/v1/chat/completionsx', 'generic'],
  ['/api/v1/keys', 'generic'],
  ['/', 'generic'],
  ['', 'generic'],
])('assigns %j to the family %s', (path, family) => {
  expect(errorFamily(path)).toBe(family);
});

it('has each kind in the table of docs/use/errors.md, with its status and types', () => {
  const [, section] = readFileSync('docs/use/errors.md', 'utf8').split('## Types');
  const rows = section!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  // The client has disconnected: nothing is sent.
  const sent = Object.entries(LOOKS).filter(([kind]) => kind !== 'client-closed');
  const rowsOf = sent.map(([kind, [status, type, errorType]]) =>
    rows.filter((row) => {
      const [, statuses, types, errorTypes, outcomes] = row.split('|');
      return (
        outcomes!.includes(`\`${kind}\``) &&
        statuses!.includes(String(status)) &&
        types!.includes(`\`${type}\``) &&
        errorTypes!.includes(`\`${errorType}\``)
      );
    }),
  );
  expect(sent.filter((_, index) => rowsOf[index]!.length !== 1).map(([kind]) => kind)).toEqual([]);
});
