/**
 * Base64 encoded incrementally equals that of all bytes for any chunks, and is printed like any string, without a copy.
 * Properties over sizes and chunks, and bodies with such a text.
 */
import fc from 'fast-check';
import { Base64Builder, base64Length, Base64Text } from './base64-text.js';
import { printJson, weigh } from './json.js';
import { printInPieces } from './print-in-pieces.js';
import { printInSlices } from './print-in-slices.js';

function built(bytes: Buffer, cut: number): Base64Text {
  const builder = new Base64Builder();
  for (let start = 0; start < bytes.length; start += cut) builder.push(bytes.subarray(start, start + cut));
  expect(builder.bytes).toBe(bytes.length);
  return builder.finish();
}

const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 7919) & 0xff));

it('is the base64 of all bytes, for any chunks', () => {
  const piece = 46_080;
  const sizes = fc.oneof(fc.nat(20), fc.integer({ min: piece - 3, max: piece + 3 }), fc.nat(3 * piece));
  fc.assert(
    fc.property(
      sizes,
      fc.oneof(
        fc.integer({ min: 1, max: 9 }),
        fc.nat(90_000).map((n) => n + 1),
      ),
      (length, cut) => {
        const text = built(noise(length), cut);
        expect(text.toString() === noise(length).toString('base64')).toBe(true);
        expect([text.length, base64Length(length)]).toEqual([text.toString().length, text.length]);
      },
    ),
    { numRuns: 60 },
  );
});

it('retains no chunks', () => {
  const chunk = Buffer.from('abc');
  const builder = new Base64Builder();
  builder.push(chunk);
  chunk.fill('x');
  expect(builder.finish().toString()).toBe('YWJj');
});

it.each([0, 1, 100, 46_080, 2_000_000])('prints like the text it represents, of %i bytes', async (length) => {
  const text = built(noise(length), 65_536).after('data:a/b;base64,');
  const lone = { before: 'é"', file: text, list: [text, 1, 'z'] };
  const expected = printJson({ before: 'é"', file: text.toString(), list: [text.toString(), 1, 'z'] });
  expect(printJson(lone) === expected).toBe(true);
  expect(
    Buffer.concat([...printInPieces(lone, 1_000)].map((piece) => Buffer.from(piece))).toString() === expected,
  ).toBe(true);
  expect(Buffer.concat(await printInSlices(lone)).toString() === expected).toBe(true);
  expect(weigh(lone, Infinity)).toBeGreaterThanOrEqual(2 * text.length);
  expect(weigh(lone, Infinity)).toBeLessThan(2 * text.length + 200);
});

it('shares its pieces with every body that contains it', async () => {
  const text = built(noise(200_000), 65_536);
  const shared = async () => (await printInSlices({ file: text.after('a') })).filter((part) => part.length === 61_440);
  const [first, second] = [await shared(), await shared()];
  expect(first.length).toBe(4);
  expect(first.every((part, index) => part === second[index])).toBe(true);
});
