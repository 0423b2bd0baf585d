import type { JsonObject } from '../json/json.js';
import { SHARED_CREDENTIAL } from './credential.js';
import { readModelName } from './model-name.js';
import type { Leg, Plan, RouterStrategy } from './plan.js';

/** Limit of listed endpoints; the one that answered is listed even beyond it. All are counted. */
export const AVAILABLE_SHOWN_MAX = 100;

/** One call that was made. */
export interface AttemptOutcomeView {
  readonly leg: Leg;
  /** HTTP status; 200 for the one that answered. */
  readonly status: number;
  /** The provider refused the leg's credential, which is the caller's own. */
  readonly isCredentialRefused?: boolean;
  /** Names of the parts of the request that were not sent; absent: all were sent. */
  readonly dropped?: readonly string[] | undefined;
}

/** The outcome of a plan. */
export interface RouteRun {
  /** The calls in the order they were made; legs without a call are absent. */
  readonly attempts: readonly AttemptOutcomeView[];
  /** The last of them, unless it failed as well. Absent on every error, including one within a stream. */
  readonly answered?: Leg;
  /** The stages that changed or stopped something (docs/use/routing-metadata.md#stages). */
  readonly pipeline?: readonly JsonObject[];
  /** Milliseconds since the request was accepted. */
  readonly generationMs: number;
}

/** The strategy that determined the models of a plan (docs/use/routing-metadata.md#fields). */
export function strategyOf({ models, requested, strategy }: Plan): RouterStrategy | 'direct' | 'alias' | 'fallback' {
  if (strategy) return strategy;
  if (models.length > 1) return 'fallback';
  return readModelName(requested).id === models[0] ? 'direct' : 'alias';
}

/**
 * Describes how a request was routed (docs/use/routing-metadata.md#fields): its seven required keys are always
 * present, money and addresses never.
 */
export function routerMetadata(plan: Plan, run: RouteRun): JsonObject {
  const { attempts, answered, pipeline = [], generationMs } = run;
  const last = answered ?? attempts.at(-1)?.leg;
  const endpoints = viewEndpoints(plan, answered);
  const selected = answered ? `, selected=${answered.endpoint.provider.name}` : '';
  return {
    requested: plan.requested,
    strategy: strategyOf(plan),
    region: answered?.endpoint.provider.policy.region ?? null,
    summary: `available=${endpoints.kept}${selected}`,
    attempt: attempts.length,
    is_byok: last !== undefined && last.credential !== SHARED_CREDENTIAL,
    endpoints: { total: endpoints.total, available: endpoints.available },
    ...(attempts.length > 0 && { attempts: attempts.map(viewAttempt) }),
    ...(pipeline.length > 0 && { pipeline }),
    generation_time: Math.round(generationMs),
  };
}

/** Optional fields are absent for most attempts: few use a caller's own credential or drop a word. */
function viewAttempt({ leg, status, isCredentialRefused, dropped }: AttemptOutcomeView): JsonObject {
  return {
    provider: leg.endpoint.provider.name,
    model: leg.model.id,
    status,
    ...(leg.credential !== SHARED_CREDENTIAL && { is_byok: true }),
    ...(isCredentialRefused && { credential_refused: true }),
    ...(dropped && { dropped }),
  };
}

interface EndpointsView {
  readonly total: number;
  readonly kept: number;
  readonly available: readonly JsonObject[];
}

/** A model at a tag counts once, regardless of its number of credentials. */
function viewEndpoints(plan: Plan, answered: Leg | undefined): EndpointsView {
  const seen = new Set<string>();
  const available: JsonObject[] = [];
  for (const leg of plan.legs) {
    const name = nameOf(leg.model.id, leg.tag);
    if (seen.has(name)) continue;
    seen.add(name);
    const selected = answered !== undefined && leg.tag === answered.tag && leg.model.id === answered.model.id;
    if (seen.size > AVAILABLE_SHOWN_MAX && !selected) continue;
    available.push({ provider: leg.endpoint.provider.name, model: leg.model.id, selected });
  }
  const kept = seen.size;
  for (const { model, tag } of plan.excluded) if (tag !== undefined) seen.add(nameOf(model, tag));
  return { total: seen.size, kept, available };
}

/** Models and tags contain no spaces. */
const nameOf = (model: string, tag: string): string => `${model} ${tag}`;
