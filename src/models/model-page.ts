import { instanceToPlain } from 'class-transformer';
import { GatewayError } from '../core/errors.js';
import type { ListModelsDto } from './list-models.dto.js';
import { printEntry, type IsCallable, type ModelEntry } from './model-entry.js';

/** docs/use/models.md#filters-order-pages: how many one page holds, where no limit is given. */
const LIMIT_DEFAULT = 500;

/** Part of a list: indexes from `start` (inclusive) to `end` (exclusive). */
interface Page {
  readonly start: number;
  readonly end: number;
  /** The paging parameters of the next request. Undefined: this is the last page. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/**
 * The body of a list of models, from views that are printed already. Without paging parameters it is the whole list.
 * @param path of the list, without its query
 * @throws GatewayError `invalid-request` for an id that is not in the list, and for positions that exclude each other
 */
export function printModelPage(
  entries: readonly ModelEntry[],
  query: ListModelsDto,
  path: string,
  isCallable: IsCallable,
): string {
  const { start, end, next } = pageOf(entries, query);
  const page = entries.slice(start, end);
  const data = page.map((entry) => printEntry(entry, isCallable)).join(',');
  const rest = {
    total_count: entries.length,
    links: { next: next ? linkOf(query, path, next) : null },
    has_more: next !== undefined,
    first_id: page[0]?.model.id ?? null,
    last_id: page.at(-1)?.model.id ?? null,
  };
  return `{"data":[${data}],${JSON.stringify(rest).slice(1)}`;
}

function pageOf(entries: readonly ModelEntry[], query: ListModelsDto): Page {
  const { offset, limit, after_id: afterId, before_id: beforeId } = query;
  if (beforeId !== undefined) return pageBefore(entries, beforeId, query);
  if ((offset ?? limit ?? afterId) === undefined) return { start: 0, end: entries.length, next: undefined };
  const start = (afterId === undefined ? 0 : indexOfEntry(entries, 'after_id', afterId) + 1) + (offset ?? 0);
  const size = limit ?? LIMIT_DEFAULT;
  const end = start + size;
  const next = end < entries.length ? { offset: String(end), limit: String(size) } : undefined;
  return { start, end, next };
}

/** Clients of the Messages format walk backwards so: the entries right before one, in the order of the list. */
function pageBefore(entries: readonly ModelEntry[], beforeId: string, query: ListModelsDto): Page {
  const { offset, limit = LIMIT_DEFAULT, after_id: afterId } = query;
  if ((offset ?? afterId) !== undefined)
    throw new GatewayError('invalid-request', 'before_id: cannot be combined with after_id or offset');
  const end = indexOfEntry(entries, 'before_id', beforeId);
  const start = Math.max(0, end - limit);
  return { start, end, next: start > 0 ? { before_id: entries[start]!.model.id, limit: String(limit) } : undefined };
}

function indexOfEntry(entries: readonly ModelEntry[], name: string, id: string): number {
  const index = entries.findIndex(({ model }) => model.id === id);
  if (index === -1) throw new GatewayError('invalid-request', `${name}: must be the id of a model of this list`);
  return index;
}

/** Address of the next page. */
function linkOf(query: ListModelsDto, path: string, next: Readonly<Record<string, string>>): string {
  const entries = Object.entries(instanceToPlain(query)).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]));
  for (const name of ['after_id', 'before_id', 'offset']) if (!(name in next)) parameters.delete(name);
  for (const [name, value] of Object.entries(next)) parameters.set(name, value);
  return `${path}?${parameters.toString()}`;
}
