import type { LogLevel } from '@nestjs/common';
import { GatewayError, type ErrorKind } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json.js';

interface Appearance {
  readonly status: number;
  /** `error.type` of the Messages family. */
  readonly type: string;
  /** `error_type`, the finer vocabulary (WIRE 1.30). */
  readonly errorType: string;
  readonly logLevel: LogLevel;
}

/** What each kind of error looks like. A kind without a row does not compile. */
export const APPEARANCES: Readonly<Record<ErrorKind, Appearance>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error', errorType: 'invalid_request', logLevel: 'debug' },
  'context-too-long': {
    status: 400,
    type: 'invalid_request_error',
    errorType: 'context_length_exceeded',
    logLevel: 'debug',
  },
  unauthenticated: { status: 401, type: 'authentication_error', errorType: 'authentication', logLevel: 'debug' },
  'payment-required': { status: 402, type: 'billing_error', errorType: 'payment_required', logLevel: 'debug' },
  forbidden: { status: 403, type: 'permission_error', errorType: 'permission_denied', logLevel: 'debug' },
  'not-found': { status: 404, type: 'not_found_error', errorType: 'not_found', logLevel: 'debug' },
  'method-not-allowed': { status: 405, type: 'invalid_request_error', errorType: 'invalid_request', logLevel: 'debug' },
  conflict: { status: 409, type: 'invalid_request_error', errorType: 'invalid_request', logLevel: 'debug' },
  'too-large': { status: 413, type: 'invalid_request_error', errorType: 'payload_too_large', logLevel: 'debug' },
  'unsupported-media-type': {
    status: 415,
    type: 'invalid_request_error',
    errorType: 'invalid_request',
    logLevel: 'debug',
  },
  unprocessable: { status: 422, type: 'invalid_request_error', errorType: 'unprocessable', logLevel: 'debug' },
  'rate-limited': { status: 429, type: 'rate_limit_error', errorType: 'rate_limit_exceeded', logLevel: 'debug' },
  'headers-too-large': { status: 431, type: 'invalid_request_error', errorType: 'invalid_request', logLevel: 'debug' },
  'client-closed': { status: 499, type: 'api_error', errorType: 'unmapped', logLevel: 'debug' },
  internal: { status: 500, type: 'api_error', errorType: 'server', logLevel: 'error' },
  'upstream-failed': { status: 502, type: 'api_error', errorType: 'provider_unavailable', logLevel: 'warn' },
  unavailable: { status: 503, type: 'overloaded_error', errorType: 'provider_overloaded', logLevel: 'warn' },
  'timed-out': { status: 504, type: 'timeout_error', errorType: 'timeout', logLevel: 'warn' },
  overloaded: { status: 529, type: 'overloaded_error', errorType: 'provider_overloaded', logLevel: 'warn' },
};

/** What an error view needs besides the error. */
export interface ErrorContext {
  /** The generation's id once there is one, `null` before routing. */
  readonly requestId: string | null;
  readonly routerMetadata?: JsonObject;
}

/** The error families of the wire. The path decides: failures before routing have no handler to ask. */
export type ErrorFamily = 'messages' | 'chat' | 'generic';

// As Express matches routes: in any case.
const MESSAGES_PATH = /^\/(?:api\/)?v1\/messages(?:\/|$)/i;

const CHAT_PATH = /^\/(?:api\/)?v1\/chat\/completions(?:\/|$)/i;

export function errorFamily(path: string): ErrorFamily {
  if (MESSAGES_PATH.test(path)) return 'messages';
  return CHAT_PATH.test(path) ? 'chat' : 'generic';
}

/** `{type: "error", error: {…}, request_id}`: every error of `/messages`, whole or in a stream (DESIGN 11). */
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
      ...metadataOf(error),
    },
    request_id: context.requestId,
    ...routerMetadata(error, context),
  };
}

/** The generic body, its `metadata` always with the finer `error_type`: whole or in a chunk (WIRE 1.29, 1.30). */
export function chatErrorBody(error: GatewayError, context: ErrorContext): JsonObject {
  const { errorType } = APPEARANCES[error.kind];
  const metadata = { error_type: error.detail.errorType ?? errorType, ...error.detail.metadata };
  return genericErrorBody(
    new GatewayError(error.kind, error.message, { ...error.detail, metadata }, { cause: error }),
    context,
  );
}

/** `{error: {code, message, metadata?}}`: every other route (Scope 7.2, 7.3). */
export function genericErrorBody(error: GatewayError, context: ErrorContext): JsonObject {
  return {
    error: {
      code: APPEARANCES[error.kind].status,
      message: error.message,
      ...availabilityOf(error),
      ...metadataOf(error),
    },
    ...routerMetadata(error, context),
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
  // Scope 7.3.2: a 429 always says which kind it is.
  const metadata = {
    ...(error.kind === 'rate-limited' && { error_type: 'rate_limit_exceeded' }),
    ...error.detail.metadata,
  };
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

/** Why a model cannot be had, in words a program can act on (WIRE 1.30). */
const availabilityOf = ({ detail }: GatewayError): { availability?: JsonObject } =>
  detail.availability ? { availability: detail.availability } : {};

/** Never on failures of our own: they say nothing of the route (WIRE 1.16). */
function routerMetadata({ kind }: GatewayError, { routerMetadata }: ErrorContext): JsonObject {
  return routerMetadata && kind !== 'internal'
    ? { router_metadata: routerMetadata, openrouter_metadata: routerMetadata }
    : {};
}
