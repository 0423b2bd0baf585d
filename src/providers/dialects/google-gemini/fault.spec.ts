// Goal: a failure gets the right kind, with the wait that Google requests. Method: statuses in Google's form.
import type { JsonObject } from '../../../core/json/json.js';
import { faultOfFailure } from './fault.js';

const failed = (status: number, error: JsonObject, wrap: (body: JsonObject) => unknown = (body) => body) =>
  faultOfFailure({ status, headers: {}, body: JSON.stringify(wrap({ error: { code: status, ...error } })) });
const reason = (word: string): JsonObject => ({ details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: word }] }); // oxfmt-ignore
const retry = (retryDelay: unknown): JsonObject => ({ details: [{ '@type': 'x' }, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] as never }); // oxfmt-ignore

it.each([
  [400, { status: 'INVALID_ARGUMENT' }, 'rejected-request', 'INVALID_ARGUMENT'],
  [400, { status: 'INVALID_ARGUMENT', ...reason('API_KEY_INVALID') }, 'refused-credential', 'API_KEY_INVALID'],
  [403, { status: 'PERMISSION_DENIED', ...reason('BILLING_DISABLED') }, 'payment-required', 'BILLING_DISABLED'],
  [403, { status: 'PERMISSION_DENIED' }, 'refused-credential', 'PERMISSION_DENIED'],
  [404, { status: 'NOT_FOUND' }, 'not-found', 'NOT_FOUND'],
  [429, { status: 'RESOURCE_EXHAUSTED' }, 'rate-limited', 'RESOURCE_EXHAUSTED'],
  [503, { status: 'UNAVAILABLE' }, 'unavailable', 'UNAVAILABLE'],
  [504, { status: 'DEADLINE_EXCEEDED' }, 'timed-out', 'DEADLINE_EXCEEDED'],
  [500, {}, 'server-error', undefined],
] as const)('%d %j', (status, error, kind, providerCode) => {
  const expected = { kind, message: 'Words.', detail: { status, ...(providerCode && { providerCode }) } };
  expect(failed(status, { message: 'Words.', ...error })).toMatchObject(expected);
  expect(failed(status, { message: 'Words.', ...error }, (body) => [body])).toMatchObject(expected);
});

it.each([
  ['35s', 35_000],
  ['0.5s', 500],
  ['1.000000001s', 1_001],
  ['999999999s', 86_400_000],
  ['-1s', undefined],
  ['soon', undefined],
  [7, undefined],
])('waits for %j', (retryDelay, retryAfterMs) => {
  expect(failed(429, retry(retryDelay)).detail.retryAfterMs).toBe(retryAfterMs);
});

it('waits for the headers first', () => {
  const body = JSON.stringify({ error: retry('9s') });
  expect(faultOfFailure({ status: 429, headers: { 'retry-after': '2' }, body }).detail.retryAfterMs).toBe(2_000);
});

it('keeps a key out of the words', () => {
  const { message } = failed(400, {
    message: 'key AIzaSyCANARYCANARYCANARY at https://x.test/?key=CANARY is not valid',
  });
  expect(message).not.toContain('CANARY');
});
