import type { ModelRequest } from '../../core/conversation/request.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { noChoiceError, type LeftOut } from '../../core/routing/no-choice-error.js';
import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { choosableModels, type ChoosableModel } from '../../core/routing/choosable-models.js';
import { tooLongError } from '../../core/routing/no-route-error.js';
import { isByLength } from '../../core/routing/availability.js';
import { planRoute } from '../../core/routing/plan-route.js';
import type { Exclusion, LengthLimits, RouterStrategy } from '../../core/routing/plan.js';
import { forbids, readRules, type Rules } from '../../core/routing/rules.js';
import type { Choice, ChoiceInputs, RouteInputs, RouteNeeds } from '../../core/routing/route-inputs.js';
import type { Warning } from '../../core/warning.js';

/** Maximum number of models of a choice: the first, and those that are tried when it fails. */
const CHOSEN_MAX = 3;
/** Maximum number of ranked models that an explanation lists. */
const RANKED_SHOWN_MAX = 50;

/** The models that a router may choose among. */
export interface Candidates {
  readonly models: readonly ChoosableModel[];
  readonly needs: RouteNeeds;
  /** Counts of all other models of the catalog, by the reason why they are not candidates. */
  readonly leftOut: LeftOut;
}

/** The models that a router considers, independent of the request. */
export interface Pool {
  readonly models: readonly Model[];
  /** Models that it never chooses, and the reason. */
  readonly others: readonly Model[];
  readonly otherwise: string;
  /** Models in neither list: a list of the request excludes them. */
  readonly leftOut: LeftOut;
  /** Entries of that list that match no model. Called only where nothing is left. */
  readonly unmatched?: () => readonly Warning[];
}

/** A model at its index in a ranking. */
export interface RankedEntry {
  readonly choosable: ChoosableModel;
}

/** A router's choice among its candidates. */
export interface Ranking<Entry extends RankedEntry> {
  readonly strategy: RouterStrategy;
  /** All candidates that it would choose, the best first. */
  readonly ranked: readonly Entry[];
  /** The data that the choice is based on: stored, reported, and shown in the summary. */
  readonly basis: JsonObject;
  /** Further data that is stored for each chosen model. */
  readonly keptOf?: (model: Entry) => Json;
  /** The figures that an explanation gives of a model, without its id. */
  readonly figuresOf: (model: Entry) => JsonObject;
}

/**
 * Filters a router's models as the planner would filter each.
 * @param isOne which of the models that could answer it may choose; the others are left out for `otherwise`
 * @throws GatewayError `not-found` where nothing is left, or that the request is too long where that is the only reason
 */
export function findCandidates(
  request: ModelRequest,
  inputs: ChoiceInputs,
  pool: Pool,
  { isOne = () => true, otherwise = '' }: { isOne?: (model: ChoosableModel) => boolean; otherwise?: string } = {},
): Candidates {
  const { models: able, removed, resting, needs } = choosableModels(request, inputs, pool.models);
  const leftOut = leftOutBefore(pool, readRules(needs.preferences, inputs.policies));
  for (const { reason } of removed) leftOut[reason] = (leftOut[reason] ?? 0) + 1;
  const fitting = able.filter(isOne);
  if (fitting.length < able.length) leftOut[otherwise] = (leftOut[otherwise] ?? 0) + able.length - fitting.length;
  if (fitting.length > 0) return { models: fitting, needs, leftOut };
  // The plan of these models will report until when they rest.
  const waiting = resting.map(atRest).filter(isOne);
  if (waiting.length > 0) return { models: waiting, needs, leftOut };
  const tooLong = lengthLimits(removed, { ...inputs, needs });
  throw tooLong ? tooLongError(tooLong) : noChoiceError(request.model, leftOut, removed, pool.unmatched?.());
}

