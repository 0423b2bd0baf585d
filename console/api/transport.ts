import { ROOT } from '../app/base.js';
import { warning } from '../app/warnings.js';

/** An answer that is no success, in the words of the API. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';

  constructor(
    message: string,
    /** 0: there was no answer. */
    readonly status: number,
    /** Names the request in the log of the gateway; null where no answer came. */
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

export interface Sending {
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request with the session of the browser.
 * @param path below the root of the gateway
 * @throws ApiFailure, and the reason of the signal
 */
export async function send<Answer>(method: string, path: string, { body, signal }: Sending = {}): Promise<Answer> {
  const response = await fetch(new URL(path, ROOT), {
    method,
    headers: {
      accept: 'application/json',
      'x-fairlead-console': '1',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure('The gateway does not answer.', 0, null);
  });
  if (method !== 'GET') warning.value = response.headers.get('x-fairlead-warning');
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Answer;
  throw refusalOf(response, answer);
}

/**
 * Sends a request to a model by a key of the reader, and never by the session.
 * @returns the stream of its reply
 * @throws ApiFailure, and the reason of the signal
 */
export async function sendWithKey(
  path: string,
  key: string,
  body: object,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(new URL(path, ROOT), {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
    body: JSON.stringify(body),
    signal,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  }).catch((error: unknown) => {
    if (signal.aborted || error instanceof TypeError === false) throw error;
    throw new ApiFailure('The gateway does not answer, or the key has characters that no header takes.', 0, null);
  });
  if (response.ok && response.body) return response.body;
  throw refusalOf(response, await response.json().catch(() => undefined));
}

const refusalOf = ({ status, headers }: Response, answer: unknown): ApiFailure =>
  new ApiFailure(messageOf(answer) ?? `The gateway answered with ${status}.`, status, headers.get('request-id'));

const messageOf = (answer: unknown): string | undefined =>
  (answer as { readonly error?: { readonly message?: string } } | undefined)?.error?.message;

/** Any thrown value as a failure that pages can show. */
export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure ? error : new ApiFailure(String(error), 0, null);
