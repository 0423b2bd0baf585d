// Each built-in filter takes time linear in the text, however hostile: measured on a megabyte of each hostile kind.
import { findWithFilter as find } from '../../test/support/find-with-filter.js';
import { computedMs, fastest } from '../../test/support/cpu-time.js';
import { BUILTIN_SLUGS } from './builtin-filters.js';

describe('a hostile megabyte', () => {
  const of = (unit: string): string => unit.repeat(Math.ceil(1e6 / unit.length)).slice(0, 1e6);
  /** On a quiet machine each takes less than 200; anything that is not linear would take hours. */
  const MS_MAX = 1_000;

  it.each([
    ['letters', of('a')],
    ['capitals', of('A')],
    ['digits', of('0')],
    ['fours apart', of('4 ')],
    ['digits apart', of('1-')],
    ['fours far apart', of('4  - ')],
    ['groups far apart', of('4111 -  1111\t1111 _')],
    ['telephone numbers far apart', of('415 -  555  /')],
    ['signs', of('@')],
    ['signs apart', of('a@')],
    ['half addresses of mail', of(`${'a'.repeat(64)}@${'b'.repeat(63)}.`)],
    ['labels without end', of('a@a.a.a.a.a.a.a.a.')],
    ['pluses', of('+')],
    ['halves of telephone numbers', of('+1 2 3 4 5 6 7 8 9 0 1 2 3 4 x')],
    ['dots', of('1.')],
    ['colons', of('1:')],
    ['colons alone', of(':')],
    ['blanks', of(' ')],
    ['line ends', of('\n#')],
    ['half an override', of('ignore all all all all all previous prior ')],
    ['half an extraction', of('show me me the the your your ')],
    ['names without end', of('John ')],
    ['titles without end', of('Dr. X. ')],
    ['streets without end', of('1 A A A A A A ')],
    ['prose', of('The quick brown Fox 12 jumps over the lazy Dog, and writes to nobody at all. ')],
  ])('%s', async (_, text) => {
    for (const slug of BUILTIN_SLUGS) {
      const took = await fastest(() => computedMs(() => void find(slug, text)), MS_MAX);
      expect([slug, took < MS_MAX]).toEqual([slug, true]);
    }
  });
});
