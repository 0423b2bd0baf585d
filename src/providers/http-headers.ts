/** Response headers as undici gives them: lower-case names. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

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

/** One response header by its lower-case name; the first, where it came several times. */
export function firstHeader(headers: ResponseHeaders, name: string): string | undefined {
  if (!Object.hasOwn(headers, name)) return undefined;
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** A hint beyond a day is a mistake or an attack on our patience; it counts as a day. */
const RETRY_AFTER_MAX_MS = 86_400_000;

/**
 * How long the provider asked to wait, in milliseconds, at most a day: `retry-after-ms`, else `retry-after` in seconds or as a
 * date, which is read against the response's own `date` so that clocks need not agree.
 * @returns undefined when it did not say, or nothing that can be understood
 */
export function retryAfterMs(headers: ResponseHeaders): number | undefined {
  const milliseconds = readDecimal(firstHeader(headers, 'retry-after-ms'));
  if (milliseconds !== undefined) return clamp(milliseconds);
  const text = firstHeader(headers, 'retry-after');
  const seconds = readDecimal(text);
  if (seconds !== undefined) return clamp(seconds * 1000);
  const until = Date.parse(text ?? '');
  const now = Date.parse(firstHeader(headers, 'date') ?? '');
  return Number.isNaN(until) || Number.isNaN(now) ? undefined : clamp(until - now);
}

function readDecimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : undefined;
}

function clamp(milliseconds: number): number {
  return Math.min(Math.max(Math.ceil(milliseconds), 0), RETRY_AFTER_MAX_MS);
}
