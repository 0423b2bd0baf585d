import { ExtensionFault } from '../../core/extension.js';

/** Bytes in which a page names its encoding (https://html.spec.whatwg.org/#determining-the-character-encoding). */
const PRESCAN_BYTES = 1024;
const NAMED = [
  /<meta[^>]{0,512}?charset\s*=\s*["']?\s*([\w.:+-]+)/i,
  /^<\?xml[^>]{0,256}?encoding\s*=\s*["']([\w.:+-]+)/i,
];
/** The last resort of browsers: all bytes are valid in it. */
const ANY = 'windows-1252';
const MARKS: readonly (readonly [string, string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/**
 * Decodes a text by the first encoding in which it is valid: of its byte order mark, of the server, of its own
 * declaration, UTF-8.
 * @throws ExtensionFault for what is no text
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PRESCAN_BYTES)).toString('latin1');
  const marked = MARKS.find(([mark]) => start.startsWith(mark))?.[1];
  const named = NAMED.map((pattern) => pattern.exec(start)?.[1]);
  for (const label of [marked, charset, ...named, 'utf-8', ANY]) {
    const text = label === undefined ? undefined : decodeAs(label, bytes);
    if (text === undefined) continue;
    if (text.includes('\0')) break;
    return text;
  }
  throw new ExtensionFault('unsupported', 'is no text');
}

/** @returns undefined for an unknown encoding, or bytes that are invalid in it */
function decodeAs(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
