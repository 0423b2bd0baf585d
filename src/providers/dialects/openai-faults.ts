import { definedOnly } from '../../core/defined.js';
import type { FaultKind, ProviderFault } from '../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { UpstreamFailure } from '../../core/provider.js';
import { faultFromStatus, faultKindOfStatus, inBandFault, readFailureBody } from './faults.js';

/** A failure in any of the shapes that providers of OpenAI's formats use. */
interface ErrorReport {
  readonly message?: string;
  readonly code?: string;
  readonly type?: string;
}

/**
 * The kind of an error inside a 200, by its `code` or else its `type`. The codes about images are from the responses
 * format (its type `ResponseError`).
 */
const KIND_OF_CODE: Readonly<Record<string, FaultKind>> = {
  rate_limit_exceeded: 'rate-limited',
  rate_limit_error: 'rate-limited',
  rate_limit_reached: 'rate-limited',
  too_many_requests: 'rate-limited',
  tokens: 'rate-limited',
  requests: 'rate-limited',
  insufficient_quota: 'payment-required',
  invalid_request_error: 'rejected-request',
  invalid_prompt: 'rejected-request',
  context_length_exceeded: 'rejected-request',
  content_policy_violation: 'rejected-request',
  content_filter: 'rejected-request',
  bio_policy: 'rejected-request',
  empty_image_file: 'rejected-request',
  failed_to_download_image: 'rejected-request',
  image_content_policy_violation: 'rejected-request',
  image_file_not_found: 'rejected-request',
  image_file_too_large: 'rejected-request',
  image_parse_error: 'rejected-request',
  image_too_large: 'rejected-request',
  image_too_small: 'rejected-request',
  invalid_base64_image: 'rejected-request',
  invalid_image: 'rejected-request',
  invalid_image_format: 'rejected-request',
  invalid_image_mode: 'rejected-request',
  invalid_image_url: 'rejected-request',
  unsupported_image_media_type: 'rejected-request',
  badrequesterror: 'rejected-request',
  authentication_error: 'refused-credential',
  invalid_api_key: 'refused-credential',
  permission_error: 'refused-credential',
  model_not_found: 'not-found',
  not_found_error: 'not-found',
  overloaded: 'overloaded',
  overloaded_error: 'overloaded',
  service_unavailable: 'unavailable',
  service_unavailable_error: 'unavailable',
  timeout: 'timed-out',
  timeout_error: 'timed-out',
  vector_store_timeout: 'timed-out',
};

/**
 * The fault of a call whose status is not a 2xx. Tolerates any body: JSON in the known shapes, plain text, a proxy's
 * page, nothing.
 */
export function faultOfFailure(failure: UpstreamFailure): ProviderFault {
  const { json, words } = readFailureBody(failure.body);
  const report = words === undefined ? readReport(json) : { message: words };
  return faultFromStatus(failure, report.message, report.code ?? report.type);
}

/**
 * The error inside a 200, in a chunk or a whole body; undefined when there is none.
 * @param isNamedError true when the frame's own event name is that of an error
 */
export function findInBandFault(body: JsonObject, isNamedError = false): ProviderFault | undefined {
  const { error } = body;
  const isError = isJsonObject(error) || (typeof error === 'string' && error !== '');
  if (!isError && !isNamedError && body['object'] !== 'error') return undefined;
  return faultOfReport(readReport(body));
}

/** The fault of an error frame whose data is not JSON. */
export function faultOfErrorText(text: string): ProviderFault {
  return faultOfReport({ message: text });
}

const faultOfReport = ({ message, code, type }: ErrorReport): ProviderFault =>
  inBandFault(kindOf(code) ?? kindOf(type) ?? 'server-error', message, definedOnly({ providerCode: code ?? type }));

function kindOf(code: string | undefined): FaultKind | undefined {
  if (code === undefined) return undefined;
  if (/^[45]\d\d$/.test(code)) return faultKindOfStatus(Number(code));
  const word = code.toLowerCase();
  return Object.hasOwn(KIND_OF_CODE, word) ? KIND_OF_CODE[word] : undefined;
}

/** Reads `{ error: { message, code, type } }`, `{ error: "…" }`, `{ message, code, type }` and `{ detail }`. */
function readReport(body: JsonObject): ErrorReport {
  const { error } = body;
  const source = isJsonObject(error) ? error : body;
  const message = typeof error === 'string' ? error : messageOf(source);
  const code = wordOf(source['code']);
  const type = wordOf(source['type']);
  return {
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
  };
}

function messageOf(source: JsonObject): string | undefined {
  const { message } = source;
  if (typeof message === 'string') return message;
  // Validation errors of providers that use FastAPI: a text, or a list of `{ loc, msg }`, sometimes one level down.
  const detail = isJsonObject(message) ? message['detail'] : source['detail'];
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return undefined;
  const [first] = detail as readonly Json[];
  if (!isJsonObject(first) || typeof first['msg'] !== 'string') return undefined;
  const fieldPath = Array.isArray(first['loc']) ? `${first['loc'].join('.')}: ` : '';
  return fieldPath + first['msg'];
}

function wordOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