/** Limits of the model with the longest context that would answer a shorter request; undefined where there is none. */
function lengthLimits(removed: readonly Exclusion[], inputs: RouteInputs): LengthLimits | undefined {
  let longest: LengthLimits | undefined;
  for (const { model } of removed.filter(isByLength)) {
    const limits = planRoute({ ...inputs, needs: { ...inputs.needs, models: [{ id: model }] } })?.tooLong;
    if (limits && (longest === undefined || limits.context > longest.context)) longest = limits;
  }
  return longest;
}

/** A model that a list forbids is counted as forbidden, even where other reasons apply. */
function leftOutBefore({ others, otherwise, leftOut: before }: Pool, rules: Rules): Record<string, number> {
  const leftOut: Record<string, number> = { ...before };
  const forbidden = rules.limitsModels ? others.flatMap(({ id }) => forbids(rules, id) ?? NONE) : NONE;
  for (const reason of forbidden) leftOut[reason] = (leftOut[reason] ?? 0) + 1;
  if (others.length > forbidden.length) leftOut[otherwise] = others.length - forbidden.length;
  return leftOut;
}

const NONE: readonly never[] = [];

const atRest = (model: Model): ChoosableModel => ({ model, legs: [], isWell: false, isFree: false });

/**
 * The best of a ranking, and up to two after it. A session keeps its model while that is a candidate without an outage
 * or a pause (docs/contribute/decisions/0068-routers.md). Where the request names fallbacks, only the best is chosen.
 */
export function makeChoice<Entry extends RankedEntry>(
  request: ModelRequest,
  { session }: ChoiceInputs,
  { leftOut }: Candidates,
  { strategy, ranked, basis, keptOf, figuresOf }: Ranking<Entry>,
): Choice {
  const pin = session?.pinOf(request.model);
  const pinned = pin === undefined ? undefined : ranked.find(({ choosable: { model, isWell } }) => model.id === pin && isWell); // oxfmt-ignore
  const inOrder = pinned ? [pinned, ...ranked.filter((candidate) => candidate !== pinned)] : ranked;
  const chosen = inOrder.slice(0, request.fallbackModels?.models.length ? 1 : CHOSEN_MAX);
  const models = chosen.map(({ choosable }) => choosable.model.id);
  const kept = { ...basis, ...(pinned && { session: true }) };
  const words = Object.values(basis).filter((value) => typeof value === 'string');
  return {
    models,
    strategy,
    summary: [`${models[0]} of ${ranked.length} models`, ...words, ...(pinned ? ['kept by the session'] : [])].join(
      ', ',
    ),
    data: { ...kept, ...(keptOf && { figures: chosen.map(keptOf) }) },
    details: { ...kept, considered: ranked.length, left_out: leftOut },
    ranking: inOrder.slice(0, RANKED_SHOWN_MAX).map((candidate) => ({
      model: candidate.choosable.model.id,
      ...figuresOf(candidate),
      well: candidate.choosable.isWell,
    })),
  };
}

type ScoreKind = keyof Model['scores'];

const POOLS = new WeakMap<CatalogSnapshot['models'], Map<string, Pool>>();

/** The models that have a score, computed once per catalog. */
export const scoredModels = ({ models }: CatalogSnapshot, kind: ScoreKind): Pool =>
  poolOf(models, `no ${kind} score`, ({ scores }) => scores[kind] !== undefined);

/** The models that some endpoint serves free of charge, computed once per catalog. */
export const freeModels = ({ models }: CatalogSnapshot): Pool =>
  poolOf(models, 'not free', ({ endpoints }) => endpoints.some(({ pricing }) => !pricing || pricing.prompt === 0n));

function poolOf(models: CatalogSnapshot['models'], otherwise: string, isOne: (model: Model) => boolean): Pool {
  let pools = POOLS.get(models);
  if (!pools) POOLS.set(models, (pools = new Map<string, Pool>()));
  let pool = pools.get(otherwise);
  if (!pool) {
    const all = [...models.values()];
    pool = { models: all.filter(isOne), others: all.filter((model) => !isOne(model)), otherwise, leftOut: {} };
    pools.set(otherwise, pool);
  }
  return pool;
}
