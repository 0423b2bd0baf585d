import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../core/errors.js';

export const IDEMPOTENCY_HEADER = 'idempotency-key';
export const RESUMABLE_HEADER = 'x-fairlead-resumable';
/** The header of a reply that is delivered again. */
export const REPLAY_HEADER = 'X-Fairlead-Idempotent-Replay';

/** The descriptions of the headers for the API description. */
export const IDEMPOTENCY_HEADERS = {
  'Idempotency-Key': 'The request runs once: the same body with the same key gets the first reply again, for 24 hours.',
} as const;
export const REPETITION_HEADERS = {
  ...IDEMPOTENCY_HEADERS,
  'X-Fairlead-Resumable':
    '`true`: events of a stream have ids, and `GET /generation/stream` continues it after a broken connection.',
} as const;
export const REPLAY_HEADERS = {
  [REPLAY_HEADER]: '`true`: this is the reply to an earlier request with the same `Idempotency-Key`.',
} as const;

/** The idempotency key of a request, and whether its stream can be resumed. */
export interface IdempotencyOptions {
  /** The caller's own name of the request; absent: it has none. */
  readonly key: string | undefined;
  readonly resumable: boolean;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws GatewayError when the key is invalid */
export function readIdempotencyOptions(headers: IncomingHttpHeaders): IdempotencyOptions {
  const header = headers[IDEMPOTENCY_HEADER];
  const key = header === undefined ? undefined : String(header);
  if (key !== undefined && !KEY.test(key))
    throw new GatewayError('invalid-request', 'idempotency-key: must be 1 to 255 printable ASCII characters');
  return { key, resumable: headers[RESUMABLE_HEADER] === 'true' };
}
