import type { TestGateway } from '../support/app.js';
import type { JsonBody } from '../support/recorded-request.js';

/** Says hello on either face, whole, with these fields beside it. */
export async function postHello(
  gateway: TestGateway,
  path: string,
  fields: object,
): Promise<{ status: number; body: JsonBody }> {
  const response = await gateway.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  });
  return { status: response.status, body: await response.json() };
}
