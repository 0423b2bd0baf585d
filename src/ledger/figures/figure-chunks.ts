import { DAY_MS, HOUR_MS } from '../../core/time.js';
import type { FiguresQuery, FiguresRow } from './figures-query.js';
import type { FiguresRepository } from './figures.repository.js';

/**
 * A statement covers a shorter range than the one before where that took longer, in milliseconds, or returned more
 * rows; a longer one where both were less. Chosen: rows of one statement are in memory together.
 */
const CHUNK_MS = 20;
const CHUNK_ROWS = 1_000;

/**
 * The rows of a query by hours or days, newest first. Each statement covers whole hours or days, as many as are summed
 * up in a short time, so that other users of the database run in between: the embedded one has a single session, in
 * this process.
 */
export async function* readChunks(
  figures: Pick<FiguresRepository, 'read'>,
  query: FiguresQuery,
): AsyncGenerator<readonly FiguresRow[]> {
  const unit = query.granularity === 'hour' ? HOUR_MS : DAY_MS;
  let units = 1;
  let until = query.until;
  while (until > query.since) {
    const since = Math.max(query.since, (Math.ceil(until / unit) - units) * unit);
    const startedAt = performance.now();
    const rows = await figures.read({ ...query, since, until });
    const isLong = performance.now() - startedAt > CHUNK_MS || rows.length > CHUNK_ROWS;
    yield rows;
    until = since;
    units = isLong ? Math.max(1, Math.floor(units / 2)) : units * 2;
  }
}
