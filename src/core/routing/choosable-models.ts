import type { ModelRequest } from '../conversation/request.js';
import type { RequestField } from '../translation.js';
import { assessModel, type Eligibility, type EligibleCandidate } from './candidates.js';
import type { Model, Pricing } from './catalog.js';
import { inOrder } from './credential-copies.js';
import { tokenPrice } from './leg-price.js';
import type { Exclusion, ExclusionReason, ServiceTier } from './plan.js';
import type { ChoiceInputs, RouteNeeds } from './route-inputs.js';
import { routeNeeds } from './route-needs.js';
import { forbids, readRules, supports } from './rules.js';

/** A model that can answer a request, with the legs that would be tried first. */
export interface ChoosableModel {
  readonly model: Model;
  /** Legs of the first credential group that are neither out nor paused, else all remaining legs. At least one. */
  readonly legs: readonly EligibleCandidate[];
  /** Whether at least one leg is neither out nor paused. */
  readonly isWell: boolean;
  /** Every leg that may be tried, including later ones, is free. */
  readonly isFree: boolean;
}

/** The given models that can answer a request, and the reasons that exclude the others. */
export interface ChoosableModels {
  readonly models: readonly ChoosableModel[];
  /** One for each of the other models: why it cannot answer. */
  readonly removed: readonly Exclusion[];
  /** Removed models that only wait for a pause their providers requested. */
  readonly resting: readonly Model[];
  readonly needs: RouteNeeds;
}

/**
 * Parameters that a chosen model must support. For a model the request names itself, an unsupported parameter is
 * dropped instead (docs/use/choosing-providers.md#unsupported-parameters).
 */
const NEEDED: readonly RequestField[] = ['tools', 'structured_outputs', 'response_format'];

/**
 * Judges each model as the planner would if the request named it: policies, preferences, needs, credentials and pauses.
 * Pure.
 * @param models of the catalog
 */
export function choosableModels(
  request: ModelRequest,
  inputs: ChoiceInputs,
  models: readonly Model[],
): ChoosableModels {
  const { catalog, policies, credentials, shortensTo } = inputs;
  // The list of models matters only where the request is shortened.
  const ids = shortensTo === undefined ? [] : models.map(({ id }) => id);
  const needs = routeNeeds(request, catalog, { by: '', strategy: 'auto', models: ids, data: {} }, shortensTo);
  const rules = readRules(needs.preferences, policies);
  const ordered = credentials.length > 1 ? inOrder(credentials) : credentials;
  const parameters = needs.parameters.filter((parameter) => NEEDED.includes(parameter));
  const found: ChoosableModel[] = [];
  const removed: Exclusion[] = [];
  const resting: Model[] = [];
  // Shared by all models in turn: the kept legs of one are removed before the next.
  const eligibility: Eligibility = {
    rules,
    inputs: { ...inputs, needs },
    credentials: ordered,
    kept: [],
    excluded: [],
    cooling: [],
  };
  const { kept, excluded, cooling } = eligibility;
  for (const model of models) {
    const forbidden = rules.limitsModels ? forbids(rules, model.id) : undefined;
    if (forbidden !== undefined) {
      removed.push({ model: model.id, reason: forbidden });
      continue;
    }
    kept.length = excluded.length = cooling.length = 0;
    assessModel(eligibility, model, 0);
    const unserved = parameters.length === 0 ? undefined : findUnserved(eligibility, parameters);
    const choosable = unserved === undefined ? choosableModel(model, eligibility) : undefined;
    if (choosable) {
      found.push(choosable);
      continue;
    }
    const reason = reasonOf(eligibility, unserved);
    removed.push({ model: model.id, ...reason });
    if (reason.reason === 'cooling-down') resting.push(model);
  }
  return { models: found, removed, resting, needs };
}

/** All legs of a model support a parameter or none does, because `assessModel` kept only those that do. */
function findUnserved(
  { kept, cooling, inputs: { supportsField } }: Eligibility,
  parameters: readonly RequestField[],
): RequestField | undefined {
  const candidate = (kept[0] ?? cooling[0])?.candidate;
  return (
    candidate &&
    parameters.find(
      (parameter) => !supports(candidate.endpoint, parameter) || supportsField?.(candidate, parameter) === false,
    )
  );
}

