import type { Widening } from '../../money/widening.js';
import { EXCLUSION_MEANINGS } from '../availability.js';
import type { CatalogSnapshot } from '../catalog.js';
import { SHARED_CREDENTIAL } from '../credential.js';
import { deriveInputs } from './decision-inputs.js';
import { DECISION_VERSION, type DecisionRecord } from './decision-record.js';
import { catalogName, writeRef } from './decision.js';
import { readRef, type ReadRef } from './decision-ref.js';
import type { Exclusion, Leg, Plan, PlannedLeg } from '../plan.js';
import { planRoute } from '../plan-route.js';
import type { RouteInputs, RouteNeeds } from '../route-inputs.js';

/** Whether a recorded plan could be derived again, and if not, why. */
export type Derivation =
  | 'derived' // the plan is the recorded one
  | 'differs' // the same inputs give other legs: the planner has changed
  | 'catalog-changed'
  | 'inputs-cut' // the record was too long to keep all inputs
  | 'other-version'; // written by a release with another record format

/** A call that was made, with its final HTTP status. */
export interface ExplainedCall extends ReadRef {
  readonly status: number;
}

/** One leg of the derived plan, in order. */
export interface ExplainedLeg extends ReadRef {
  readonly provider: string;
  /** USD per million tokens, prompt + completion. */
  readonly price: number;
  /** Weight in the draw; absent where nothing was drawn, and for what is free. */
  readonly weight?: number;
  readonly setBack?: PlannedLeg['setBack'];
  readonly isPinned?: true;
  /** Factors by which the hold exceeded the request's own sizes. */
  readonly widening?: Widening;
}

/** A candidate that was left out. `words` completes a sentence that begins with its name. */
export interface ExplainedExclusion extends Omit<Exclusion, 'cooling'> {
  readonly words: string;
}

/** The plan derived from the record. */
export interface ExplainedPlan {
  readonly ordering: Plan['ordering'];
  readonly models: readonly string[];
  readonly attemptsMax: number;
  readonly legs: readonly ExplainedLeg[];
  readonly excluded: readonly ExplainedExclusion[];
}

/**
 * A recorded decision with everything that can be derived from it. Like the record, it holds neither content nor
 * secrets.
 */
export interface ExplainedDecision {
  readonly derivation: Derivation;
  /** The model name in the request; absent where it was cut. */
  readonly requested?: string;
  readonly seed?: string;
  /** The router that replaced this name by models, and the data it chose from; absent: the request named the models. */
  readonly choice?: NonNullable<RouteNeeds['choice']>;
  /** The names of the catalog the decision was made with and of the current one. */
  readonly catalog: string;
  readonly catalogNow: string;
  /** Parts that are missing because the record would have been too long. */
  readonly cut: readonly string[];
  readonly calls: readonly ExplainedCall[];
  /** The first recorded legs; absent where they were cut. */
  readonly recordedLegs?: readonly ReadRef[];
  /** Absent where the plan could not be derived. */
  readonly plan?: ExplainedPlan;
}

/**
 * Derives a recorded decision from its record and the catalog, and explains it.
 * @param text as written by `compactDecision`
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
  // Legs that were cut cannot be compared, and a plan without legs records none.
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
  ...refOf(leg),
  provider: leg.endpoint.provider.name,
  price,
  ...(weight !== undefined && { weight }),
  ...(setBack && { setBack }),
  ...(isPinned && { isPinned }),
  ...(health?.widening && { widening: health.widening }),
});

const refOf = ({ model, tag, credential }: Leg): ReadRef => ({
  model: model.id,
  tag,
  ...(credential !== SHARED_CREDENTIAL && { credential }),
});
