import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { EndpointHealth, HealthSnapshot } from '../core/routing/health.js';
import type { ModelSort } from './list-models.dto.js';
import type { ModelEntry } from './model-entry.js';

/** The figure that a model is sorted by, lower first; undefined: unknown, which comes last. */
type Figure = (entry: ModelEntry, health: HealthSnapshot) => number | undefined;

/** Sums are compared, never shown: a number is exact enough. */
const priceOf = ({ promptPrice, completionPrice }: ModelEntry): number => Number(promptPrice + completionPrice);
const negated = (figure: number | undefined): number | undefined => (figure === undefined ? undefined : -figure);

/** Absent: the catalog does not have the figure, and its own order stays (docs/use/models.md). */
const FIGURE_OF: Readonly<Record<ModelSort, Figure | undefined>> = {
  'most-popular': undefined,
  newest: ({ model }) => negated(model.created),
  'top-weekly': undefined,
  'pricing-low-to-high': priceOf,
  'pricing-high-to-low': (entry) => -priceOf(entry),
  'context-high-to-low': ({ model }) => -model.contextLength,
  'throughput-high-to-low': (entry, health) => best(entry, health, ({ throughput }) => negated(throughput?.p50)),
  'latency-low-to-high': (entry, health) => best(entry, health, ({ latency }) => latency?.p50),
  'intelligence-high-to-low': ({ model }) => negated(model.scores.quality?.value),
  'coding-high-to-low': ({ model }) => negated(model.scores.coding?.value),
  'agentic-high-to-low': undefined,
  'design-arena-elo-high-to-low': undefined,
};

/** A new list in the requested order; equal and unknown ones keep the catalog's order. */
export function orderEntries(
  entries: readonly ModelEntry[],
  sort: ModelSort | undefined,
  health: HealthSnapshot,
): readonly ModelEntry[] {
  const figureOf = sort && FIGURE_OF[sort];
  if (!figureOf) return entries;
  return entries
    .map((entry) => ({ entry, figure: figureOf(entry, health) ?? Infinity }))
    .sort((one, other) => (one.figure === other.figure ? 0 : one.figure - other.figure))
    .map(({ entry }) => entry);
}

/** The lowest figure of its endpoints. */
function best(
  { model, endpoints }: ModelEntry,
  health: HealthSnapshot,
  figureOf: (health: EndpointHealth) => number | undefined,
): number | undefined {
  const figures = endpoints
    .map(({ tag }) => health.find({ model: model.id, tag, credential: SHARED_CREDENTIAL }))
    .map((known) => known && figureOf(known))
    .filter((figure) => figure !== undefined);
  return figures.length > 0 ? Math.min(...figures) : undefined;
}
