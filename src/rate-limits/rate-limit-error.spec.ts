// A 429 of the gateway itself looks the same whichever limit it was: headers, metadata, body of either family
// (docs/use/errors.md#rate-limits). The errors are printed by the views of all errors.
import { errorHeaders, genericErrorBody, messageErrorBody } from '../shared/http/error-views.js';
import { rateLimitError } from './rate-limit-error.js';

const RESET = 1_795_000_020_000;

describe('rateLimitError', () => {
  it('sends limit, remainder and reset as headers, and repeats them in the metadata beside the limit’s name', () => {
    const error = rateLimitError('Wait.', { limit: 20, resetAtMs: RESET, source: 'model_requests_per_minute' });
    const headers = '{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1795000020000"}';
    const metadata = `{"error_type":"rate_limit_exceeded","headers":${headers},"limit_source":"model_requests_per_minute"}`;
    expect(errorHeaders(error)).toEqual(JSON.parse(headers));
    expect(JSON.stringify(genericErrorBody(error, { requestId: null }))).toBe(
      `{"error":{"code":429,"message":"Wait.","metadata":${metadata}}}`,
    );
    expect(JSON.stringify(messageErrorBody(error, { requestId: null }))).toBe(
      '{"type":"error","error":{"type":"rate_limit_error","code":429,"message":"Wait.",' +
        `"error_type":"rate_limit_exceeded","metadata":${metadata}},"request_id":null}`,
    );
  });

  it('reports the remainder, and when to retry, where that is known', () => {
    const error = rateLimitError('Wait.', {
      limit: 100,
      remaining: 7,
      resetAtMs: RESET,
      retryAfterMs: 1_001,
      source: 'a',
    });
    expect(errorHeaders(error)).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '7',
      'X-RateLimit-Reset': String(RESET),
      'Retry-After': '2',
    });
  });
});
