/**
 * A row is printed byte for byte as by `JSON.stringify`, except that characters which the database refuses are
 * replaced. Checked with random texts in every field that callers and providers fill, and every escape of refused
 * characters.
 */
import fc from 'fast-check';
import { generationRow } from '../../test/http/generation-rows.js';
import type { GenerationRow } from './generations/generation-row.js';
import { printGeneration } from './ledger.repository.js';

const OWNER = { account_id: 'account', workspace_id: 'workspace', key_hash: 'hash' };
const rowWith = (changes: Partial<GenerationRow>): GenerationRow =>
  generationRow(OWNER, { id: 'gen-1769903999-x', held_at: '2026-01-31T23:59:59.999Z', ...changes });
const read = (text: string): GenerationRow => JSON.parse(text) as GenerationRow;

/** The replacement: U+FFFD. */
const R = '\ufffd';

describe('printGeneration', () => {
  it.each<[string, string, string]>([
    ['NUL', 'a\0b', `a${R}b`],
    ['every NUL', '\0\0', R + R],
    ['a high surrogate alone', 'a\ud800b', `a${R}b`],
    ['a high surrogate at the end', 'a\udbff', `a${R}`],
    ['a low surrogate alone', '\udc00b', `${R}b`],
    ['the last of them', '\udfff', R],
    ['halves in the wrong order', '\udc00\ud800', R + R],
    ['a half before a pair', '\ud83d\ud83d\ude00', `${R}\ud83d\ude00`],
  ])('replaces %s in texts and in names, however deep', (_, bad, good) => {
    const row = rowWith({
      end_user: bad,
      session_id: bad,
      trace: { [bad]: [bad, { nested: bad }] },
      attempts: [{ provider: bad }],
    });
    expect(read(printGeneration(row))).toEqual({
      ...row,
      end_user: good,
      session_id: good,
      trace: { [good]: [good, { nested: good }] },
      attempts: [{ provider: good }],
    });
  });

  it.each([
    ['plain', 'text'],
    ['a pair', '\ud83d\ude00'],
    ['many of them', '\ud83d\ude00\ud834\udd1e'],
    ['neighbours of the surrogates', '\ud7ff\ue000'],
    ['other control characters', '\u0001\b\n\u001f\u007f'],
    ['separators of lines', '\u2028\u2029'],
    ['what reads like an escape', '\\u0000 \\ud800 \\\\u0000'],
    ['the replacement itself', R],
    ['quotes', '"\\"'],
  ])('leaves %s as it is', (_, text) => {
    const row = rowWith({ end_user: text, trace: { [text]: text } });
    const printed = printGeneration(row);
    expect(read(printed)).toEqual(row);
    expect(printed).toBe(JSON.stringify(row));
  });

  it('keeps numbers, nulls, booleans, lists and their order beside what it replaces', () => {
    const trace = { z: 1, a: [null, true, 1e21, -0.5, [], {}], '2': 'x\0' };
    const printed = printGeneration(rowWith({ trace }));
    expect(printed).toBe(JSON.stringify(rowWith({ trace: { ...trace, '2': `x${R}` } })));
  });

  it('never prints what the database refuses, and changes nothing else', () => {
    const unit = fc.constantFrom('a', '\\', 'u0000', '"', '\0', '\ud800', '\udc00', '\ud83d\ude00', '\u2028', 'd800');
    const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(''));
    fc.assert(
      fc.property(text, text, text, (user, name, value) => {
        const row = rowWith({ end_user: user, trace: { [`k${name}`]: [value] } });
        const clean = (dirty: string): string => dirty.toWellFormed().replaceAll('\0', R);
        expect(printGeneration(row)).toBe(
          JSON.stringify({ ...row, end_user: clean(user), trace: { [`k${clean(name)}`]: [clean(value)] } }),
        );
      }),
      { numRuns: 500 },
    );
  });
});
