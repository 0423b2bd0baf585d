// Goal: patterns of administrators are compiled or refused by reason, find in long texts what they find in short
// ones, and never take long. Method: tables; texts around the sizes at which they are searched piece by piece;
// patterns that ruin other engines.
import { computedMs, fastest } from '../../test/support/pace.js';
import { compilePattern, PatternRefused } from './custom-pattern.js';
import { findInPieces, merged, ScanOverrun, ScanTime, type Matcher, type Span } from './scan.js';

/** To the end, in one go. */
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

  it('costs nothing where it is plain text, however long', () => {
    expect(compilePattern('x'.repeat(100_000)).size).toBe(0);
    expect(compilePattern('x.'.repeat(100)).size).toBeGreaterThan(100);
  });

  it('finds the same wherever a long text is cut', () => {
    for (let place = 14_300; place < 16_500; place += 37) {
      const text = `${'-'.repeat(place)}PRJ-1234${'-'.repeat(20_000)}`;
      expect([place, found('PRJ-\\d+', text)]).toEqual([place, ['PRJ-1234']]);
    }
  });

  it('takes no cut for an end or a beginning of the text', () => {
    const text = '7'.repeat(40_000);
    expect(found('^7|x', `a${text}`)).toEqual([]);
    expect(found('[78]x$|y', `${'7x'.repeat(20_000)}a`)).toEqual([]);
  });

  it('finds what is longer than the pieces share', () => {
    const text = `a${'7'.repeat(40_000)}b`;
    const covered = new Set<number>();
    for (const { start, end } of findAll(compilePattern('7+'), text, new ScanTime(60_000), false))
      for (let place = start; place < end; place++) covered.add(place);
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

  it('stops when the time is used up', () => {
    const slow = compilePattern('(?:a.*b)|a');
    expect(() => findAll(slow, 'a'.repeat(1e6), new ScanTime(50), false)).toThrow(ScanOverrun);
  });
});
