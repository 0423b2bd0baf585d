import type { JsonObject } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { USAGE_CLASSES, type TranslationTable, type UsageClass } from '../../core/translation.js';
import { objectOf, readCount } from './read-json.js';

/** A figure in a usage object of the vendor's; undefined where it tells none, or the table drops it. */
type Figure = (usage: JsonObject) => number | undefined;

/** Reads the figures of a table that stand at places of their own. Made once for a dialect. */
export function figuresOf({
  usage: rows,
}: Pick<TranslationTable<Target>, 'usage'>): Readonly<Record<UsageClass, Figure>> {
  const figures = (Object.keys(USAGE_CLASSES) as UsageClass[]).map((name): [UsageClass, Figure] => {
    const { rule, places = [] } = rows[name];
    return [name, rule.type === 'mapped' ? firstOf(places.map(figureAt)) : UNTOLD];
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

function figureAt(place: string): Figure {
  const [outer, inner] = place.split('.') as [string, string?];
  if (inner === undefined) return (usage) => readCount(usage[outer]);
  // Most usage objects have few of the objects that figures may stand in.
  return (usage) => (usage[outer] === undefined ? undefined : readCount(objectOf(usage[outer])[inner]));
}
