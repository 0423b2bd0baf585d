import { instanceToPlain } from 'class-transformer';
import { GatewayError } from '../core/errors.js';
import type { ListModelsDto } from './list-models.dto.js';
import { printEntry, type IsCallable, type ModelEntry } from './model-entry.js';

/** docs/models.md#filters-order-pages: how many one page holds, where only `offset` is given. */
const LIMIT_DEFAULT = 500;

/**
 * The body of a list of models, from views that are printed already. With neither `offset` nor
 * `limit` it is the whole list.
 * @param path of the list, without its query
 */
export function printModelPage(
  entries: readonly ModelEntry[],
  query: ListModelsDto,
  path: string,
  isCallable: IsCallable,
): string {
  const after = placeAfter(entries, query.after_id);
  const isPaged = (query.offset ?? query.limit ?? query.after_id) !== undefined;
  const offset = after + (query.offset ?? 0);
  const limit = isPaged ? (query.limit ?? LIMIT_DEFAULT) : entries.length;
  const end = offset + limit;
  const page = isPaged ? entries.slice(offset, end) : entries;
  const next = isPaged && end < entries.length ? nextPage(query, path, end, limit) : null;
  const data = page.map((entry) => printEntry(entry, isCallable)).join(',');
  const rest = {
    total_count: entries.length,
    links: { next },
    has_more: next !== null,
    first_id: page[0]?.model.id ?? null,
    last_id: page.at(-1)?.model.id ?? null,
  };
  return `{"data":[${data}],${JSON.stringify(rest).slice(1)}`;
}

/**
 * How clients of the Messages format ask for the next page.
 * @throws GatewayError `invalid-request` for an id that is not in the list
 */
function placeAfter(entries: readonly ModelEntry[], id: string | undefined): number {
  if (id === undefined) return 0;
  const place = entries.findIndex(({ model }) => model.id === id);
  if (place === -1) throw new GatewayError('invalid-request', 'after_id: must be the id of a model of this list');
  return place + 1;
}

/** The same question from there on. */
function nextPage(query: ListModelsDto, path: string, offset: number, limit: number): string {
  const asked = Object.entries(instanceToPlain(query)).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)]));
  parameters.delete('after_id');
  parameters.set('offset', String(offset));
  parameters.set('limit', String(limit));
  return `${path}?${parameters.toString()}`;
}
