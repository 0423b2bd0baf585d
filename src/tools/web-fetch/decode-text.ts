import { ExtensionFault } from '../../core/extension.js';

/** Where a page names its encoding, in bytes (https://html.spec.whatwg.org/#determining-the-character-encoding). */
const PRESCAN_BYTES = 1024;
const NAMED = [
  /<meta[^>]{0,512}?charset\s*=\s*["']?\s*([\w.:+-]+)/i,
  /^<\?xml[^>]{0,256}?encoding\s*=\s*["']([\w.:+-]+)/i,
];
/** What any bytes are a text in: the last resort of browsers. */
const ANY = 'windows-1252';
const MARKS: readonly (readonly [string, string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/**
 * The text of bytes: in the encoding that they begin with, or that the server names, or that they name themselves, or
 * UTF-8: the first of these that they are valid in.
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

/** @returns undefined where there is no such encoding, or the bytes are not in it */
function decodeAs(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
