// Goal: positions in UTF-8 become positions in UTF-16. Method: a property over any text and any two of its characters.
import fc from 'fast-check';
import { ByteOffsets } from './byte-offsets.js';

it('finds any part of whole characters, and none of half ones', () => {
  const characters = fc.array(fc.constantFrom('a', 'é', '京', '🌊', '“', '\n'));
  fc.assert(
    fc.property(characters, fc.nat(), fc.nat(), fc.nat({ max: 1_030 }), (rest, one, other, before) => {
      // Moves the character relative to the recorded position: before it, after it or across it.
      const all = [...'é'.repeat(before), ...rest];
      const [from = 0, to = 0] = [one % (all.length + 1), other % (all.length + 1)].sort((a, b) => a - b);
      const text = all.join('');
      const startByte = Buffer.byteLength(all.slice(0, from).join(''));
      const words = all.slice(from, to).join('');
      const range = new ByteOffsets(text).find(startByte, startByte + Buffer.byteLength(words), undefined);
      expect(range && text.slice(range.start, range.end)).toBe(words === '' ? undefined : words);
    }),
  );
  expect(new ByteOffsets('é!').find(1, 2, undefined)).toBeUndefined();
  expect(new ByteOffsets('ab').find(0, 3, undefined)).toBeUndefined();
  expect(new ByteOffsets('ab').find(0.5, 2, undefined)).toBeUndefined();
});

it('needs little more memory than the text has', () => {
  const text = 'é'.repeat(1_000_000);
  const before = process.memoryUsage();
  const offsets = new ByteOffsets(text);
  const after = process.memoryUsage();
  expect(offsets.find(1_999_998, 2_000_000, undefined)).toEqual({ start: 999_999, end: 1_000_000 });
  const grown = after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers;
  expect(grown).toBeLessThan(10_000_000);
});
