// Goal: the sandbox generates real images, equal for equal texts. Method: the format read back, by its standard.
import { crc32, inflateSync } from 'node:zlib';
import { readImageSize } from '../../../core/money/image-size.js';
import { drawPicture } from './picture.js';

it('is a PNG whose chunks are whole', () => {
  const data = drawPicture('a boat');
  const bytes = Buffer.from(data, 'base64');
  expect(readImageSize(data)).toEqual({ width: 64, height: 64 });
  const types: string[] = [];
  let pixels = Buffer.alloc(0);
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 4, at + 8 + length);
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    types.push(body.toString('latin1', 0, 4));
    if (types.at(-1) === 'IDAT') pixels = inflateSync(body.subarray(4));
    at += length + 12;
  }
  expect(types).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
  expect(pixels).toHaveLength(64 * 9);
});

it('is decided by the words alone', () => {
  expect(drawPicture('a boat')).toBe(drawPicture('a boat'));
  expect(drawPicture('a boat')).not.toBe(drawPicture('a goat'));
});
