import { positionOf, type Batch, type ScannedRow } from '../keyset-lists.js';

/**
 * One batch of several lists, newest first. At the same time the entries of an earlier list come first: its ids have
 * to be the greater ones. What is older than the end of an unfinished batch is left for the next one, because that list
 * may have newer entries.
 */
export function mergeBatches<Row extends ScannedRow>(batches: readonly Batch<Row>[], limit: number): Batch<Row> {
  const [first, ...others] = batches;
  if (first && others.length === 0) return first;
  const entries = batches.flatMap(({ rows }, list) => rows.map((row) => ({ row, list, at: row.list_at.getTime() })));
  entries.sort((a, b) => b.at - a.at || a.list - b.list);
  const ends = batches.flatMap(({ next }, list) => (next ? [{ next, list, at: next.at.getTime() }] : []));
  ends.sort((a, b) => b.at - a.at || a.list - b.list);
  const end = ends[0];
  const known = end ? entries.filter(({ at, list }) => at > end.at || (at === end.at && list <= end.list)) : entries;
  const rows = known.slice(0, limit).map(({ row }) => row);
  if (known.length > limit) return { rows, next: positionOf(rows.at(-1)!) };
  return { rows, next: end?.next };
}
