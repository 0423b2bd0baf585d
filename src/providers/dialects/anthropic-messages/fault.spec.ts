// Goal: the fault of a refused call has the right kind and message. Method: bodies of every shape, read tolerantly.
import type { UpstreamFailure } from '../../../core/provider.js';
import { readFault } from './fault.js';

const failure = (body: string, status = 429, headers: UpstreamFailure['headers'] = {}): UpstreamFailure => ({
  status,
  headers,
  body,
});

describe('readFault', () => {
  it('keeps the words, the code and the wait', () => {
    const body = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}';
    expect(readFault(failure(body, 429, { 'retry-after': '2' }))).toMatchObject({
      kind: 'rate-limited',
      message: 'Slow down',
      detail: { status: 429, providerCode: 'rate_limit_error', retryAfterMs: 2000 },
    });
  });

  it.each(['', '<html>', 'null', '[]', '{"error":null}', '{"error":{"type":7,"message":[]}}'])(
    'takes the body %j',
    (body) => {
      expect(readFault(failure(body, 529))).toMatchObject({ kind: 'overloaded', detail: { status: 529 } });
    },
  );

  it('reads an error that is plain text', () => {
    expect(readFault(failure('{"error":"Nope"}', 400))).toMatchObject({ kind: 'rejected-request', message: 'Nope' });
  });
});
