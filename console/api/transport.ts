import { ROOT } from '../app/base.js';

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
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Answer;
  throw new ApiFailure(
    messageOf(answer) ?? `The gateway answered with ${response.status}.`,
    response.status,
    response.headers.get('request-id'),
  );
}

const messageOf = (answer: unknown): string | undefined =>
  (answer as { readonly error?: { readonly message?: string } } | undefined)?.error?.message;

/** Whatever was thrown, as it is shown. */
export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure ? error : new ApiFailure(String(error), 0, null);
