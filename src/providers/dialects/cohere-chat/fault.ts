import type { FaultKind, ProviderFault } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { UpstreamFailure } from '../../../core/provider.js';
import { faultFromStatus, inBandFault, readFailureBody } from '../faults.js';
import { nonEmpty } from '../read-json.js';

/**
 * Statuses with a meaning of the vendor's own (docs.cohere.com/reference/errors, read 2026-11-23). 498: the request
 * contains a blocked word.
 */
const KIND_OF_STATUS: Readonly<Record<number, FaultKind>> = {
  498: 'rejected-request',
};

/**
 * The fault of a call whose status is not a 2xx: from `{ message, id }`, or from the reply of a proxy in front of the
 * vendor.
 */
export function faultOfFailure(failure: UpstreamFailure): ProviderFault {
  const { json, words } = readFailureBody(failure.body);
  const message = words ?? nonEmpty(json['message']) ?? nonEmpty(json['error']);
  return faultFromStatus(failure, message, undefined, KIND_OF_STATUS[failure.status]);
}

/** The error instead of a reply, or of an event of one; undefined where there is none. */
export function findInBandFault(body: JsonObject): ProviderFault | undefined {
  if (typeof body['message'] !== 'string') return undefined;
  return inBandFault('server-error', body['message']);
}
