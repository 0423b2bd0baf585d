import type { ParsedFile } from '../../core/conversation/parsed-file.js';
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { ParsedFiles } from './parsed-files.js';

const MINUTE_MS = 60_000;
const file = (hash: string, length = 1): ParsedFile => ({
  hash,
  name: 'a.pdf',
  content: [{ type: 'text', text: 'x'.repeat(length) }],
});

it('is separate for each account and engine', () => {
  const files = new ParsedFiles(new AheadClock());
  files.of({ accountId: 'a' }, true).keep(file('h'), 'local');
  expect(files.of({ accountId: 'a' }, true).find('h', 'local')).toEqual(file('h'));
  expect(files.of({ accountId: 'a' }, true).find('h', 'mistral-ocr')).toBeUndefined();
  expect(files.of({ accountId: 'b' }, true).find('h', 'local')).toBeUndefined();
});

it('is not kept where no data may be retained', () => {
  const files = new ParsedFiles(new AheadClock());
  files.of({ accountId: 'a' }, false).keep(file('h'), 'local');
  expect(files.of({ accountId: 'a' }, true).find('h', 'local')).toBeUndefined();
});

it('is kept for ten idle minutes', () => {
  const clock = new AheadClock();
  const files = new ParsedFiles(clock).of({ accountId: 'a' }, true);
  files.keep(file('h'), 'local');
  clock.aheadMs += 9 * MINUTE_MS;
  expect(files.find('h', 'local')).toBeDefined();
  clock.aheadMs += 9 * MINUTE_MS;
  expect(files.find('h', 'local')).toBeDefined();
  clock.aheadMs += 10 * MINUTE_MS;
  expect(files.find('h', 'local')).toBeUndefined();
});

it('has a bound for each file and for all', () => {
  const files = new ParsedFiles(new AheadClock()).of({ accountId: 'a' }, true);
  const MIB = 1024 * 1024;
  files.keep(file('large', 8 * MIB), 'local');
  expect(files.find('large', 'local')).toBeUndefined();
  for (let index = 0; index < 5; index++) files.keep(file(`h${index}`, 7 * MIB), 'local');
  expect([0, 1, 2, 3, 4].map((index) => files.find(`h${index}`, 'local') !== undefined)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});
