import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** Cells of a side. Each row is one byte, with one bit a cell, and is mirrored. */
const CELLS = 8;
/** Pixels of a cell's side: with one bit a pixel, a byte. */
const CELL_PIXELS = 8;
const SIDE = CELLS * CELL_PIXELS;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/**
 * One bit a pixel and two colours from a palette; the standard's only methods of compression and filtering, and no
 * interlacing.
 */
const FORM = [1, 3, 0, 0, 0];

/**
 * A pattern of 64 × 64 pixels in two colours, derived from a text alone: a PNG (www.w3.org/TR/png-3), in base64. Equal
 * texts have equal bytes.
 */
export function drawPicture(text: string): string {
  const digest = createHash('sha256').update(text).digest();
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set(FORM, 8);
  const palette = Buffer.concat([digest.subarray(0, 3), digest.subarray(3, 6).map((byte) => byte | 0x80)]);
  const picture = Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    // Stored without compression: releases of the library may compress differently.
    chunk('IDAT', deflateSync(pixelsOf(digest.subarray(6)), { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return picture.toString('base64');
}

/** Rows of pixels. The first byte of each row means that it is not filtered. */
function pixelsOf(bits: Uint8Array): Buffer {
  const rows = Buffer.alloc(SIDE * (CELLS + 1));
  for (let y = 0; y < SIDE; y++) {
    const cells = bits[Math.floor(y / CELL_PIXELS)]!;
    for (let x = 0; x < CELLS; x++) {
      const bit = x < CELLS / 2 ? x : CELLS - 1 - x;
      rows[y * (CELLS + 1) + 1 + x] = ((cells >> bit) & 1) === 1 ? 0xff : 0;
    }
  }
  return rows;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
