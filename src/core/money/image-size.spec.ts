// Headers of every format at random sizes, real images of one pixel, malformed, cut and disguised images, and a large
// one against the clock: the size is read as readers see it, or not at all, without reading the whole image.
import fc from 'fast-check';
import { gif, jpeg, png, webp } from '../../../test/support/images.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { readImageSize } from './image-size.js';

const sizeOf = (bytes: Buffer): ReturnType<typeof readImageSize> => readImageSize(bytes.toString('base64'));
const side = fc.integer({ min: 1, max: 16_383 });

it.each<[string, (width: number, height: number) => Buffer]>([
  ['PNG', png],
  ['JPEG', jpeg],
  ['progressive JPEG', (width, height) => jpeg(width, height, [16], 0xc2)],
  ['JPEG behind profiles', (width, height) => jpeg(width, height, [65_533, 65_533, 1, 2, 3])],
  ['GIF', gif],
  ['lossy WebP', (width, height) => webp(width, height, 'VP8 ')],
  ['lossless WebP', (width, height) => webp(width, height, 'VP8L')],
  ['extended WebP', (width, height) => webp(width, height, 'VP8X')],
])('reads the size of a %s', (_, make) => {
  fc.assert(
    fc.property(side, side, (width, height) => {
      expect(sizeOf(make(width, height))).toEqual({ width, height });
    }),
  );
});

it.each([
  ['PNG', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='],
  ['GIF', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'],
  ['WebP', 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'],
])('reads a real %s of one pixel', (_, base64) => {
  expect(readImageSize(base64)).toEqual({ width: 1, height: 1 });
});

it('uses the frame of a GIF where it is larger than the screen, as readers do', () => {
  expect(sizeOf(gif(1, 1, { left: 10, top: 20, width: 8_000, height: 7_000 }))).toEqual({
    width: 8_010,
    height: 7_020,
  });
});

it.each<[string, string]>([
  ['nothing', ''],
  ['a file that is not an image', Buffer.from('%PDF-1.7 and so on, long enough to hold a header').toString('base64')],
  ['a picture of zero width', png(0, 5).toString('base64')],
  ['a PNG cut before its size', png(5, 5).subarray(0, 20).toString('base64')],
  ['a PNG without a header chunk', Buffer.from(png(5, 5)).fill('x', 12, 16).toString('base64')],
  ['a JPEG cut before its size', jpeg(5, 5, [300]).subarray(0, 100).toString('base64')],
  ['a JPEG whose picture begins without a size', jpeg(5, 5, [], 0xda).toString('base64')],
  ['a JPEG of meaningless bytes', Buffer.concat([jpeg(5, 5).subarray(0, 2), Buffer.alloc(50)]).toString('base64')],
  ['a GIF without a frame', gif(5, 5).subarray(0, 25).toString('base64')],
  [
    'a WebP of unknown kind',
    Buffer.from(webp(5, 5, 'VP8X'))
      .fill('VP9 ', 12, 16)
      .toString('base64'),
  ],
  ['base64 in lines', png(5, 5).toString('base64').replace(/^.{8}/, '$&\n')],
  ['invalid base64', '!'.repeat(100)],
  ['a data URL', `data:image/png;base64,${png(5, 5).toString('base64')}`],
])('returns undefined for %s', (_, base64) => {
  expect(readImageSize(base64)).toBeUndefined();
});

it('never throws, and returns whole numbers', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    ...[png(3, 4), jpeg(3, 4), gif(3, 4), webp(3, 4, 'VP8L')].map((image) =>
      fc
        .uint8Array({ maxLength: 100 })
        .chain((noise) =>
          fc.nat(image.length).map((at) => Buffer.concat([image.subarray(0, at), noise, image.subarray(at)])),
        ),
    ),
  );
  fc.assert(
    fc.property(bytes, (data) => {
      const size = sizeOf(Buffer.from(data));
      expect(size === undefined || (Number.isInteger(size.width) && Number.isInteger(size.height))).toBe(true);
    }),
  );
});

it('reads only a few bytes of a large image', async () => {
  const base64 = Buffer.concat([jpeg(30, 40, Array(200).fill(65_533)), Buffer.alloc(8_000_000)]).toString('base64');
  const once = (): void => expect(readImageSize(base64)).toEqual({ width: 30, height: 40 });
  // Decoding the whole takes ten times as long.
  const boundMs = 3;
  expect(await fastest(() => computedMs(once), boundMs)).toBeLessThan(boundMs);
});
