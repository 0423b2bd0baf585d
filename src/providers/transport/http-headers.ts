import { FUSION_DEPTH_HEADER } from '../../core/fusion-depth.js';
import type { CallHeaders } from '../../core/platform.js';

/**
 * Headers that a dialect may set on a call. Only listed headers are sent: none passes through because the caller's
 * request has it (docs/contribute/threat-model.md#addresses-and-credentials).
 */
const DIALECT_HEADERS = new Set(['accept', 'content-type', 'anthropic-beta', 'anthropic-version']);

/**
 * Headers that describe the connection and the message's length. The transport sets them; a platform only signs some.
 */
const TRANSPORT_HEADERS = new Set([
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect',
]); // oxfmt-ignore

/** Whether only the transport may set this header. */
export const isTransportHeader = (name: string): boolean => TRANSPORT_HEADERS.has(name.toLowerCase());

/**
 * The headers of a call to a provider before it is authorised: the permitted ones of the dialect, and the gateway's
 * own.
 * @param fusionDepth of the request, for providers that are gateways
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

/**
 * Adds the header by which the provider continues the gateway's trace. The ids are generated. It is not signed, because
 * proxies change it.
 */
export function addTrace(headers: Record<string, string>, traceparent: string): void {
  headers['traceparent'] = traceparent;
}

/** Adds the headers that authorise a call. */
export function addAuthorisation(headers: Record<string, string>, authorisation: CallHeaders): void {
  for (const name of Object.keys(authorisation)) {
    if (!TRANSPORT_HEADERS.has(name)) headers[name] = authorisation[name]!;
  }
}
