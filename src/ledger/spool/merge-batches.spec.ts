// Lists that are read in batches add up to the sorted whole, whichever of their batches ends first. All combinations of
// small lists with small batches are read to their ends.
import { mergeBatches } from './merge-batches.js';
import type { Batch, ScannedRow } from '../keyset-lists.js';
import type { ListPosition } from '../../shared/http/page-cursor.js';

const rowOf = (list: string, at: number, number: number): ScannedRow => ({
  list_at: new Date(at),
  list_id: `${list}-${String(number).padStart(3, '0')}`,
  list_fits: true,
  list_is_last: false,
});

const isBelow = ({ list_at: at, list_id: id }: ScannedRow, position: ListPosition | undefined): boolean =>
  !position || at < position.at || (at.getTime() === position.at.getTime() && id < position.id);

const newestFirst = (a: ScannedRow, b: ScannedRow): number =>
  b.list_at.getTime() - a.list_at.getTime() || (a.list_id < b.list_id ? 1 : -1);

/** As a statement returns it that looks at no more than `scanned` rows. */
function batch(
  list: readonly ScannedRow[],
  after: ListPosition | undefined,
  limit: number,
  scanned: number,
): Batch<ScannedRow> {
  const below = list.filter((row) => isBelow(row, after));
  const rows = below.slice(0, Math.min(limit, scanned));
  const last = rows.at(-1);
  const isCut = last !== undefined && (rows.length === limit || rows.length === scanned);
  return { rows, next: isCut ? { at: last.list_at, id: last.list_id } : undefined };
}

const TIMES = [[], [1], [3, 2, 1], [2, 2, 2, 1], [5, 4, 4, 4, 4, 1]];
const CASES = TIMES.flatMap((b) => TIMES.flatMap((a) => [1, 2, 3, 10].flatMap((limit) => [1, 2, 9].map((scanned) => ({ b, a, limit, scanned }))))); // oxfmt-ignore

it.each(CASES)('reads $b and $a by $limit, looking at $scanned', ({ b, a, limit, scanned }) => {
  // The ids of the first list are the greater ones.
  const lists = [
    b.map((at, index) => rowOf('b', at, index)).toSorted(newestFirst),
    a.map((at, index) => rowOf('a', at, index)).toSorted(newestFirst),
  ];
  const read: ScannedRow[] = [];
  let after: ListPosition | undefined;
  for (let turns = 0; turns < 50; turns++) {
    const { rows, next } = mergeBatches(
      lists.map((list) => batch(list, after, limit, scanned)),
      limit,
    );
    expect(rows.length).toBeLessThanOrEqual(limit);
    read.push(...rows);
    after = next;
    if (!next) break;
  }
  expect(after).toBeUndefined();
  expect(read).toEqual(lists.flat().toSorted(newestFirst));
});
