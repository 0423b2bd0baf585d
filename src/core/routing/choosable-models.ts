import type { ModelRequest } from '../conversation/request.js';
import type { RequestField } from '../translation.js';
import { assessModel, type Eligibility, type EligibleCandidate } from './candidates.js';
import type { Model } from './catalog.js';
import { inOrder } from './credential-copies.js';
import { tokenPrice } from './leg-price.js';
import type { Exclusion, ExclusionReason } from './plan.js';
import type { ChoiceInputs, RouteNeeds } from './route-inputs.js';
import { routeNeeds } from './route-needs.js';
import { allowsModel, readRules, supports } from './rules.js';

/** A model that could answer a request, with the legs that would be tried first. */
export interface ChoosableModel {
  readonly model: Model;
  /** One at least: those of the first credentials that are neither out nor paused, else all that are left. */
  readonly legs: readonly EligibleCandidate[];
  /** Some of them are neither out nor paused. */
  readonly isWell: boolean;
  /** Every leg that may be tried, also later, is free. */
  readonly isFree: boolean;
}

/** Which of some models could answer a request, and why the others could not. */
export interface ChoosableModels {
  readonly models: readonly ChoosableModel[];
  /** One for each of the others: what kept it from answering. */
  readonly removed: readonly Exclusion[];
  /** Those of them that only wait for a pause that their providers asked for. */
  readonly resting: readonly Model[];
  readonly needs: RouteNeeds;
}

/**
 * What a model that is chosen has to take, as a request's own model has not: there it is dropped where no endpoint
 * knows it (docs/wire/routing.md#unsupported-parameters).
 */
const NEEDED: readonly RequestField[] = ['tools', 'structured_outputs', 'response_format'];

/**
 * Judges models as the planner would, were each of them asked for: policies, preferences, what the request needs,
 * credentials and pauses. Pure.
 * @param models of the catalog
 */
export function choosableModels(
  request: ModelRequest,
  inputs: ChoiceInputs,
  models: readonly Model[],
): ChoosableModels {
  const ids = models.map(({ id }) => id);
  const { catalog, policies, credentials, shortensTo } = inputs;
  const needs = routeNeeds(request, catalog, { by: '', strategy: 'auto', models: ids, data: {} }, shortensTo);
  const rules = readRules(needs, policies);
  const ordered = credentials.length > 1 ? inOrder(credentials) : credentials;
  const parameters = needs.parameters.filter((parameter) => NEEDED.includes(parameter));
  const found: ChoosableModel[] = [];
  const removed: Exclusion[] = [];
  const resting: Model[] = [];
  for (const model of models) {
    if (rules.limitsModels && !allowsModel(rules, model.id)) {
      removed.push({ model: model.id, reason: 'model-not-allowed' });
      continue;
    }
    const eligibility: Eligibility = {
      rules,
      inputs: { ...inputs, needs },
      credentials: ordered,
      kept: [],
      excluded: [],
      cooling: [],
    };
    assessModel(eligibility, model, 0);
    const unserved = parameters.find((parameter) => !isServed(eligibility, parameter));
    const choosable = unserved === undefined ? choosableModel(model, eligibility) : undefined;
    if (choosable) found.push(choosable);
    else {
      const reason = reasonOf(eligibility, unserved);
      removed.push({ model: model.id, ...reason });
      if (reason.reason === 'cooling-down') resting.push(model);
    }
  }
  return { models: found, removed, resting, needs };
}

/** Legs of one model all know a parameter, or none does: `assessModel` has kept those that do. */
function isServed({ kept, cooling, inputs: { carries } }: Eligibility, parameter: RequestField): boolean {
  const first = kept[0] ?? cooling[0];
  if (!first) return true;
  const { candidate } = first;
  return supports(candidate.endpoint, parameter) && (carries?.(candidate, parameter) ?? true);
}

function choosableModel(model: Model, { kept, cooling }: Eligibility): ChoosableModel | undefined {
  const well = kept.filter(({ health }) => health?.isOut !== true);
  const left = well.length > 0 ? well : kept.length > 0 ? kept : cooling;
  if (left.length === 0) return undefined;
  let group = Infinity;
  for (const { credential } of left) group = Math.min(group, credential.group);
  return {
    model,
    legs: left.filter(({ credential }) => credential.group === group),
    isWell: well.length > 0,
    isFree: kept.every(isFreeLeg) && cooling.every(isFreeLeg),
  };
}

const isFreeLeg = ({ candidate: { endpoint } }: EligibleCandidate): boolean =>
  endpoint.pricing === null || Object.values(endpoint.pricing).every(isNothing);

/** A price, or a list of prices of a length or a tier. */
const isNothing = (price: unknown): boolean => price === 0n || (Array.isArray(price) && price.length === 0);

/** These say little of what the caller could change: a catalog lists providers that are not in use. */
const SAYS_LITTLE: ReadonlySet<ExclusionReason> = new Set<ExclusionReason>(['service-tier', 'no-credential']);

function reasonOf({ excluded }: Eligibility, unserved: RequestField | undefined): Pick<Exclusion, 'reason' | 'detail'> {
  if (unserved !== undefined) return { reason: 'unsupported-parameter', detail: unserved };
  if (excluded.some(({ cooling }) => cooling)) return { reason: 'cooling-down' };
  const { reason, detail } = excluded.find((one) => !SAYS_LITTLE.has(one.reason)) ?? excluded.at(-1) ?? UNSERVED;
  return { reason, ...(detail !== undefined && { detail }) };
}

/** Of a model without endpoints. */
const UNSERVED: Pick<Exclusion, 'reason' | 'detail'> = { reason: 'no-credential' };

const PICO_PER_USD = 1e12;

/** How many tokens of each side are paid for. */
export interface CountedTokens {
  readonly prompt: number;
  readonly completion: number;
  /** Of the prompt that prices by length go by; absent: the same as `prompt`. */
  readonly length?: number;
}

/**
 * What a call of so many tokens costs at the cheapest of these legs by its list: USD, whoever is billed for it. Fees of
 * a request count, what a cache saves does not.
 */
export function cheapestUsd(
  legs: readonly EligibleCandidate[],
  { prompt, completion, length = prompt }: CountedTokens,
): number {
  let least = Infinity;
  for (const { candidate } of legs) {
    const { pricing } = candidate.endpoint;
    if (!pricing) return 0;
    const ofPrompt = Number(tokenPrice(pricing, 'prompt', candidate.tier, length)) * prompt;
    const ofCompletion = Number(tokenPrice(pricing, 'completion', candidate.tier, length)) * completion;
    least = Math.min(least, ofPrompt + ofCompletion + Number(pricing.request ?? 0n));
  }
  return least / PICO_PER_USD;
}
