// Goal: what is the base64 of a text is told from bytes, wherever its characters are cut, and bytes cost one step only.
// Method: random texts long enough for several steps, with lines or without; bytes; steps are counted.
import fc from 'fast-check';
import { decodedText, isCipher } from './ciphers.js';

/** To the end, in one go: what came of it, and in how many steps. */
function run<Result>(steps: Generator<undefined, Result, undefined>): { result: Result; count: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { result: step.value, count };
  }
}

const base64 = (text: string | Buffer): string => Buffer.from(text as string).toString('base64');

it('decodes any text, in one row or in lines, standard or for URLs', () => {
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
])('takes %s for no text', (_, given) => {
  const { result, count } = run(decodedText(given));
  expect([result, count]).toEqual([undefined, 1]);
});

it('looks at a long one in steps', () => {
  const long = base64('a text '.repeat(200_000));
  expect(run(decodedText(long)).count).toBe(Math.ceil(long.length / 65_536) + 1);
  expect(run(isCipher(long))).toEqual({ result: true, count: Math.ceil(long.length / 65_536) + 1 });
});

it.each<[string, boolean]>([
  ['QUJD'.repeat(16), true],
  ['QUJD'.repeat(15), false],
  [`${'QUJD'.repeat(16)}.`, false],
  [`${'QUJD'.repeat(50_000)} `, false],
])('knows what can say nothing', (given, expected) => {
  expect(run(isCipher(given)).result).toBe(expected);
});
