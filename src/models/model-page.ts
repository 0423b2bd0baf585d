import { instanceToPlain } from 'class-transformer';
import type { ListModelsDto } from './list-models.dto.js';
import type { ModelEntry } from './model-entry.js';

/** docs/models.md#filters-order-pages: how many one page holds, where only `offset` is given. */
const LIMIT_DEFAULT = 500;

/**
 * The body of a list of models, from views that are printed already. With neither `offset` nor
 * `limit` it is the whole list.
 * @param path of the list, without its query
 */
export function printModelPage(entries: readonly ModelEntry[], query: ListModelsDto, path: string): string {
  const isPaged = query.offset !== undefined || query.limit !== undefined;
  const offset = query.offset ?? 0;
  const limit = isPaged ? (query.limit ?? LIMIT_DEFAULT) : entries.length;
  const end = offset + limit;
  const page = isPaged ? entries.slice(offset, end) : entries;
  const next = isPaged && end < entries.length ? nextPage(query, path, end, limit) : null;
  const data = page.map(({ json }) => json).join(',');
  return `{"data":[${data}],"total_count":${entries.length},"links":${JSON.stringify({ next })}}`;
}

/** The same question from there on. */
function nextPage(query: ListModelsDto, path: string, offset: number, limit: number): string {
  const asked = Object.entries(instanceToPlain(query)).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)]));
  parameters.set('offset', String(offset));
  parameters.set('limit', String(limit));
  return `${path}?${parameters.toString()}`;
}
