import type { TestGateway } from '../support/app.js';
import type { JsonBody } from '../support/recorded-request.js';

/** Sends a short request to either face, whole, with these fields. */
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
