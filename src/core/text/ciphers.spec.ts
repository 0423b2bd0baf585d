// Base64 of text is distinguished from base64 of bytes, for any split, and bytes cost only one step. Random texts long
// enough for several steps, with or without lines; bytes; steps are counted.
import fc from 'fast-check';
import { decodedText, isCipher } from './ciphers.js';

/** Runs to the end: the result, and the number of steps. */
function run<Result>(steps: Generator<undefined, Result, undefined>): { result: Result; count: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { result: step.value, count };
  }
}

const base64 = (text: string | Buffer): string => Buffer.from(text as string).toString('base64');

it('decodes any text, in one line or several, standard or for URLs', () => {
  const unit = fc.constantFrom('a', 'é', '漢', '😀', '\n', '?', '~');
  const text = fc
    .tuple(fc.string({ unit, minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 6_000 }))
    .map(([piece, times]) => piece.repeat(times));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 100 }), (written, line) => {
      const row = base64(written);
      const lines = row.replace(new RegExp(`.{${line}}`, 'g'), '$&\r\n');
      const forUrls = Buffer.from(written).toString('base64url');
      for (const one of [row, lines, forUrls]) expect(run(decodedText(one)).result === written).toBe(true);
    }),
    { numRuns: 60, seed: 1 },
  );
});

it.each<[string, string]>([
  ['an image', base64(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(1e6, 7)]))],
  ['half a character', base64(Buffer.concat([Buffer.alloc(1_000, 'a'), Buffer.from([0xc3])]))],
  ['control characters', base64(`a${'\0'.repeat(1_000)}`)],
  ['words', 'these are words, and no base64. '.repeat(100_000)],
])('does not treat %s as text', (_, given) => {
  const { result, count } = run(decodedText(given));
  expect([result, count]).toEqual([undefined, 1]);
});

it('checks a long one in steps', () => {
  const long = base64('a text '.repeat(200_000));
  expect(run(decodedText(long)).count).toBe(Math.ceil(long.length / 65_536) + 1);
  expect(run(isCipher(long))).toEqual({ result: true, count: Math.ceil(long.length / 65_536) + 1 });
});

it.each<[string, boolean]>([
  ['QUJD'.repeat(16), true],
  ['QUJD'.repeat(15), false],
  [`${'QUJD'.repeat(16)}.`, false],
  [`${'QUJD'.repeat(50_000)} `, false],
])('recognises opaque data', (given, expected) => {
  expect(run(isCipher(given)).result).toBe(expected);
});
