/** Pixels, as the image's own header has them. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The header of PNG, GIF or WebP fits into so many bytes; a GIF's first frame follows its table of colours. */
const HEAD_BYTES = 32;
/** Segments of a JPEG before its size: profiles and previews come in pieces of 64 KiB. Chosen far above any. */
const JPEG_SEGMENTS_MAX = 1_024;
/** Extensions of a GIF before its first frame, and pieces of each. Chosen. */
const GIF_BLOCKS_MAX = 1_024;

/**
 * The size of an image from its base64: PNG, JPEG, GIF, WebP, distinguished by their bytes and not by their names.
 * Decodes only the few bytes of the header. Undefined for other formats and for malformed images.
 */
export function readImageSize(base64: string): ImageSize | undefined {
  const head = decodeAt(base64, 0, HEAD_BYTES);
  const size = readPng(head) ?? readWebp(head) ?? readGif(base64, head) ?? readJpeg(base64, head);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** `length` decoded bytes from `offset` on; fewer at the end, or where the text is not base64. */
function decodeAt(base64: string, offset: number, length: number): Buffer {
  const group = Math.floor(offset / 3);
  const text = base64.slice(group * 4, Math.ceil((offset + length) / 3) * 4);
  // The decoder skips characters that are not base64, which would shift everything after them.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return Buffer.alloc(0);
  return Buffer.from(text, 'base64').subarray(offset - group * 3, offset - group * 3 + length);
}

function readPng(head: Buffer): ImageSize | undefined {
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47 || head.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function readWebp(head: Buffer): ImageSize | undefined {
  if (head.length < 30 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** The first frame may be larger than the screen, and then readers show the frame. */
function readGif(base64: string, head: Buffer): ImageSize | undefined {
  if (head.length < 13 || head.toString('latin1', 0, 4) !== 'GIF8') return undefined;
  const flags = head[10]!;
  let offset = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  for (let blocks = 0; blocks < GIF_BLOCKS_MAX; blocks++) {
    const block = decodeAt(base64, offset, 10);
    if (block.length < 3) return undefined;
    if (block[0] === 0x2c && block.length === 10) {
      return {
        width: Math.max(head.readUInt16LE(6), block.readUInt16LE(1) + block.readUInt16LE(5)),
        height: Math.max(head.readUInt16LE(8), block.readUInt16LE(3) + block.readUInt16LE(7)),
      };
    }
    // An extension is its kind and pieces, each after its length. The next turn finds the next piece, or the end.
    if (block[0] !== 0x21) return undefined;
    offset += 2;
    for (let piece = block[2]!; piece !== 0; blocks++) {
      offset += piece + 1;
      const [next] = decodeAt(base64, offset, 1);
      if (next === undefined || blocks >= GIF_BLOCKS_MAX) return undefined;
      piece = next;
    }
    offset++;
  }
  return undefined;
}

function readJpeg(base64: string, head: Buffer): ImageSize | undefined {
  if (head.length < 4 || head[0] !== 0xff || head[1] !== 0xd8) return undefined;
  let offset = 2;
  for (let segments = 0; segments < JPEG_SEGMENTS_MAX; segments++) {
    const segment = decodeAt(base64, offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1]!;
    if (isFrame(marker)) return { width: segment.readUInt16BE(7), height: segment.readUInt16BE(5) };
    // Markers without a segment: fill bytes, restarts. Image data before a size: not a valid JPEG.
    if (marker === 0xff) offset += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else offset += 2 + segment.readUInt16BE(2);
  }
  return undefined;
}

/** SOF0 to SOF15; three of these numbers are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
