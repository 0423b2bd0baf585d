import { FUSION_DEPTH_HEADER } from '../core/fusion-depth.js';
import type { CallHeaders } from '../core/platform.js';

/**
 * What a dialect may set on a call. Headers cross by this list alone: nothing of the caller's request travels because
 * it was there (docs/reasons/security.md#headers-by-allow-list).
 */
const DIALECT_HEADERS = new Set(['accept', 'content-type', 'anthropic-beta', 'anthropic-version']);

/**
 * Headers that speak of the connection and the message's length. The transport sets them; a platform only signs some.
 */
const TRANSPORT_HEADERS = new Set([
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect',
]); // oxfmt-ignore

/** Whether nobody but the transport may say it, whoever wants to. */
export const isTransportHeader = (name: string): boolean => TRANSPORT_HEADERS.has(name.toLowerCase());

/**
 * The headers of a call to a provider before it is authorised: those of the dialect that the list allows, and our own.
 * @param fusionDepth of the request, which providers that are gateways are to know
 */
export function outgoingHeaders(dialectHeaders: CallHeaders, fusionDepth = 0): Record<string, string> {
  // Compressed streams are held back until a block is full, and cost time on both sides.
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'fairlead/1.0',
  };
  for (const name of Object.keys(dialectHeaders)) {
    if (DIALECT_HEADERS.has(name)) headers[name] = dialectHeaders[name]!;
  }
  if (fusionDepth > 0) headers[FUSION_DEPTH_HEADER] = String(fusionDepth);
  return headers;
}

/** Puts on a call by what its provider goes on with our trace: ids of our own making, unsigned: proxies change it. */
export function addTrace(headers: Record<string, string>, traceparent: string): void {
  headers['traceparent'] = traceparent;
}

/** Puts on a call what its platform authorises it by. */
export function addAuthorisation(headers: Record<string, string>, authorisation: CallHeaders): void {
  for (const name of Object.keys(authorisation)) {
    if (!TRANSPORT_HEADERS.has(name)) headers[name] = authorisation[name]!;
  }
}
