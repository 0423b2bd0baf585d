import type { Widening } from '../money/widening.js';
import { EXCLUSION_MEANINGS } from './availability.js';
import type { CatalogSnapshot } from './catalog.js';
import { SHARED_CREDENTIAL } from './credential.js';
import { deriveInputs } from './decision-inputs.js';
import { DECISION_VERSION, type DecisionRecord } from './decision-record.js';
import { catalogName, writeRef } from './decision.js';
import { readRef, type ReadRef } from './decision-ref.js';
import type { Exclusion, Leg, Plan, PlannedLeg } from './plan.js';
import { planRoute } from './plan-route.js';
import type { RouteInputs, RouteNeeds } from './route-inputs.js';

/** Whether a kept decision could be made again, or why it could not. */
export type Derivation =
  | 'derived' // the plan is the one that was made
  | 'differs' // the same inputs gave other legs: the planner is another one now
  | 'catalog-changed'
  | 'inputs-cut' // the record was too long to keep all that decided
  | 'other-version'; // written by a release that kept decisions in another form

/** A call that was made, with the HTTP status it ended with. */
export interface ExplainedCall extends ReadRef {
  readonly status: number;
}

/** One attempt that could have been made, in its place. */
export interface ExplainedLeg extends ReadRef {
  readonly provider: string;
  /** USD per million tokens, prompt + completion. */
  readonly price: number;
  /** Of the draw; absent where nothing was drawn, and for what is free. */
  readonly weight?: number;
  readonly setBack?: PlannedLeg['setBack'];
  readonly isPinned?: true;
  /** What it was held for beyond its sizes, as factors. */
  readonly widening?: Widening;
}

/** A candidate that was left out. `words` completes a sentence that begins with it. */
export interface ExplainedExclusion extends Omit<Exclusion, 'cooling'> {
  readonly words: string;
}

/** The plan made again. */
export interface ExplainedPlan {
  readonly ordering: Plan['ordering'];
  readonly models: readonly string[];
  readonly attemptsMax: number;
  readonly legs: readonly ExplainedLeg[];
  readonly excluded: readonly ExplainedExclusion[];
}

/** A kept decision with all that can be said of it. Holds no content and no secret, like the record it is made from. */
export interface ExplainedDecision {
  readonly derivation: Derivation;
  /** What the request named; absent where it was cut. */
  readonly requested?: string;
  readonly seed?: string;
  /** Who chose the models in the place of that name, and from what; absent: the request named them. */
  readonly choice?: NonNullable<RouteNeeds['choice']>;
  /** Of the catalog the decision was made with, and of the one at hand. */
  readonly catalog: string;
  readonly catalogNow: string;
  /** Parts that are missing because the record would have been too long. */
  readonly cut: readonly string[];
  readonly calls: readonly ExplainedCall[];
  /** The first legs as they were recorded; absent where they were cut. */
  readonly recordedLegs?: readonly ReadRef[];
  /** Absent where it could not be made again. */
  readonly plan?: ExplainedPlan;
}

/**
 * Makes a kept decision again from its record and the catalog, and says what it was.
 * @param text as `compactDecision` wrote it
 */
export function explainDecision(text: string, catalog: CatalogSnapshot): ExplainedDecision {
  const record = JSON.parse(text) as DecisionRecord;
  const inputs = deriveInputs(text, catalog);
  const plan = inputs && planRoute(inputs);
  const recorded = record.firsts ?? record.legs;
  return {
    derivation: derivationOf(record, catalog, inputs, plan),
    ...(record.requested !== undefined && { requested: record.requested }),
    ...(record.seed !== undefined && { seed: record.seed }),
    ...(record.choice && { choice: record.choice }),
    catalog: record.catalog,
    catalogNow: catalogName(catalog),
    cut: record.cut ?? [],
    calls: (record.calls ?? []).map(([ref, status]) => ({ ...readRef(ref, record), status })),
    ...(recorded && { recordedLegs: recorded.map((ref) => readRef(ref, record)) }),
    ...(plan && { plan: explainPlan(plan) }),
  };
}

function derivationOf(
  record: DecisionRecord,
  catalog: CatalogSnapshot,
  inputs: RouteInputs | undefined,
  plan: Plan | undefined,
): Derivation {
  if (record.v !== DECISION_VERSION) return 'other-version';
  if (record.catalog !== catalogName(catalog)) return 'catalog-changed';
  if (!inputs) return 'inputs-cut';
  if (!plan) return 'differs';
  const context = { models: inputs.needs.models, keys: inputs.credentials };
  const again = plan.legs.map((leg) => writeRef(leg, context));
  const recorded = record.firsts ?? record.legs;
  // Where the legs were cut there is nothing to compare with; where there were none, none are recorded.
  if (!recorded) return record.cut?.includes('legs') || again.length === 0 ? 'derived' : 'differs';
  return recorded.every((ref, index) => ref === again[index]) ? 'derived' : 'differs';
}

const explainPlan = ({ ordering, models, attemptsMax, legs, excluded }: Plan): ExplainedPlan => ({
  ordering,
  models,
  attemptsMax,
  legs: legs.map(explainLeg),
  excluded: excluded.map(({ cooling: _cooling, ...exclusion }) => ({
    ...exclusion,
    words: EXCLUSION_MEANINGS[exclusion.reason].words,
  })),
});

const explainLeg = ({ price, weight, setBack, isPinned, health, ...leg }: PlannedLeg): ExplainedLeg => ({
  ...placeOf(leg),
  provider: leg.endpoint.provider.name,
  price,
  ...(weight !== undefined && { weight }),
  ...(setBack && { setBack }),
  ...(isPinned && { isPinned }),
  ...(health?.widening && { widening: health.widening }),
});

const placeOf = ({ model, tag, credential }: Leg): ReadRef => ({
  model: model.id,
  tag,
  ...(credential !== SHARED_CREDENTIAL && { credential }),
});
