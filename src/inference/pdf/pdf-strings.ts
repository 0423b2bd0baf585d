const OPEN = 0x28;
const CLOSE = 0x29;
const BACKSLASH = 0x5c;
const LESS = 0x3c;
const GREATER = 0x3e;

/**
 * Bytes of all strings of a PDF, `(…)` and `<…>`. Never too few: everything that looks like a string counts, also in
 * comments and pictures.
 */
export function countStringBytes(bytes: Buffer): number {
  let count = 0;
  let depth = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if (depth > 0) {
      if (byte === BACKSLASH) index++;
      else if (byte === OPEN) depth++;
      else if (byte === CLOSE) depth--;
      count++;
    } else if (byte === OPEN) depth = 1;
    else if (byte === LESS) {
      // Two of them begin a dictionary.
      if (bytes[index + 1] === LESS) index++;
      else {
        const end = bytes.indexOf(GREATER, index);
        const to = end === -1 ? bytes.length : end;
        count += Math.ceil((to - index) / 2);
        index = to;
      }
    }
  }
  return count;
}
