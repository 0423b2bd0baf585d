import type { Json, JsonObject } from './json/json.js';

/** Why one attempt at one provider failed. Closed: tables give the consequences of each kind, not branches. */
export const FAULT_KINDS = [
  'unreachable', // no connection, reset, closed before an answer
  'timed-out',
  'refused-credential', // 401, 403
  'payment-required', // 402: the account at the provider is empty
  'not-found', // 404: this provider does not serve the model
  'rejected-request', // 400, 422: the request itself
  'too-large', // 413
  'rate-limited', // 429
  'unavailable', // 503: the service reports that it is overloaded or down
  'overloaded', // 529
  'server-error', // other 5xx and unexpected statuses
  'malformed-reply', // a 2xx that holds no valid completion, or a stream that breaks the grammar or ends early
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultDetail {
  /** HTTP status of the provider's response; absent where there was none. */
  readonly status?: number;
  /** The provider's own code of the failure. */
  readonly providerCode?: string;
  /** The wait that the provider requests, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the reply had begun before it was cut off. */
  readonly isCut?: true;
}

/**
 * Thrown by an attempt. Its message is safe to show to a caller: it never contains an address, a header or a
 * credential.
 */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';

  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly detail: FaultDetail = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The kinds of errors that callers receive. Closed: `generation/ending.ts` gives the status and log level of each,
 * `shared/http/error-views.ts` its types on the wire.
 */
export const ERROR_KINDS = [
  'invalid-request',
  'context-too-long',
  'unauthenticated',
  'payment-required',
  'forbidden',
  'not-found',
  'method-not-allowed',
  'conflict',
  'request-timed-out', // its body did not come in time
  'too-large',
  'unsupported-media-type',
  'unprocessable',
  'rate-limited',
  'headers-too-large',
  'client-closed',
  'internal',
  'upstream-failed',
  'unavailable', // the provider or model that was to answer
  'service-unavailable', // this gateway itself: its database, its memory, its key service; it is stopping
  'timed-out',
  'overloaded',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorDetail {
  /** `error.metadata` on the wire. */
  readonly metadata?: { readonly [key: string]: Json };
  /** `error.details` on the wire, in the vendor's form that its clients read (docs/use/errors.md#details). */
  readonly details?: JsonObject;
  /** Sent as `Retry-After`, rounded up to whole seconds. */
  readonly retryAfterMs?: number;
  /** Further response headers, such as `Allow` and `X-RateLimit-*`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `error_type` on the wire, where that of the kind is not exact enough. */
  readonly errorType?: string;
  /** `error.availability` on the wire: why a model is not available (docs/use/errors.md#availability). */
  readonly availability?: JsonObject;
}

/**
 * The one error that leaves the service. The message names the field or limit and the remedy; it never contains a
 * stack, SQL, host or key.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';

  constructor(
    readonly kind: ErrorKind,
    message: string,
    readonly detail: ErrorDetail = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The error with further keys in its `metadata`; absent: unchanged. */
export function withMetadata(error: GatewayError, more: ErrorDetail['metadata'] | undefined): GatewayError {
  if (!more) return error;
  const { kind, message, detail } = error;
  const metadata = { ...detail.metadata, ...more };
  return new GatewayError(kind, message, { ...detail, metadata }, { cause: error.cause ?? error });
}

/** A request that this target cannot carry by the rules of its dialect. The next target may. */
export class Untranslatable extends Error {
  override readonly name = 'Untranslatable';

  /** @param path the field, as the caller wrote it: `messages.3.content.0` */
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}

/** A model refused, and the request names another one for that case (the wire's `fallbacks`). */
export class ModelRefusal extends Error {
  override readonly name = 'ModelRefusal';

  constructor() {
    super('The model refused to answer.');
  }
}

/**
 * The reason of the request's `CancelSignal` when the caller has disconnected. It only ends work: no response is sent.
 */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';

  constructor() {
    super('The caller closed the connection.');
  }
}
