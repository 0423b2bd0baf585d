// Goal: each status and error body becomes the right fault, whatever its shape. Method: tables over the statuses and
// the shapes of the providers' documentation; hostile bodies.
import fc from 'fast-check';
import { ProviderFault } from '../../core/errors.js';
import { openaiChat } from './openai-chat/dialect.js';

const faultOf = (status: number, body: string, headers: Record<string, string> = {}): ProviderFault =>
  openaiChat.fault({ status, headers, body });

describe('a call that was not a 2xx', () => {
  it.each<[string, string, string, string | undefined]>([
    [
      'OpenAI',
      '{"error":{"message":"No.","type":"invalid_request_error","param":"x","code":"context_length_exceeded"}}',
      'No.',
      'context_length_exceeded',
    ],
    [
      'a null code',
      '{"error":{"message":"No.","type":"invalid_request_error","code":null}}',
      'No.',
      'invalid_request_error',
    ],
    ['a numeric code', '{"error":{"message":"No.","code":400}}', 'No.', '400'],
    [
      'a text',
      '{"code":"Client specified an invalid argument","error":"No."}',
      'No.',
      'Client specified an invalid argument',
    ],
    ['a flat object', '{"object":"error","message":"No.","type":"BadRequestError","code":400}', 'No.', '400'],
    ['a list', '[{"error":{"message":"No."}}]', 'No.', undefined],
    ['a detail', '{"detail":"No."}', 'No.', undefined],
    ['details', '{"detail":[{"loc":["body","user"],"msg":"Extra inputs"}]}', 'body.user: Extra inputs', undefined],
    [
      'details under a message',
      '{"object":"error","message":{"detail":[{"loc":["body","user"],"msg":"Extra inputs"}]},"type":"invalid_request_error"}',
      'body.user: Extra inputs',
      'invalid_request_error',
    ],
    ['plain text', 'upstream says no', 'upstream says no', undefined],
    ['a page', '<html>no</html>', 'The provider answered with status 400.', undefined],
    ['nothing', '', 'The provider answered with status 400.', undefined],
    ['a JSON text', '"No."', 'No.', undefined],
    ['cut JSON', '{"error":{"message":"N', 'The provider answered with status 400.', undefined],
    ['other JSON', '17', 'The provider answered with status 400.', undefined],
    ['an empty error', '{"error":{}}', 'The provider answered with status 400.', undefined],
  ])('described as %s', (_, body, message, providerCode) => {
    const fault = faultOf(400, body);
    expect(fault).toBeInstanceOf(ProviderFault);
    expect(fault.kind).toBe('rejected-request');
    expect(fault.message).toBe(message);
    expect(fault.detail).toEqual({ status: 400, ...(providerCode !== undefined && { providerCode }) });
  });

  it('passes the provider’s wait on', () => {
    const fault = faultOf(429, '', { 'retry-after': '2' });
    expect(fault).toMatchObject({ kind: 'rate-limited', detail: { retryAfterMs: 2000 } });
  });

  it('tolerates any body', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: 300, max: 599 }), (body, status) => {
        const fault = faultOf(status, body);
        expect(fault.detail.status).toBe(status);
        expect(fault.message.length).toBeGreaterThan(0);
        expect(fault.message.length).toBeLessThanOrEqual(500);
      }),
      { numRuns: 200 },
    );
  });
});
