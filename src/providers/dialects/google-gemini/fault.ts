import { definedOnly } from '../../../core/defined.js';
import type { FaultKind, ProviderFault } from '../../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { UpstreamFailure } from '../../../core/provider.js';
import { faultFromStatus, inBandFault, readFailureBody } from '../faults.js';
import { listOf, nonEmpty, objectOf } from '../read-json.js';

/** The kinds for names of `google.rpc.Code` inside a 200. */
const KIND_OF_CODE: Readonly<Record<string, FaultKind>> = {
  INVALID_ARGUMENT: 'rejected-request',
  FAILED_PRECONDITION: 'rejected-request',
  OUT_OF_RANGE: 'rejected-request',
  UNAUTHENTICATED: 'refused-credential',
  PERMISSION_DENIED: 'refused-credential',
  NOT_FOUND: 'not-found',
  UNIMPLEMENTED: 'not-found',
  RESOURCE_EXHAUSTED: 'rate-limited',
  UNAVAILABLE: 'unavailable',
  DEADLINE_EXCEEDED: 'timed-out',
};

/** Reasons of `google.rpc.ErrorInfo` that are more exact than the status: an invalid key is a 400. */
const KIND_OF_REASON: Readonly<Record<string, FaultKind>> = {
  API_KEY_INVALID: 'refused-credential',
  API_KEY_SERVICE_BLOCKED: 'refused-credential',
  API_KEY_HTTP_REFERRER_BLOCKED: 'refused-credential',
  API_KEY_IP_ADDRESS_BLOCKED: 'refused-credential',
  CONSUMER_INVALID: 'refused-credential',
  CONSUMER_SUSPENDED: 'refused-credential',
  SERVICE_DISABLED: 'refused-credential',
  BILLING_DISABLED: 'payment-required',
};

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** The members of a `google.rpc.Status` that are read. */
interface ErrorReport {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The fault of a call whose status is not a 2xx. Tolerates any body: JSON, plain text, a proxy's page, nothing. */
export function faultOfFailure(failure: UpstreamFailure): ProviderFault {
  const { json, words } = readFailureBody(failure.body);
  const { message = words, code, reason, retryAfterMs } = readReport(json);
  return faultFromStatus(failure, message, reason ?? code, kindOf(reason, KIND_OF_REASON), retryAfterMs);
}

/** The error inside a 200, in a chunk or a whole body; undefined when there is none. */
export function findInBandFault(body: JsonObject): ProviderFault | undefined {
  const { error } = body;
  if (!isJsonObject(error) && nonEmpty(error) === undefined) return undefined;
  const { message, code, reason, retryAfterMs } = readReport(body);
  return inBandFault(
    kindOf(reason, KIND_OF_REASON) ?? kindOf(code, KIND_OF_CODE) ?? 'server-error',
    message,
    definedOnly({ providerCode: reason ?? code, retryAfterMs }),
  );
}

function kindOf(word: string | undefined, kinds: Readonly<Record<string, FaultKind>>): FaultKind | undefined {
  return word !== undefined && Object.hasOwn(kinds, word) ? kinds[word] : undefined;
}

/** Reads `{ error: { code, message, status, details } }`, and the forms of proxies: `{ error }`, `{ message }`. */
function readReport(body: JsonObject): ErrorReport {
  const { error } = body;
  if (typeof error === 'string') return { message: error };
  const status = isJsonObject(error) ? error : body;
  const details = listOf(status['details']).map((detail) => objectOf(detail));
  return {
    message: nonEmpty(status['message']),
    code: nonEmpty(status['status']),
    reason: details.map(({ reason }) => nonEmpty(reason)).find((reason) => reason !== undefined),
    retryAfterMs: durationMs(details.find((detail) => detail['@type'] === RETRY_INFO)?.['retryDelay']),
  };
}

/** A duration of protocol buffers: `35s`, `0.5s`. */
function durationMs(value: Json | undefined): number | undefined {
  const seconds = typeof value === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(value)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}
