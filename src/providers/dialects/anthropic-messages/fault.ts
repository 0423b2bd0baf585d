import { definedOnly } from '../../../core/defined.js';
import { ProviderFault, type FaultKind, type FaultDetail } from '../../../core/errors.js';
import { isJsonObject } from '../../../core/json/json.js';
import type { UpstreamFailure } from '../../../core/provider.js';
import { faultFromStatus, inBandFault, readFailureBody } from '../faults.js';

const KIND_OF_TYPE: ReadonlyMap<string, FaultKind> = new Map([
  ['overloaded_error', 'overloaded'],
  ['rate_limit_error', 'rate-limited'],
  ['api_error', 'server-error'],
  ['invalid_request_error', 'rejected-request'],
  ['request_too_large', 'too-large'],
  ['authentication_error', 'refused-credential'],
  ['permission_error', 'refused-credential'],
  ['not_found_error', 'not-found'],
  ['billing_error', 'payment-required'],
  ['timeout_error', 'timed-out'],
]);

/** The fault of a reply that is no completion: broken JSON, wrong shapes, an early end. */
export const malformed = (complaint: string, detail: FaultDetail = {}): ProviderFault =>
  new ProviderFault('malformed-reply', `The provider's reply is malformed: ${complaint}.`, detail);

/** The fault of a call whose status is not a 2xx. Tolerates any body; the status decides the kind. */
export function readFault(failure: UpstreamFailure): ProviderFault {
  const { type, message } = readError(readFailureBody(failure.body).json);
  return faultFromStatus(failure, message, type);
}

/** The fault of an error inside a 200: a stream's `error` event, or the whole body. */
export function readInBandFault(payload: unknown): ProviderFault {
  const { type, message } = readError(payload);
  return inBandFault(
    (type !== undefined && KIND_OF_TYPE.get(type)) || 'server-error',
    message,
    definedOnly({ providerCode: type }),
    'The provider reported an error in its reply.',
  );
}

function readError(payload: unknown): { type?: string; message?: string } {
  const error = isJsonObject(payload) ? payload['error'] : undefined;
  if (typeof error === 'string') return { message: error };
  if (!isJsonObject(error)) return {};
  const { type, message } = error;
  return { ...(typeof type === 'string' && { type }), ...(typeof message === 'string' && { message }) };
}
