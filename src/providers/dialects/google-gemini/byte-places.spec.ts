// Goal: bytes of UTF-8 are found as units of UTF-16. Method: a property over any text and any two of its characters.
import fc from 'fast-check';
import { BytePlaces } from './byte-places.js';

it('finds any part of whole characters, and none of half ones', () => {
  const characters = fc.array(fc.constantFrom('a', 'é', '京', '🌊', '“', '\n'));
  fc.assert(
    fc.property(characters, fc.nat(), fc.nat(), (all, one, other) => {
      const [from = 0, to = 0] = [one % (all.length + 1), other % (all.length + 1)].sort((a, b) => a - b);
      const text = all.join('');
      const startByte = Buffer.byteLength(all.slice(0, from).join(''));
      const words = all.slice(from, to).join('');
      const place = new BytePlaces(text).find(startByte, startByte + Buffer.byteLength(words), undefined);
      expect(place && text.slice(place.start, place.end)).toBe(words === '' ? undefined : words);
    }),
  );
  expect(new BytePlaces('é!').find(1, 2, undefined)).toBeUndefined();
  expect(new BytePlaces('ab').find(0, 3, undefined)).toBeUndefined();
});
