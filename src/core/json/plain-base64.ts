/** Characters that not every vendor takes in base64. They replace others or have no meaning. */
const FOREIGN = ['-', '_', '%', '\n', '\r', ' ', '\t'] as const;
const GROUP = 4;
const FILL = '='.charCodeAt(0);
const ASCII_CODES = 128;
/** No codes of ASCII: the character is left out, or may begin an escape. */
const NOTHING = 0xff;
const ESCAPE = 0xfe;

/** The replacement of each ASCII code. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, code) => code);
for (const space of '\n\r \t') PLAIN[space.charCodeAt(0)] = NOTHING;
PLAIN['%'.charCodeAt(0)] = ESCAPE;
PLAIN['-'.charCodeAt(0)] = '+'.charCodeAt(0);
PLAIN['_'.charCodeAt(0)] = '/'.charCodeAt(0);

const pair = (high: number, low: number): number => high * ASCII_CODES + low;
/** The code of an escape, by its two digits; 0: these are none. A flat table, because a file may be full of signs. */
const ESCAPED = new Uint8Array(ASCII_CODES * ASCII_CODES);
for (const digits of ['2B', '2F', '3D', '0A', '0D', '20'])
  for (const written of [digits, digits.toLowerCase()])
    ESCAPED[pair(written.charCodeAt(0), written.charCodeAt(1))] = PLAIN[Number.parseInt(digits, 16)]!;

/**
 * Base64 as every vendor takes it: without line breaks and escapes of an address, in the alphabet of RFC 4648,
 * section 4, with padding. Returns the same text where it needs no change, and where it is not ASCII.
 */
export function plainBase64(data: string): string {
  if (data.length % GROUP === 0 && !FOREIGN.some((character) => data.includes(character))) return data;
  if (Buffer.byteLength(data) !== data.length) return data;
  const bytes = Buffer.allocUnsafe(data.length + GROUP);
  bytes.write(data, 'latin1');
  const kept = keepPlain(bytes, data.length);
  const filled = Math.ceil(kept / GROUP) * GROUP;
  bytes.fill(FILL, kept, filled);
  return bytes.toString('latin1', 0, filled);
}

/** Writes what is kept over the bytes, in one pass: a file has many millions. @returns how many bytes are kept */
function keepPlain(bytes: Buffer, length: number): number {
  let kept = 0;
  for (let index = 0; index < length; index++) {
    let plain = PLAIN[bytes[index]!]!;
    if (plain === ESCAPE) {
      const escaped = index + 2 < length ? ESCAPED[pair(bytes[index + 1]!, bytes[index + 2]!)]! : 0;
      if (escaped === 0) plain = bytes[index]!;
      else {
        plain = escaped;
        index += 2;
      }
    }
    if (plain !== NOTHING) bytes[kept++] = plain;
  }
  return kept;
}
