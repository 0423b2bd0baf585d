/** How files of a kind begin. Kinds with a signature are believed by it alone, whatever their headers say. */
const SIGNATURES: readonly { readonly mediaType: string; readonly at: number; readonly bytes: string }[] = [
  { mediaType: 'image/png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { mediaType: 'image/jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { mediaType: 'image/gif', at: 0, bytes: 'GIF87a' },
  { mediaType: 'image/gif', at: 0, bytes: 'GIF89a' },
  { mediaType: 'image/webp', at: 8, bytes: 'WEBP' },
  { mediaType: 'application/pdf', at: 0, bytes: '%PDF-' },
];
/** Bytes from the beginning that show the kind. */
export const SIGNATURE_BYTES = Math.max(...SIGNATURES.map(({ at, bytes }) => at + bytes.length));
const SIGNED = new Set(SIGNATURES.map(({ mediaType }) => mediaType));
/** Headers that claim nothing. */
const UNDECLARED = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const ALIASES: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg', 'application/x-pdf': 'application/pdf' };

/** Whether a media type is among those accepted, of which `text/*` is all of its kind. */
function isAccepted(mediaType: string, accept: readonly string[]): boolean {
  return accept.includes(mediaType) || accept.includes(mediaType.replace(/\/.*/, '/*'));
}

/** The kind of file that the first bytes show, undefined when none of those known here. */
export function sniffMediaType(bytes: Buffer): string | undefined {
  const found = SIGNATURES.find(
    ({ at, bytes: signature }) => bytes.toString('latin1', at, at + signature.length) === signature,
  );
  if (found?.mediaType === 'image/webp' && bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  return found?.mediaType;
}

/**
 * The media type of fetched bytes, of which the first are enough, when bytes and `content-type` header agree that it is
 * an accepted one: kinds with a known signature must show it, and the header may not name a kind that is not accepted.
 */
export function acceptedMediaType(bytes: Buffer, contentType: string, accept: readonly string[]): string | undefined {
  const named = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const declared = Object.hasOwn(ALIASES, named) ? ALIASES[named]! : named;
  if (!UNDECLARED.has(declared) && !isAccepted(declared, accept)) return undefined;
  const shown = sniffMediaType(bytes);
  if (shown !== undefined) return isAccepted(shown, accept) ? shown : undefined;
  return UNDECLARED.has(declared) || SIGNED.has(declared) ? undefined : declared;
}