/** The lists of legs are copied: `Eligibility` is reused for the next model. */
function choosableModel(model: Model, { kept, cooling }: Eligibility): ChoosableModel | undefined {
  const possible = kept.length > 0 ? kept : cooling;
  let isWell = false;
  let isFree = true;
  for (const leg of kept) {
    isWell ||= isHealthy(leg);
    isFree &&= isFreeLeg(leg);
  }
  for (const leg of cooling) isFree &&= isFreeLeg(leg);
  let group = Infinity;
  for (const leg of possible) if (!isWell || isHealthy(leg)) group = Math.min(group, leg.credential.group);
  const legs = possible.filter((leg) => leg.credential.group === group && (!isWell || isHealthy(leg)));
  return legs.length > 0 ? { model, legs, isWell, isFree } : undefined;
}

const isHealthy = ({ health }: EligibleCandidate): boolean => health?.isOut !== true;

const isFreeLeg = ({ candidate: { endpoint } }: EligibleCandidate): boolean =>
  endpoint.pricing === null || figuresOf(endpoint.pricing).isNothing;

/** A price list as numbers, converted once per list. */
interface PriceFigures {
  readonly isNothing: boolean;
  /** 10⁻¹² USD per token at any length in the tier `standard`; undefined: the price depends on the length. */
  readonly flat: { readonly prompt: number; readonly completion: number } | undefined;
  /** 10⁻¹² USD. */
  readonly request: number;
}

const PRICES = new WeakMap<Pricing, PriceFigures>();

function figuresOf(pricing: Pricing): PriceFigures {
  let figures = PRICES.get(pricing);
  if (!figures) {
    const { prompt, completion, request = 0n, tiers } = pricing;
    figures = {
      isNothing: Object.values(pricing).every((price) => price === 0n || (Array.isArray(price) && price.length === 0)),
      flat: tiers.length === 0 ? { prompt: Number(prompt), completion: Number(completion) } : undefined,
      request: Number(request),
    };
    PRICES.set(pricing, figures);
  }
  return figures;
}

/** Reasons the caller can do little about: a catalog lists providers that are not in use. */
const UNHELPFUL_REASONS: ReadonlySet<ExclusionReason> = new Set<ExclusionReason>(['service-tier', 'no-credential']);

function reasonOf({ excluded }: Eligibility, unserved: RequestField | undefined): Pick<Exclusion, 'reason' | 'detail'> {
  if (unserved !== undefined) return { reason: 'unsupported-parameter', detail: unserved };
  if (excluded.some(({ cooling }) => cooling)) return { reason: 'cooling-down' };
  const { reason, detail } =
    excluded.find((exclusion) => !UNHELPFUL_REASONS.has(exclusion.reason)) ?? excluded.at(-1) ?? UNSERVED;
  return { reason, ...(detail !== undefined && { detail }) };
}

/** The reason for a model without endpoints. */
const UNSERVED: Pick<Exclusion, 'reason' | 'detail'> = { reason: 'no-credential' };

const PICO_PER_USD = 1e12;

const pricesAt = (pricing: Pricing, tier: ServiceTier, length: number) => ({
  prompt: Number(tokenPrice(pricing, 'prompt', tier, length)),
  completion: Number(tokenPrice(pricing, 'completion', tier, length)),
});

/** The number of paid tokens on each side. */
export interface CountedTokens {
  readonly prompt: number;
  readonly completion: number;
  /** The prompt length that selects the length tier; absent: the same as `prompt`. */
  readonly length?: number;
}

/**
 * The list price in USD of a call with these token counts at the cheapest of the legs, regardless of who is billed.
 * Includes fees per request; ignores cache savings.
 */
export function cheapestUsd(
  legs: readonly EligibleCandidate[],
  { prompt, completion, length = prompt }: CountedTokens,
): number {
  let least = Infinity;
  for (const { candidate } of legs) {
    const { pricing } = candidate.endpoint;
    if (!pricing) return 0;
    const { flat, request } = figuresOf(pricing);
    const prices = (candidate.tier === 'standard' && flat) || pricesAt(pricing, candidate.tier, length);
    least = Math.min(least, prices.prompt * prompt + prices.completion * completion + request);
  }
  return least / PICO_PER_USD;
}
