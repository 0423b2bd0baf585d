/**
 * What a dialect may set on a call. Headers cross by this list alone: nothing of the caller's request travels because it was
 * there (DESIGN 12).
 */
const DIALECT_HEADERS = new Set(['accept', 'content-type', 'anthropic-beta', 'anthropic-version']);

/** Compressed streams are held back until a block is full, and cost time on both sides. */
const FIXED_HEADERS = { 'accept-encoding': 'identity', 'user-agent': 'fairlead/1.0' };

/** The headers of a call to a provider: those of the dialect that the list allows, our own, and the credential's. */
export function outgoingHeaders(
  dialectHeaders: Readonly<Record<string, string>>,
  credentialHeaders: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...FIXED_HEADERS };
  for (const name of Object.keys(dialectHeaders)) {
    if (DIALECT_HEADERS.has(name)) headers[name] = dialectHeaders[name]!;
  }
  return Object.assign(headers, credentialHeaders);
}
