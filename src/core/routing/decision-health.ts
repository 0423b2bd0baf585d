import { SHARED_CREDENTIAL } from './credential.js';
import { roundedAlike } from './decision-figures.js';
import { unlessEmpty, type DecisionRecord, type Refs } from './decision-record.js';
import type { EndpointHealth, HealthKey, HealthSnapshot, Percentiles } from './health.js';
import type { Plan, PlannedLeg } from './plan.js';
import type { PercentileCutoffs, Sort } from './preferences.js';
import type { RouteNeeds } from './route-inputs.js';

type Figures = Readonly<Record<string, number>> | undefined;
type HealthParts = Pick<DecisionRecord, 'pins' | 'out' | 'behind' | 'cooling' | 'latency' | 'throughput' | 'faults'>;

/** What the plan says of the health of its candidates, and which pins it followed. */
export function recordHealth(plan: Plan, needs: RouteNeeds, refs: Refs): HealthParts {
  const { legs } = plan;
  const candidates = legs.map((leg) => refs.of({ model: leg.model.id, tag: leg.tag, credential: leg.credential }));
  const those = (holds: (leg: PlannedLeg) => boolean): readonly string[] | undefined =>
    unlessEmpty(candidates.filter((_, index) => holds(legs[index]!)));
  const figures = (sort: Sort, read: (health: EndpointHealth) => number | undefined, cutoff?: number): Figures =>
    sortsAnyBy(needs, sort)
      ? figuresBy(
          candidates,
          legs.map(({ model, health }) => (health && isSortedBy(needs, model.id, sort) ? read(health) : undefined)),
          cutoff,
        )
      : undefined;
  const { preferredMaxLatency, preferredMinThroughput } = needs.preferences;
  return {
    pins: pinsOf(plan, needs),
    out: those(({ setBack, health }) => setBack === 'outage' || health?.isOut === true),
    behind: those(({ setBack }) => setBack === 'preference'),
    cooling: coolingOf(plan, refs),
    latency: figures('latency', ({ latency }) => latency?.p50, preferredMaxLatency?.p50),
    throughput: figures('throughput', ({ throughput }) => throughput?.p50, preferredMinThroughput?.p50),
    faults: figures('exacto', ({ faultShare }) => faultShare),
  };
}

const sortsAnyBy = (needs: RouteNeeds, sort: Sort): boolean =>
  needs.models.some(({ id }) => isSortedBy(needs, id, sort));

/** Where all models are sorted together, any model's word may decide for all. */
function isSortedBy({ models, preferences }: RouteNeeds, model: string, sort: Sort): boolean {
  if (preferences.order?.length) return false;
  if (preferences.partition === 'none') return preferences.sort === sort || models.some((named) => named.sort === sort);
  return (models.find(({ id }) => id === model)?.sort ?? preferences.sort) === sort;
}

function pinsOf({ legs }: Plan, { models }: RouteNeeds): Readonly<Record<string, string>> | undefined {
  const pinned = legs.filter(({ isPinned }) => isPinned);
  if (pinned.length === 0) return undefined;
  return Object.fromEntries(pinned.map(({ model, tag }) => [models.findIndex(({ id }) => id === model.id), tag]));
}

function coolingOf({ excluded }: Plan, refs: Refs): DecisionRecord['cooling'] {
  const entries = excluded.flatMap(({ model, tag, credential = SHARED_CREDENTIAL, cooling }) =>
    tag !== undefined && cooling ? [[refs.of({ model, tag, credential }), cooling.by] as const] : [],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function figuresBy(
  candidates: readonly string[],
  figures: readonly (number | undefined)[],
  cutoff: number | undefined,
): Figures {
  const known = candidates.filter((_, index) => figures[index] !== undefined);
  const rounded = roundedAlike(
    figures.filter((figure) => figure !== undefined),
    cutoff,
  );
  return Object.fromEntries(known.map((candidate, index) => [candidate, rounded[index]!]));
}

/**
 * Health that decides as the recorded one did. Figures that were not kept are extremes on the same side of every cut-off.
 */
export function deriveHealth(record: DecisionRecord, needs: RouteNeeds, refs: Refs): HealthSnapshot {
  const { preferredMaxLatency, preferredMinThroughput } = needs.preferences;
  const cooling = new Map(Object.entries(record.cooling ?? {}));
  const out = new Set(record.out);
  const behind = new Set(record.behind);
  const firsts = record.firsts && new Set(record.firsts);
  const latency = figureReader(record.latency, preferredMaxLatency, LATENCY);
  const throughput = figureReader(record.throughput, preferredMinThroughput, THROUGHPUT);
  const told = (sort: 'latency' | 'throughput', { model }: HealthKey, candidate: string): Partial<EndpointHealth> => {
    const reader = sort === 'latency' ? latency : throughput;
    const figures = reader(candidate, behind.has(candidate), isSortedBy(needs, model, sort));
    return figures ? { [sort]: figures } : {};
  };
  const faults = new Map(Object.entries(record.faults ?? {}));
  const beaten = healthOfBeaten(needs);
  return {
    find(key): EndpointHealth {
      const candidate = refs.of(key);
      const by = cooling.get(candidate);
      // No plan depends on when the pause ends.
      if (by) return { isOut: false, cooling: { until: 0, by } };
      if (firsts && !firsts.has(candidate)) return beaten;
      const faultShare = faults.get(candidate);
      return {
        ...told('latency', key, candidate),
        ...told('throughput', key, candidate),
        ...(faultShare !== undefined && { faultShare }),
        isOut: out.has(candidate),
      };
    },
  };
}

/** Figures that hold every cut-off, and such that miss every one. */
interface Extremes {
  readonly good: number;
  readonly bad: number;
}

const LATENCY: Extremes = { good: 0, bad: Number.MAX_VALUE };
const THROUGHPUT: Extremes = { good: Number.MAX_VALUE, bad: 0 };

type FigureReader = (candidate: string, isBehind: boolean, isSorted: boolean) => Percentiles | undefined;

/** What is sorted by the figure has its exact `p50`, or was unknown; of all else only the side of the cut-offs matters. */
function figureReader(kept: Figures, cutoffs: PercentileCutoffs | undefined, { good, bad }: Extremes): FigureReader {
  const figures = new Map(Object.entries(kept ?? {}));
  return (candidate, isBehind, isSorted) => {
    if (!isSorted) return isBehind && cutoffs ? all(bad) : undefined;
    const p50 = figures.get(candidate);
    return p50 === undefined ? undefined : { ...all(isBehind ? bad : good), p50 };
  };
}

/**
 * Behind in every way, for those of which only this is known. Unknown figures come last in a sort but hold a cut-off, so one that is
 * sorted by is made bad only where no other can miss.
 */
function healthOfBeaten(needs: RouteNeeds): EndpointHealth {
  const { preferredMaxLatency, preferredMinThroughput } = needs.preferences;
  const missesThroughput = preferredMinThroughput && (!sortsAnyBy(needs, 'throughput') || !preferredMaxLatency);
  return {
    isOut: true,
    faultShare: 1,
    ...(missesThroughput && { throughput: all(THROUGHPUT.bad) }),
    ...(preferredMaxLatency && !missesThroughput && { latency: all(LATENCY.bad) }),
  };
}

const all = (figure: number): Percentiles => ({ p50: figure, p75: figure, p90: figure, p99: figure });
