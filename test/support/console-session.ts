import type { TestGateway } from './app.js';
import { exchange, type RawResponse } from './raw-client.js';

/** What the console sends with each change, and a browser with each request of the page. */
export const CONSOLE_HEADERS = { 'sec-fetch-site': 'same-origin', 'x-fairlead-console': '1' } as const;

export interface ConsoleRequest {
  readonly method?: string;
  readonly path: string;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
}

/** Sends a request as the console does, by a socket: no client sets headers of its own. */
export function sendByConsole(
  { origin }: Pick<TestGateway, 'origin'>,
  { method = 'GET', path, cookie, headers = CONSOLE_HEADERS, body }: ConsoleRequest,
): Promise<RawResponse> {
  const sent: Record<string, string> = {
    ...headers,
    ...(cookie !== undefined && { cookie }),
    ...(body && { 'content-type': 'application/json' }),
  };
  return exchange(origin, { method, path, headers: Object.entries(sent), ...(body && { body: JSON.stringify(body) }) });
}

/** Signs in. @returns the cookie, as a browser sends it back */
export async function signInByKey(gateway: Pick<TestGateway, 'origin'>, key: string): Promise<string> {
  const { status, headers, json } = await sendByConsole(gateway, {
    method: 'POST',
    path: '/console/session',
    body: { key },
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
  return headers['set-cookie']!.split(';')[0]!;
}
