import { ProviderFault } from '../../core/errors.js';
import type { CallContext, CallHeaders, Platform } from '../../core/platform.js';
import type { UpstreamFailure } from '../../core/provider.js';
import type { Secret } from '../../core/secret.js';
import { SseReader } from '../../core/stream/sse.js';

/** Printable ASCII without blanks: the characters of every provider's keys, which a header carries unchanged. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;
const NO_HEADERS: CallHeaders = {};

/**
 * The vendor's own address: the dialect's path after the base URL, one header with the key, server-sent events or JSON.
 */
export const direct: Platform = {
  address: ({ target }, { path }) => target.endpoint.provider.baseUrl + path,
  authorise: authoriseByKey,
  frames: framesOf,
};

/**
 * The one header with the key, by the provider's scheme.
 * @throws ProviderFault `refused-credential` when the scheme requires a key and there is none, or a header cannot carry
 * it. The message never contains the value.
 */
function authoriseByKey({ target, credential }: CallContext): CallHeaders {
  const scheme = target.definition.credential;
  switch (scheme) {
    case 'none':
      return NO_HEADERS;
    case 'bearer':
      return bearer(revealSafe(credential));
    case 'x-api-key':
    case 'x-goog-api-key':
    case 'api-key':
      return { [scheme]: revealSafe(credential) };
  }
}

/** @param token made of characters that a header can carry */
export const bearer = (token: string): CallHeaders => ({ authorization: `Bearer ${token}` });

/**
 * The text of a credential that a header can carry.
 * @throws ProviderFault `refused-credential`
 */
export function revealSafe(credential: Secret | undefined): string {
  if (!credential) throw new ProviderFault('refused-credential', 'There is no credential for the provider.');
  const value = credential.reveal();
  if (!HEADER_SAFE.test(value)) throw unsafe();
  return value;
}

/**
 * A key inside a credential that a header can carry.
 * @throws ProviderFault `refused-credential`
 */
export function headerSafe(value: string): string {
  if (!HEADER_SAFE.test(value)) throw unsafe();
  return value;
}

const unsafe = (): ProviderFault =>
  new ProviderFault('refused-credential', 'The credential contains characters that no HTTP header can carry.');

/** A reader of server-sent events; undefined where the reply is one JSON text. */
export function framesOf(headers: UpstreamFailure['headers']): SseReader | undefined {
  return isJson(headers) ? undefined : new SseReader();
}

/** Some providers answer a streamed call with a whole reply. Any other content type is read as events. */
function isJson({ 'content-type': type }: UpstreamFailure['headers']): boolean {
  return typeof type === 'string' && type.toLowerCase().startsWith('application/json');
}
