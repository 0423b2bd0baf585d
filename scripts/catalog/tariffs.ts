import type { Field } from '../../src/catalog/field.js';
import type { Source } from '../catalog-sources.js';
import type { TableModel, TablePrices } from '../catalog-tables.js';
import type { SourceNames } from './source-names.js';

const CLASSES = ['prompt', 'completion'] as const;
const CACHES = ['input_cache_read', 'input_cache_write', 'input_cache_write_1h'] as const;
const CLASS_NAMES = [...CLASSES, ...CACHES];

/** USD per million tokens, as decimal texts. */
type Prices = Readonly<Partial<Record<(typeof CLASS_NAMES)[number], string>>>;

/** A service tier, and what it charges where the plain list begins to charge more for a long prompt. */
export interface Tariff {
  readonly prices: Prices;
  readonly long?: Prices;
}

export const TARIFFS = ['fast', 'priority', 'flex'] as const;
export type TariffName = (typeof TARIFFS)[number];

/** The prices besides an endpoint's plain ones. */
export interface Tariffs {
  readonly lists: ReadonlyMap<TariffName, Tariff>;
  /** The factor of every token price. */
  readonly geo?: Readonly<Record<string, string>>;
  readonly source: Source;
}

const DECIMAL = /^\d+(?:\.\d{1,6})?$/;

const readDecimal = (field: Field): string | undefined =>
  field.matching(DECIMAL, 'a decimal text such as "0.25", with at most six decimals');

/** A list of prices, and the field beside them that its reader knows. */
function readPrices<Beside extends string>(
  field: Field,
  required: readonly Beside[],
  optional: readonly Beside[] = [],
): { readonly prices: Prices; readonly beside: (name: Beside) => Field | undefined } | undefined {
  const members = field.members<string>([...CLASSES, ...required], [...CACHES, ...optional]);
  if (!members) return undefined;
  const prices: { -readonly [Name in keyof Prices]: Prices[Name] } = {};
  for (const name of CLASS_NAMES) {
    const price = members.get(name);
    const text = price && readDecimal(price);
    if (text !== undefined) prices[name] = text;
  }
  return { prices, beside: (name) => members.get(name) };
}

export function readTariffs(field: Field, sources: SourceNames): Tariffs | undefined {
  const members = field.members(['source'], [...TARIFFS, 'geo']);
  const source = sources.find(members?.get('source'));
  if (!members || !source) return undefined;
  const lists = new Map<TariffName, Tariff>();
  for (const name of TARIFFS) {
    const list = members.get(name);
    const tariff = list && readTariff(list);
    if (tariff) lists.set(name, tariff);
  }
  const geo = members.get('geo')?.entries();
  const factors = geo && Object.fromEntries(geo.map(([word, factor]) => [word, readDecimal(factor) ?? '']));
  return { lists, ...(factors && { geo: factors }), source };
}

function readTariff(field: Field): Tariff | undefined {
  const list = readPrices(field, [], ['long']);
  const longField = list?.beside('long');
  const long = longField && readPrices(longField, [])?.prices;
  return list && { prices: list.prices, ...(long && { long }) };
}

const numbered = ({ prompt, completion, input_cache_read: read, input_cache_write: write }: Prices): TablePrices => ({
  prompt: Number(prompt),
  completion: Number(completion),
  ...(read !== undefined && { read: Number(read) }),
  ...(write !== undefined && { write: Number(write) }),
});

/** The plain prices of an endpoint that no table lists. */
export function readPricing(field: Field): Pick<TableModel, 'prices' | 'tiers' | 'request'> | undefined {
  const list = readPrices(field, [], ['tiers', 'request']);
  if (!list) return undefined;
  const tiers = (list.beside('tiers')?.items() ?? []).flatMap((item) => {
    const long = readPrices(item, ['min_prompt_tokens']);
    const from = long?.beside('min_prompt_tokens')?.positiveInteger();
    return long && from !== undefined ? [{ from, ...numbered(long.prices) }] : [];
  });
  const requestField = list.beside('request');
  const request = requestField && readDecimal(requestField);
  return {
    prices: numbered(list.prices),
    ...(tiers.length > 0 && { tiers }),
    ...(request !== undefined && { request: Number(request) }),
  };
}
