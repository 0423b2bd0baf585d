// Patterns of administrators are compiled or refused with a reason, find the same in long texts as in short ones, and
// are never slow. Tables; texts around the sizes at which they are searched piece by piece; patterns that ruin other
// engines.
import fc from 'fast-check';
import { computedMs, fastest } from '../../test/support/cpu-time.js';
import { compilePattern, PatternRefused, PROGRAM_MAX, STEP_WORK } from './custom-pattern.js';
import { findInPieces, merged, ScanOverrun, ScanTime, type Matcher, type Span } from '../core/text/scan.js';

/** Runs all steps. */
function findAll(matcher: Matcher, text: string, time: ScanTime, firstOnly: boolean): readonly Span[] {
  const steps = findInPieces(matcher, text, time, firstOnly);
  for (;;) {
    const step = steps.next();
    if (step.done) return merged(step.value);
  }
}

const found = (pattern: string, text: string, firstOnly = false): readonly string[] =>
  findAll(compilePattern(pattern), text, new ScanTime(60_000), firstOnly).map(({ start, end }) =>
    text.slice(start, end),
  );

describe('patterns', () => {
  it.each([
    ['(?=a)b', '(?='],
    ['(?!a)b', '(?!'],
    ['(?<=a)b', '(?<='],
    ['(?<!a)b', '(?<!'],
    ['(a)\\1', '\\1'],
    ['(?P<n>a)(?P=n)', '(?P'],
    ['(', 'missing closing )'],
    ['a**', '**'],
    ['[z-a]', 'z-a'],
    ['a{1001}', '1001'],
    ['(?:a{1000}){2}', ''],
    [`${'(?:a|b){1000}'.repeat(11)}`, 'repeats more than'],
    ['a*', 'empty text'],
    ['', 'empty text'],
    ['(|a)', 'empty text'],
    ['('.repeat(50_000), ''],
  ])('refuses %j', (pattern, reason) => {
    const error = (() => {
      try {
        compilePattern(pattern);
      } catch (thrown) {
        return thrown as Error;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(PatternRefused);
    expect(error?.message).toContain(reason);
  });

  it.each<[string, string, readonly string[]]>([
    ['secret', 'a secret, Secret', ['secret']],
    ['(?i)secret', 'a secret, Secret', ['secret', 'Secret']],
    ['PRJ-\\d{4}', 'PRJ-1234 PRJ-12', ['PRJ-1234']],
    ['\\bcat\\b', 'cat concatenate cat', ['cat', 'cat']],
    ['x+', 'xx x', ['xx', 'x']],
    ['é{2}', 'éé', ['éé']],
    ['😀', 'a😀b', ['😀']],
    ['😀|z', 'a😀b', ['😀']],
    ['a+?b*', 'aab', ['a', 'ab']],
  ])('%j finds in %j', (pattern, text, expected) => {
    expect(found(pattern, text)).toEqual(expected);
    expect(found(pattern, text, true)).toEqual(expected.slice(0, 1));
  });

  it('has size zero for plain text, however long', () => {
    expect(compilePattern('x'.repeat(100_000)).size).toBe(0);
    expect(compilePattern('x.'.repeat(100)).size).toBeGreaterThan(100);
  });

  it('finds the same wherever a long text is cut', () => {
    for (let index = 14_300; index < 16_500; index += 37) {
      const text = `${'-'.repeat(index)}PRJ-1234${'-'.repeat(20_000)}`;
      expect([index, found('PRJ-\\d+', text)]).toEqual([index, ['PRJ-1234']]);
    }
  });

  it('does not take a cut for an end or a beginning of the text', () => {
    const text = '7'.repeat(40_000);
    expect(found('^7|x', `a${text}`)).toEqual([]);
    expect(found('[78]x$|y', `${'7x'.repeat(20_000)}a`)).toEqual([]);
  });

  it('finds matches longer than the overlap of the pieces', () => {
    const text = `a${'7'.repeat(40_000)}b`;
    const covered = new Set<number>();
    for (const { start, end } of findAll(compilePattern('7+'), text, new ScanTime(60_000), false))
      for (let index = start; index < end; index++) covered.add(index);
    expect(covered.size).toBe(40_000);
  });

  it.each([
    ['(a+)+$x', 'a'.repeat(1e6)],
    ['(a|aa)+y|b', 'a'.repeat(1e6)],
    ['(?:a.*b)|c', 'a'.repeat(1e6)],
    ['[a-z]{0,1000}[0-9]', 'abcdefghij'.repeat(1e5)],
  ])('%s over a megabyte', async (pattern, text) => {
    const boundMs = 1_000;
    const search = (): void => {
      try {
        findAll(compilePattern(pattern), text, new ScanTime(500), false);
      } catch (error) {
        expect(error).toBeInstanceOf(ScanOverrun);
      }
    };
    expect(await fastest(() => computedMs(search), boundMs)).toBeLessThan(boundMs);
  });

  it('gets shorter pieces to search, the larger its program is', () => {
    const text = 'ab'.repeat(50_000);
    for (const length of [1, 10, 40, 100, 200, 390]) {
      const pattern = compilePattern(`[ab]{${length}}c`);
      const pieces: number[] = [];
      const find: Matcher['find'] = (piece, ...more) => {
        pieces.push(piece.length);
        return pattern.find(piece, ...more);
      };
      findAll({ ...pattern, find }, text, new ScanTime(60_000), false);
      expect(pattern.size).toBeLessThanOrEqual(PROGRAM_MAX);
      expect(Math.max(...pieces) * pattern.size).toBeLessThanOrEqual(STEP_WORK);
      // Nothing is left out.
      expect(pieces.reduce((sum, piece) => sum + piece)).toBeGreaterThanOrEqual(text.length);
    }
  });

  it('finds a match as long as the largest program, wherever a text is cut', () => {
    const wanted = `${'ab'.repeat(195)}c`;
    const pattern = compilePattern('[ab]{390}c');
    for (let index = 1; index < 1_200; index += 7) {
      const text = `${'-'.repeat(index)}${wanted}${'-'.repeat(3_000)}`;
      const spans = findAll(pattern, text, new ScanTime(60_000), false);
      expect([index, spans]).toEqual([index, [{ start: index, end: index + wanted.length }]]);
    }
  });

  it('takes one step for each match and each search of the rest', () => {
    const text = 'a'.repeat(1_000);
    const steps = findInPieces(compilePattern('(?:a.*b)|a'), text, new ScanTime(60_000), false);
    let count = 0;
    for (let step = steps.next(); !step.done; step = steps.next()) count++;
    expect(count).toBeGreaterThan(text.length);
  });

  it('finds a long plain text like a short one, in time linear in both', async () => {
    const half = 'a'.repeat(50_000);
    const wanted = `${half}b${half.slice(1)}`;
    const boundMs = 1_000;
    const search = (text: string) => findAll(compilePattern(wanted), text, new ScanTime(60_000), false);
    const once = (): number => computedMs(() => void search(half.repeat(16)));
    expect(await fastest(once, boundMs)).toBeLessThan(boundMs);
    expect(search(`${half}${wanted}${wanted}a`)).toEqual([
      { start: 50_000, end: 150_000 },
      { start: 150_000, end: 250_000 },
    ]);
  });

  it('finds any plain text at its offset', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, fc.array(letters, { maxLength: 6 }), (start, end, others) => {
        const wanted = start + 'ab'.repeat(600) + end;
        const text = others.flatMap((other) => [other, wanted.slice(other.length), wanted]).join('');
        const positions: string[] = [];
        for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
          positions.push(wanted);
        expect(found(wanted, text)).toEqual(positions);
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it('stops when the time is used up', () => {
    const slow = compilePattern('(?:a.*b)|a');
    expect(() => findAll(slow, 'a'.repeat(1e6), new ScanTime(50), false)).toThrow(ScanOverrun);
  });
});
