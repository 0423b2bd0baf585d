import { GatewayError, type ErrorKind } from '../../core/errors.js';
import { ENDINGS } from '../../core/generation/ending.js';
import type { Json, JsonObject } from '../../core/json/json.js';

interface Appearance {
  readonly status: number;
  /** `error.type` of the Messages family. */
  readonly type: string;
  /** `error_type`, the more detailed vocabulary (docs/use/errors.md#types). */
  readonly errorType: string;
}

const appearance = (kind: ErrorKind, type: string, errorType: string): Appearance => ({
  status: ENDINGS[kind].status,
  type,
  errorType,
});

/**
 * The wire form of each kind of error. A kind without a row does not compile; its status and log level are in
 * `ENDINGS`.
 */
export const APPEARANCES: Readonly<Record<ErrorKind, Appearance>> = {
  'invalid-request': appearance('invalid-request', 'invalid_request_error', 'invalid_request'),
  'context-too-long': appearance('context-too-long', 'invalid_request_error', 'context_length_exceeded'),
  unauthenticated: appearance('unauthenticated', 'authentication_error', 'authentication'),
  'payment-required': appearance('payment-required', 'billing_error', 'payment_required'),
  forbidden: appearance('forbidden', 'permission_error', 'permission_denied'),
  'not-found': appearance('not-found', 'not_found_error', 'not_found'),
  'method-not-allowed': appearance('method-not-allowed', 'invalid_request_error', 'invalid_request'),
  conflict: appearance('conflict', 'invalid_request_error', 'invalid_request'),
  'request-timed-out': appearance('request-timed-out', 'timeout_error', 'timeout'),
  'too-large': appearance('too-large', 'invalid_request_error', 'payload_too_large'),
  'unsupported-media-type': appearance('unsupported-media-type', 'invalid_request_error', 'invalid_request'),
  unprocessable: appearance('unprocessable', 'invalid_request_error', 'unprocessable'),
  'rate-limited': appearance('rate-limited', 'rate_limit_error', 'rate_limit_exceeded'),
  'headers-too-large': appearance('headers-too-large', 'invalid_request_error', 'invalid_request'),
  'client-closed': appearance('client-closed', 'api_error', 'unmapped'),
  internal: appearance('internal', 'api_error', 'server'),
  'upstream-failed': appearance('upstream-failed', 'api_error', 'provider_unavailable'),
  unavailable: appearance('unavailable', 'overloaded_error', 'provider_overloaded'),
  // Not a provider's failure: a 503 is an `overloaded_error` on the wire, with the error type of the gateway's own
  // failures.
  'service-unavailable': appearance('service-unavailable', 'overloaded_error', 'server'),
  'timed-out': appearance('timed-out', 'timeout_error', 'timeout'),
  overloaded: appearance('overloaded', 'overloaded_error', 'provider_overloaded'),
};

/** The inputs of an error view besides the error. */
export interface ErrorContext {
  /** The generation's id once there is one, `null` before routing. */
  readonly requestId: string | null;
  /** Keys that are added to errors of a generation. */
  readonly extras?: JsonObject | undefined;
}

/** The error families of the wire. The path decides: failures before routing have no handler. */
export type ErrorFamily = 'messages' | 'chat' | 'generic';

// Case-insensitive, as Express matches routes.
const MESSAGES_PATH = /^\/(?:api\/)?v1\/messages(?:\/|$)/i;

const CHAT_PATH = /^\/(?:api\/)?v1\/chat\/completions(?:\/|$)/i;

export function errorFamily(path: string): ErrorFamily {
  if (MESSAGES_PATH.test(path)) return 'messages';
  return CHAT_PATH.test(path) ? 'chat' : 'generic';
}

/**
 * `{type: "error", error: {…}, request_id}`: every error of `/messages`, whole or in a stream
 * (docs/use/errors.md#bodies).
 */
export function messageErrorBody(error: GatewayError, context: ErrorContext): JsonObject {
  const { status, type, errorType } = APPEARANCES[error.kind];
  return {
    type: 'error',
    error: {
      type,
      code: status,
      message: error.message,
      error_type: error.detail.errorType ?? errorType,
      ...availabilityOf(error),
      ...detailsOf(error),
      ...metadataOf(error),
    },
    request_id: context.requestId,
    ...extrasOf(error, context),
  };
}

/**
 * The generic body, always with `error_type` in its `metadata`: whole or in a chunk
 * (docs/use/streaming.md#failures-in-mid-stream, docs/use/errors.md#bodies).
 */
export function chatErrorBody(error: GatewayError, context: ErrorContext): JsonObject {
  const { errorType } = APPEARANCES[error.kind];
  const metadata = { error_type: error.detail.errorType ?? errorType, ...error.detail.metadata };
  return genericErrorBody(
    new GatewayError(error.kind, error.message, { ...error.detail, metadata }, { cause: error }),
    context,
  );
}

/** `{error: {code, message, metadata?}}`: every other route (docs/use/errors.md#bodies). */
export function genericErrorBody(error: GatewayError, context: ErrorContext): JsonObject {
  return {
    error: {
      code: APPEARANCES[error.kind].status,
      message: error.message,
      ...availabilityOf(error),
      ...detailsOf(error),
      ...metadataOf(error),
    },
    ...extrasOf(error, context),
  };
}

export const ERROR_BODIES: Readonly<Record<ErrorFamily, typeof messageErrorBody>> = {
  messages: messageErrorBody,
  chat: chatErrorBody,
  generic: genericErrorBody,
};

/** Response headers of an error: its own, and `Retry-After` in whole seconds. */
export function errorHeaders(error: GatewayError): Record<string, string> {
  const { headers, retryAfterMs } = error.detail;
  return {
    ...headers,
    ...(retryAfterMs !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
  };
}

function metadataOf(error: GatewayError): { metadata?: Json } {
  // docs/use/errors.md#rate-limits: a 429 always states its kind.
  const metadata = {
    ...(error.kind === 'rate-limited' && { error_type: 'rate_limit_exceeded' }),
    ...error.detail.metadata,
  };
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

/** Why a model is unavailable, as codes for programs (docs/use/errors.md#availability). */
const availabilityOf = ({ detail }: GatewayError): { availability?: JsonObject } =>
  detail.availability ? { availability: detail.availability } : {};

const detailsOf = ({ detail: { details } }: GatewayError): { details?: JsonObject } => (details ? { details } : {});

/** Never on internal failures: they are unrelated to the route (docs/use/routing-metadata.md#where-it-is-returned). */
const extrasOf = ({ kind }: GatewayError, { extras }: ErrorContext): JsonObject =>
  extras && kind !== 'internal' ? extras : {};
