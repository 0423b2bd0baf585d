/** The scan counts the structure outside of strings, for any strides. A property against JSON itself. */
import fc from 'fast-check';
import { JsonScan } from './json-scan.js';

function scanned(text: string, stride: number): Pick<JsonScan, 'keys' | 'hasLongNumber'> {
  const scan = new JsonScan(Buffer.from(text));
  while (scan.walk(stride));
  return { keys: scan.keys, hasLongNumber: scan.hasLongNumber };
}

describe('JsonScan', () => {
  it('counts the same in strides of any length', () => {
    const stringUnit = fc.constantFrom(...'"\\\\,:[{é', ...'a'.repeat(60));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit }), fc.integer({ min: 1, max: 80 }), (value, stride) => {
        const text = JSON.stringify({ value });
        expect(scanned(text, stride)).toEqual(scanned(text, text.length));
        expect(scanned(text, stride).keys).toBe(
          text.match(/"(?:[^"\\]|\\.)*":?/g)!.filter((token) => token.endsWith(':')).length,
        );
      }),
      { numRuns: 300 },
    );
  });

  it('ends at an end inside of a string or an escape', () => {
    for (const text of ['"abc', `"${'a'.repeat(99)}`, '"a\\', `{"a":"${'b'.repeat(40)}\\"`]) {
      for (const stride of [1, 3, 1000]) expect(() => scanned(text, stride)).not.toThrow();
    }
  });
});
