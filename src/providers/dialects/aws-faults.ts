import { definedOnly } from '../../core/defined.js';
import type { FaultKind, ProviderFault } from '../../core/errors.js';
import type { UpstreamFailure } from '../../core/provider.js';
import { faultFromStatus, inBandFault, readFailureBody } from './faults.js';
import { nonEmpty } from './read-json.js';

/**
 * The kind of fault for each exception of Bedrock's runtime, by its name in lower case without the common ending. The
 * names are those of the API reference (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and
 * CommonErrors.html, read 2026-11-23). For a name that is not here the status decides.
 */
const KIND_OF_EXCEPTION: ReadonlyMap<string, FaultKind> = new Map([
  ['throttling', 'rate-limited'],
  ['toomanyrequests', 'rate-limited'],
  ['servicequotaexceeded', 'rate-limited'],
  ['modelnotready', 'unavailable'],
  ['serviceunavailable', 'unavailable'],
  ['modeltimeout', 'timed-out'],
  ['requesttimeout', 'timed-out'],
  ['modelerror', 'server-error'],
  ['modelstreamerror', 'server-error'],
  ['internalserver', 'server-error'],
  ['internalfailure', 'server-error'],
  ['validation', 'rejected-request'],
  ['serialization', 'rejected-request'],
  ['accessdenied', 'refused-credential'],
  ['expiredtoken', 'refused-credential'],
  ['incompletesignature', 'refused-credential'],
  ['invalidclienttokenid', 'refused-credential'],
  ['invalidsignature', 'refused-credential'],
  ['missingauthenticationtoken', 'refused-credential'],
  ['notauthorized', 'refused-credential'],
  ['optinrequired', 'refused-credential'],
  ['signaturedoesnotmatch', 'refused-credential'],
  ['unrecognizedclient', 'refused-credential'],
  ['resourcenotfound', 'not-found'],
  ['unknownoperation', 'not-found'],
]);

/**
 * The fault that AWS describes for a failed call. The exception is in a header, else in the body's `__type`; both may
 * surround the name with other text. Undefined where there is neither.
 */
export function findAwsFault(failure: UpstreamFailure): ProviderFault | undefined {
  const { json } = readFailureBody(failure.body);
  const header = failure.headers['x-amzn-errortype'];
  const name = bareName(nonEmpty(header) ?? nonEmpty(json['__type']));
  const message = nonEmpty(json['message']) ?? nonEmpty(json['Message']);
  if (name === undefined && message === undefined) return undefined;
  return faultFromStatus(failure, message, name, kindOf(name));
}

/** The fault of an exception in the middle of a reply. */
export function faultOfException(exception: string, message: string | undefined): ProviderFault {
  const name = bareName(exception);
  return inBandFault(kindOf(name) ?? 'server-error', message, definedOnly({ providerCode: name }));
}

function kindOf(name: string | undefined): FaultKind | undefined {
  if (name === undefined) return undefined;
  return KIND_OF_EXCEPTION.get(name.toLowerCase().replace(/exception$/, ''));
}

/** `com.amazon.coral.service#ValidationException:http://internal…` becomes `ValidationException`. */
function bareName(text: string | undefined): string | undefined {
  const [name = ''] = (text ?? '').split(':');
  const bare = name.slice(name.lastIndexOf('#') + 1).trim();
  return bare === '' ? undefined : bare;
}
