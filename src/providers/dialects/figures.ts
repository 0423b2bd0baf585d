import type { Json, JsonObject } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { USAGE_CLASSES, type TranslationTable, type UsageClass } from '../../core/translation.js';
import { objectOf } from './read-json.js';

/** A number of tokens or uses; whatever cannot be one counts as absent. */
export const readCount = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;

/** A figure in a usage object of the vendor's; undefined where it tells none, or the table drops it. */
type Figure = (usage: JsonObject) => number | undefined;

type Rows = TranslationTable<Target>['usage'];

/** Reads the figures of a table that stand at places of their own. Made once for a dialect. */
export function figuresOf({ usage: rows }: { readonly usage: Rows }): Readonly<Record<UsageClass, Figure>> {
  const figures = (Object.keys(USAGE_CLASSES) as UsageClass[]).map((name): [UsageClass, Figure] => {
    const places = (rows[name].places ?? []).map((place) => figureAt(rows, name, place));
    return [name, firstOf(places)];
  });
  return Object.fromEntries(figures) as Record<UsageClass, Figure>;
}

const UNTOLD: Figure = () => undefined;

function firstOf(places: readonly Figure[]): Figure {
  const [only = UNTOLD] = places;
  if (places.length <= 1) return only;
  return (usage) => {
    for (const place of places) {
      const figure = place(usage);
      if (figure !== undefined) return figure;
    }
    return undefined;
  };
}

/** Most usage objects have few of the figures, and of the objects that they may stand in. */
function figureAt(rows: Rows, name: UsageClass, place: string): Figure {
  const [outer, inner] = place.split('.') as [string, string?];
  return (usage) => {
    const value = usage[outer];
    if (value === undefined || rows[name].rule.type !== 'mapped') return undefined;
    return readCount(inner === undefined ? value : objectOf(value)[inner]);
  };
}
