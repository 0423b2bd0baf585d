import type { Request } from 'express';
import { GatewayError } from '../../core/errors.js';

/** A host that can be shown: a name or an address, with or without a port. */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address under which the caller reached this gateway, as `https://host:port`; by the headers of trusted proxies.
 * Empty where the request names no valid host.
 */
export function baseUrlOf(request: Request): string {
  const { protocol, host } = request;
  return HOST.test(host) ? `${protocol}://${host}` : '';
}

/** Returns the error with the full URL of the documentation, if it names a page. */
export function withDocsAddress(error: GatewayError, request: Request): GatewayError {
  const { availability } = error.detail;
  if (typeof availability?.['docs_url'] !== 'string') return error;
  const absolute = { ...availability, docs_url: baseUrlOf(request) + availability['docs_url'] };
  return new GatewayError(error.kind, error.message, { ...error.detail, availability: absolute }, { cause: error });
}
