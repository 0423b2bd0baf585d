import { ProviderFault, type FaultKind } from '../../../core/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../../../core/json/json.js';
import type { UpstreamFailure } from '../../../core/provider.js';
import { faultFromStatus, safeMessage } from '../faults.js';
import { nonEmpty } from '../read-json.js';

/**
 * Statuses with a meaning of the vendor's own (docs.cohere.com/reference/errors, read 2026-11-23). 498: the request
 * holds what is on a list of words that are refused.
 */
const KIND_OF_STATUS: Readonly<Record<number, FaultKind>> = {
  498: 'rejected-request',
};

/** Why a call that was not a 2xx failed: `{ message, id }`, or whatever stood in front of the vendor says. */
export function faultOfFailure(failure: UpstreamFailure): ProviderFault {
  const fault = faultFromStatus(failure, messageIn(failure.body), undefined);
  const kind = KIND_OF_STATUS[failure.status];
  return kind === undefined ? fault : new ProviderFault(kind, fault.message, fault.detail);
}

/** The failure that stands where a reply, or an event of one, should; undefined: there is none. */
export function findInBandFault(body: JsonObject): ProviderFault | undefined {
  if (typeof body['message'] !== 'string') return undefined;
  return faultOfWords(body['message'], undefined);
}

/** @param code the vendor's word for how the reply ended */
export function faultOfWords(
  words: string | undefined,
  code: string | undefined,
  kind: FaultKind = 'server-error',
): ProviderFault {
  const message = words === undefined ? '' : safeMessage(words);
  return new ProviderFault(
    kind,
    message === '' ? 'The provider failed while it answered.' : message,
    code === undefined ? {} : { providerCode: code },
  );
}

function messageIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('<')) return undefined;
  if (!trimmed.startsWith('{')) return trimmed.startsWith('[') || trimmed === 'null' ? undefined : trimmed;
  try {
    const body: unknown = parseJson(trimmed);
    return isJsonObject(body) ? (nonEmpty(body['message']) ?? nonEmpty(body['error'])) : undefined;
  } catch {
    return undefined;
  }
}
