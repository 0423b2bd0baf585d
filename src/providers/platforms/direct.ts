import { ProviderFault } from '../../core/errors.js';
import type { CallContext, CallHeaders, Platform } from '../../core/platform.js';
import type { UpstreamFailure } from '../../core/provider.js';
import type { Secret } from '../../core/secret.js';
import { SseReader } from '../../core/stream/sse.js';

/** Printable ASCII without blanks: what every provider's keys are made of, and what a header carries unharmed. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;
const NO_HEADERS: CallHeaders = {};

/**
 * The vendor's own address: the dialect's path behind the base URL, one header with the key, server-sent events or
 * JSON.
 */
export const direct: Platform = {
  address: ({ target }, { path }) => target.endpoint.provider.baseUrl + path,
  authorise: authoriseByKey,
  frames: framesOf,
};

/**
 * The one header with the key, by the scheme of the provider.
 * @throws ProviderFault `refused-credential` when there is none though the scheme wants one, or a header cannot carry
 * it. The message never holds the value.
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

/** @param token that a header can carry */
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
 * A key that stands in a credential, likewise.
 * @throws ProviderFault `refused-credential`
 */
export function headerSafe(value: string): string {
  if (!HEADER_SAFE.test(value)) throw unsafe();
  return value;
}

const unsafe = (): ProviderFault =>
  new ProviderFault('refused-credential', 'The credential contains characters that no HTTP header can carry.');

/** Server-sent events, where the reply is not one JSON text. */
export function framesOf(headers: UpstreamFailure['headers']): SseReader | undefined {
  return isJson(headers) ? undefined : new SseReader();
}

/** Some upstreams answer a streamed call with a whole reply; anything that is not called JSON is read as events. */
function isJson({ 'content-type': type }: UpstreamFailure['headers']): boolean {
  return typeof type === 'string' && type.toLowerCase().startsWith('application/json');
}
