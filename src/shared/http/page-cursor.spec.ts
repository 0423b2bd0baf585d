// A cursor is accepted for the query that it was printed for, and no other; no other text is. All single changes of a
// printed one are tried.
import { GatewayError } from '../../core/errors.js';
import { printCursor, readCursor, type ListQuery, type ListPosition } from './page-cursor.js';

const QUERY: ListQuery = { list: 'things', account: 'a', model: 'author/one', from: null, to: undefined };
const PLACE: ListPosition = { at: new Date('2026-11-29T10:00:00.123Z'), id: 'gen-1795946400-AAAAAAAAAAAAAAAAAAAA' };
const CURSOR = printCursor(QUERY, PLACE);

function refusalOf(query: ListQuery, text: string): string {
  try {
    readCursor(query, text);
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'invalid-request') return error.message;
    throw error;
  }
  return 'none';
}
const REFUSED = 'cursor: must be the next_cursor of an earlier page of the same query, unchanged';

it('returns the position, in whichever order the query is stated', () => {
  expect(readCursor(QUERY, CURSOR)).toEqual(PLACE);
  expect(readCursor(Object.fromEntries(Object.entries(QUERY).reverse()), CURSOR)).toEqual(PLACE);
});

it.each([
  ['another list', { ...QUERY, list: 'others' }],
  ['another account', { ...QUERY, account: 'b' }],
  ['another value', { ...QUERY, model: 'author/two' }],
  ['a further filter', { ...QUERY, user: 'u' }],
  ['a filter less', { list: 'things', account: 'a' }],
  ['the same value of another filter', { ...QUERY, model: null, provider: 'author/one' }],
])('is refused for %s', (_, query) => {
  expect(refusalOf(query, CURSOR)).toBe(REFUSED);
});

it('is refused with any character changed, added or removed', () => {
  for (let index = 0; index < CURSOR.length; index++) {
    const other = CURSOR[index] === 'A' ? 'B' : 'A';
    const [before, after] = [CURSOR.slice(0, index), CURSOR.slice(index + 1)];
    for (const text of [before + other + after, before + after, `${before}=${CURSOR.slice(index)}`])
      expect([text, refusalOf(QUERY, text)]).toEqual([text, REFUSED]);
  }
});

it.each(['', '7', 'null', '[]', '{}', '[1]', '[1e300,"a"]', '["1","a"]', '[1,2]', '[1,"gen-1"]', '[1,"gen-1",""]'])(
  'refuses %j, encoded',
  (text) => {
    expect(refusalOf(QUERY, text)).toBe(REFUSED);
    expect(refusalOf(QUERY, Buffer.from(text).toString('base64url'))).toBe(REFUSED);
  },
);
