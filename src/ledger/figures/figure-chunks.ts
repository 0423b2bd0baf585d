import { DAY_MS, HOUR_MS } from '../../core/time.js';
import type { FiguresQuery, FiguresRow } from './figures-query.js';
import type { FiguresRepository } from './figures.repository.js';

/**
 * A statement covers a shorter range than the one before where that took longer, in milliseconds, or returned more
 * rows; a longer one where both were less. Chosen: rows of one statement are in memory together.
 */
const CHUNK_MS = 20;
const CHUNK_ROWS = 1_000;

/** The part of a query before a time: whole hours or days, as many as given, and what of one the time is in. */
function partBefore(query: FiguresQuery, until: number, units: number): FiguresQuery {
  const unit = query.granularity === 'hour' ? HOUR_MS : DAY_MS;
  return { ...query, since: Math.max(query.since, (Math.ceil(until / unit) - units) * unit), until };
}

/**
 * The rows of a query by hours or days, newest first. Each statement covers whole hours or days, as many as are summed
 * up in a short time, so that other users of the database run in between: the embedded one has a single session, in
 * this process.
 */
export async function* readChunks(
  figures: Pick<FiguresRepository, 'read'>,
  query: FiguresQuery,
): AsyncGenerator<readonly FiguresRow[]> {
  let units = 1;
  for (let until = query.until; until > query.since;) {
    const part = partBefore(query, until, units);
    const startedAt = performance.now();
    const rows = await figures.read(part);
    const isLong = performance.now() - startedAt > CHUNK_MS || rows.length > CHUNK_ROWS;
    yield rows;
    until = part.since;
    units = isLong ? Math.max(1, Math.floor(units / 2)) : units * 2;
  }
}

/** Whether a query by hours or days has more rows than that. Counts the newest ones first, until they are too many. */
export async function hasMoreRows(
  figures: Pick<FiguresRepository, 'count'>,
  query: FiguresQuery,
  most: number,
): Promise<boolean> {
  let rows = 0;
  let units = 1;
  for (let until = query.until; until > query.since; units *= 2) {
    const part = partBefore(query, until, units);
    rows += await figures.count(part);
    if (rows > most) return true;
    until = part.since;
  }
  return false;
}
