import type { Json, JsonObject } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { USAGE_CLASSES, type TranslationTable, type UsageClass } from '../../core/translation.js';
import { objectOf } from './read-json.js';

/** A number of tokens or uses; any other value counts as absent. */
export const readCount = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;

/** A figure in a usage object of the vendor's; undefined where it has none, or the table drops it. */
type Figure = (usage: JsonObject) => number | undefined;

type Rows = TranslationTable<Target>['usage'];

/** Reads the figures that have locations of their own in a table. Made once for each dialect. */
export function figuresOf({ usage: rows }: { readonly usage: Rows }): Readonly<Record<UsageClass, Figure>> {
  const figures = (Object.keys(USAGE_CLASSES) as UsageClass[]).map((name): [UsageClass, Figure] => {
    const figures = (rows[name].paths ?? []).map((path) => figureAt(rows, name, path));
    return [name, firstOf(figures)];
  });
  return Object.fromEntries(figures) as Record<UsageClass, Figure>;
}

const NOT_REPORTED: Figure = () => undefined;

/** The first value above zero among the names of a figure: some providers report it under several names. */
function firstOf(figures: readonly Figure[]): Figure {
  const [only = NOT_REPORTED] = figures;
  if (figures.length <= 1) return only;
  return (usage) => {
    let least: number | undefined;
    for (const path of figures) {
      const figure = path(usage);
      if (figure !== undefined && figure > 0) return figure;
      least ??= figure;
    }
    return least;
  };
}

/** Most usage objects have few of the figures and few of the nested objects. */
function figureAt(rows: Rows, name: UsageClass, path: string): Figure {
  const [outer, ...inner] = path.split('.') as [string, ...string[]];
  return (usage) => {
    let value = usage[outer];
    if (value === undefined || rows[name].rule.type !== 'mapped') return undefined;
    for (const key of inner) value = objectOf(value)[key];
    return readCount(value);
  };
}
