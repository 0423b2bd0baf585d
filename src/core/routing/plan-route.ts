import { inWordsOf } from '../conversation/field-names.js';
import { isByLength } from './availability.js';
import { assessModel, type Eligibility, type EligibleCandidate } from './candidates.js';
import { inOrder } from './credential-copies.js';
import { orderLegs, readOrdering } from './ordering.js';
import { ATTEMPTS_MAX, MODELS_MAX, type Exclusion, type LengthLimits, type Plan } from './plan.js';
import type { NamedModel, RouteInputs } from './route-inputs.js';
import { forbids, readRules } from './rules.js';
import { findUnknownProviders } from './unknown-providers.js';

/** Limit of further models that are looked up and named; the rest is excluded as one. */
export const MODELS_NAMED_MAX = 64;

/**
 * Decides which attempts may be made and in which order, with a reason for each excluded candidate. Pure: the same
 * inputs give the same plan, byte for byte.
 * @returns undefined when the catalog does not have the first model; `legs` is empty when nothing is left
 * @throws GatewayError `invalid-request` for a `max_price` that is no decimal
 */
export function planRoute(inputs: RouteInputs): Plan | undefined {
  const { needs, catalog, policies, credentials } = inputs;
  const { preferences } = needs;
  if (needs.models[0] === undefined || !catalog.models.has(needs.models[0].id)) return undefined;
  const rules = readRules(preferences, policies);
  const excluded: Exclusion[] = [];
  const eligibility: Eligibility = {
    rules,
    inputs,
    credentials: credentials.length > 1 ? inOrder(credentials) : credentials,
    kept: [],
    excluded,
    cooling: [],
  };
  const models: NamedModel[] = [];
  const ids: string[] = [];
  const namedMax = Math.min(needs.models.length, MODELS_NAMED_MAX);
  for (let index = 0; index < namedMax; index++) {
    const named = needs.models[index]!;
    const model = catalog.models.get(named.id);
    if (!model) excluded.push({ model: named.id, reason: 'unknown-model' });
    else if (models.length === MODELS_MAX) excluded.push({ model: named.id, reason: 'too-many-models' });
    else {
      const modelIndex = models.push(named) - 1;
      ids.push(named.id);
      const reason = rules.limitsModels ? forbids(rules, named.id) : undefined;
      if (reason === undefined) assessModel(eligibility, model, modelIndex);
      else excluded.push({ model: named.id, reason });
    }
  }
  const unnamed = needs.models.length - namedMax;
  if (unnamed > 0) {
    excluded.push({ model: needs.models[namedMax]!.id, reason: 'too-many-models', detail: `and ${unnamed - 1} more` });
  }
  // When nothing else is left, a cooling endpoint is tried rather than the request refused.
  const kept = eligibility.kept.length === 0 ? coolingAtLast(eligibility) : eligibility.kept;
  const orderings = readOrdering(rules, models, inputs);
  const legs = orderLegs(kept, rules, needs, orderings, excluded);
  const namesProviders = (preferences.only ?? preferences.order ?? preferences.ignore) !== undefined;
  const unknownProviders = namesProviders ? findUnknownProviders(preferences, catalog) : NONE;
  return {
    requested: needs.requested,
    models: ids,
    chosenBy: needs.choice?.by,
    strategy: needs.choice?.strategy,
    ordering: orderings.models[0]!.ordering,
    seed: orderings.seed,
    catalog: catalog.hash,
    legs,
    excluded,
    unknownProviders: unknownProviders.length > 0 ? unknownProviders : undefined,
    tooLong: legs.length === 0 && excluded.some(isByLength) ? lengthLimits(inputs, excluded) : undefined,
    attemptsMax: ids.length > ATTEMPTS_MAX ? Math.max(ATTEMPTS_MAX, countModels(legs)) : ATTEMPTS_MAX,
    movesOnRefusal: needs.movesOnRefusal,
  };
}

const NONE: readonly never[] = [];

/** Includes the cooling candidates, except those whose provider requested the pause. */
function coolingAtLast({ cooling, excluded }: Eligibility): readonly EligibleCandidate[] {
  if (cooling.length === 0) return cooling;
  const others = excluded.filter((exclusion) => exclusion.cooling === undefined || exclusion.cooling.isFirm);
  excluded.splice(0, excluded.length, ...others);
  return cooling;
}

/**
 * The limits of the endpoints that would serve the request if it were shorter.
 * @returns undefined where there is none, or where waiting helps because a longer one only cools down
 */
function lengthLimits(inputs: RouteInputs, excluded: readonly Exclusion[]): LengthLimits | undefined {
  if (excluded.some(({ cooling }) => cooling)) return undefined;
  const { maxOutputTokens: output = 0, ...others } = inputs.needs;
  const { promptTokensMin: prompt } = others;
  const legs = planRoute({ ...inputs, needs: { ...others, promptTokensMin: 0 } })?.legs ?? [];
  if (legs.length === 0) return undefined;
  let context = 0;
  let outputMax = 0;
  let outputLeft = 0;
  for (const { endpoint, model } of legs) {
    const { contextLength, maxCompletionTokens = model.maxCompletionTokens ?? contextLength } = endpoint;
    context = Math.max(context, contextLength);
    outputMax = Math.max(outputMax, maxCompletionTokens);
    outputLeft = Math.max(outputLeft, Math.min(maxCompletionTokens, contextLength - prompt));
  }
  const outputField = inWordsOf(others.fieldNames, 'max_tokens');
  return { prompt, context, output, outputField, outputMax, outputLeft };
}

/**
 * The part of a context reserved for the answer where the endpoint sets no limit: the rest is for the prompt, which is
 * only counted from below.
 */
const CONTEXT_SHARE = 4;

/**
 * The longest answer in tokens that any endpoint able to answer gives, ignoring the requested length.
 * @returns undefined where no endpoint could answer
 */
export function outputTokensGiven(inputs: RouteInputs): number | undefined {
  const { maxOutputTokens: _requested, ...needs } = inputs.needs;
  let most = 0;
  for (const { endpoint, model } of planRoute({ ...inputs, needs })?.legs ?? []) {
    const { contextLength, maxCompletionTokens = model.maxCompletionTokens ?? Infinity } = endpoint;
    const room = contextLength - needs.promptTokensMin;
    const share = Math.floor(contextLength / CONTEXT_SHARE);
    most = Math.max(most, maxCompletionTokens <= room ? maxCompletionTokens : Math.min(room, share));
  }
  return most > 0 ? most : undefined;
}

/**
 * Whether the leg at `index` may be called after this many calls: each later model that was not reached yet keeps one
 * of the plan's attempts (docs/contribute/reasons/routing.md#bounds-of-a-plan).
 */
export function mayCall({ legs, attemptsMax }: Plan, index: number, callsMade: number): boolean {
  // A plan has at least one attempt for each of its models.
  if (callsMade === 0) return true;
  const reserved = countModels(legs) - countModels(legs.slice(0, index + 1));
  return callsMade + reserved < attemptsMax;
}

/** Number of models that the legs serve. */
const countModels = (legs: Plan['legs']): number => new Set(legs.map(({ modelIndex }) => modelIndex)).size;
