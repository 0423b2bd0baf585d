/** The first bytes of each type of file. A type with a signature is recognised by it alone, regardless of headers. */
const SIGNATURES: readonly { readonly mediaType: string; readonly at: number; readonly bytes: string }[] = [
  { mediaType: 'image/png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { mediaType: 'image/jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { mediaType: 'image/gif', at: 0, bytes: 'GIF87a' },
  { mediaType: 'image/gif', at: 0, bytes: 'GIF89a' },
  { mediaType: 'image/webp', at: 8, bytes: 'WEBP' },
  { mediaType: 'application/pdf', at: 0, bytes: '%PDF-' },
];
/** Number of first bytes that show the type. */
export const SIGNATURE_BYTES = Math.max(...SIGNATURES.map(({ at, bytes }) => at + bytes.length));
const SIGNED = new Set(SIGNATURES.map(({ mediaType }) => mediaType));
/** Header values that declare nothing. */
const UNDECLARED = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const ALIASES: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg', 'application/x-pdf': 'application/pdf' };

/** Whether a media type is among the accepted ones, where `text/*` matches all of its kind. */
function isAccepted(mediaType: string, accept: readonly string[]): boolean {
  return accept.includes(mediaType) || accept.includes(mediaType.replace(/\/.*/, '/*'));
}

/** The type of file shown by the first bytes; undefined when it is unknown. */
export function sniffMediaType(bytes: Buffer): string | undefined {
  const found = SIGNATURES.find(
    ({ at, bytes: signature }) => bytes.toString('latin1', at, at + signature.length) === signature,
  );
  if (found?.mediaType === 'image/webp' && bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  return found?.mediaType;
}

/**
 * The media type of fetched bytes (the first suffice), when bytes and `content-type` header agree that it is an
 * accepted one: types with a known signature must have it, and the header may not name a type that is not accepted.
 */
export function acceptedMediaType(bytes: Buffer, contentType: string, accept: readonly string[]): string | undefined {
  const named = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const declared = Object.hasOwn(ALIASES, named) ? ALIASES[named]! : named;
  if (!UNDECLARED.has(declared) && !isAccepted(declared, accept)) return undefined;
  const shown = sniffMediaType(bytes);
  if (shown !== undefined) return isAccepted(shown, accept) ? shown : undefined;
  return UNDECLARED.has(declared) || SIGNED.has(declared) ? undefined : declared;
}
