import type { RequestField } from '../translation.js';
import type { Candidate } from './candidate.js';
import type { Model } from './catalog.js';
import { SHARED_CREDENTIAL, type StoredCredential } from './credential.js';
import { isByLength } from './availability.js';
import { listCopies, missingCredential, ONLY_SHARED, type CredentialCopy } from './credential-copies.js';
import { healthKey, type EndpointHealth, type HealthKey } from './health.js';
import type { Exclusion, ExclusionReason } from './plan.js';
import { regionalEndpoint } from './regional-endpoint.js';
import { addCandidates, preparedModel } from './prepared-model.js';
import { requestedGeography } from './priced-options.js';
import type { RouteInputs } from './route-inputs.js';
import { findExclusion, sendsTier, supports, takesPart, type Rules } from './rules.js';

/** A candidate with one credential that no rule excludes. */
export interface EligibleCandidate {
  readonly candidate: Candidate;
  /** Index of its model in the plan's list. */
  readonly modelIndex: number;
  readonly credential: CredentialCopy;
  readonly healthKey: HealthKey;
  readonly health: EndpointHealth | undefined;
  /**
   * The health under the first kept credential of the same group. It decides the rank of the endpoint, so that its
   * keys are tried one after another.
   */
  readonly placedBy: EndpointHealth | undefined;
}

/** A candidate that no filter excludes, with at least one credential. */
interface Callable {
  readonly candidate: Candidate;
  readonly copies: readonly CredentialCopy[];
}

/**
 * docs/use/choosing-providers.md#unsupported-parameters: parameters an endpoint must not drop where another of the
 * model supports them.
 */
const SOFT_PARAMETERS: readonly RequestField[] = ['tools', 'structured_outputs', 'response_format', 'verbosity'];

/** The criteria for the endpoints of one plan, and the result: each candidate is added to one of the two lists. */
export interface Eligibility {
  readonly rules: Rules;
  readonly inputs: RouteInputs;
  /** The caller's own, as returned by `inOrder`. */
  readonly credentials: readonly StoredCredential[];
  readonly kept: EligibleCandidate[];
  readonly excluded: Exclusion[];
  /** Candidates in a cool-down that their provider did not request: excluded, unless nothing else is left. */
  readonly cooling: EligibleCandidate[];
}

/**
 * Judges every endpoint of a model in every tier with every credential.
 * @param modelIndex index of the model in the plan's list
 */
export function assessModel(eligibility: Eligibility, model: Model, modelIndex: number): void {
  const { preferences, tier, pricedOptions } = eligibility.inputs.needs;
  const geography = pricedOptions && requestedGeography(pricedOptions);
  const candidates =
    geography === undefined ? preparedModel(model).candidates : placedCandidates(eligibility, model, geography);
  let callable: readonly Callable[] = listCallable(eligibility, candidates);
  if (tier === 'flex') callable = preferFlex(eligibility, callable, candidates);
  if (geography !== undefined) callable = preferGeography(eligibility, callable);
  // A single candidate needs no preference.
  if (callable.length > 1 && preferences.requireParameters !== true) callable = preferSoft(eligibility, callable);
  for (const { candidate, copies } of callable) keepCopies(eligibility, candidate, copies, modelIndex);
}

/** Each endpoint in the requested geography, or its plain form where it has no such geography. */
function placedCandidates({ inputs }: Eligibility, model: Model, geography: string): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const endpoint of model.endpoints) {
    const regional = regionalEndpoint(endpoint, model, geography, inputs.supportsField);
    addCandidates(regional ?? endpoint, model, candidates);
  }
  return candidates;
}

function listCallable(eligibility: Eligibility, candidates: readonly Candidate[]): readonly Callable[] {
  const { rules, credentials, inputs } = eligibility;
  const callable: Callable[] = [];
  for (const candidate of candidates) {
    if (candidate.tier !== inputs.needs.tier && !takesPart(candidate, rules, inputs.needs)) {
      exclude(eligibility, candidate, 'service-tier');
      continue;
    }
    const exclusion = findExclusion(candidate, rules, inputs.needs, inputs);
    // If two reasons apply, the one that a shorter request would meet as well is reported.
    if (exclusion && !(isByLength(exclusion) && copiesOf(eligibility, candidate).length === 0)) {
      exclude(eligibility, candidate, exclusion.reason, exclusion.detail);
      continue;
    }
    const copies = copiesOf(eligibility, candidate);
    if (copies.length > 0) {
      callable.push({ candidate, copies });
      continue;
    }
    const { reason, detail } = missingCredential(candidate.provider, credentials);
    exclude(eligibility, candidate, reason, detail);
  }
  return callable;
}

/**
 * docs/use/choosing-providers.md#service-tiers: `flex` uses only flex endpoints if the model has any. One without a
 * credential does not count: a catalog lists providers that are not in use.
 */
function preferFlex(
  eligibility: Eligibility,
  callable: readonly Callable[],
  candidates: readonly Candidate[],
): readonly Callable[] {
  const hasFlex = candidates.some(
    (candidate) =>
      candidate.tier === 'flex' &&
      sendsTier(candidate, eligibility.inputs.supportsField) &&
      copiesOf(eligibility, candidate).length > 0,
  );
  if (!hasFlex) return callable;
  return callable.filter(({ candidate }) => {
    if (candidate.tier !== 'standard') return true;
    exclude(eligibility, candidate, 'service-tier');
    return false;
  });
}

/** A requested geography is kept while an endpoint of the model grants it, as in `preferSoft`. */
function preferGeography(eligibility: Eligibility, callable: readonly Callable[]): readonly Callable[] {
  const granting = callable.filter(({ candidate }) => candidate.endpoint.geography);
  if (granting.length === 0) return callable;
  for (const { candidate } of callable) {
    if (!candidate.endpoint.geography) exclude(eligibility, candidate, 'unsupported-parameter', 'inference_geo');
  }
  return granting;
}

/**
 * Runs before pauses are checked: a request with tools waits for an endpoint that supports tools rather than silently
 * lose them.
 */
function preferSoft(eligibility: Eligibility, callable: readonly Callable[]): readonly Callable[] {
  let left = callable;
  for (const parameter of eligibility.inputs.needs.parameters) {
    if (!SOFT_PARAMETERS.includes(parameter)) continue;
    const supporting = left.filter(({ candidate }) => supports(candidate.endpoint, parameter));
    if (supporting.length === 0 || supporting.length === left.length) continue;
    for (const { candidate } of left) {
      if (!supports(candidate.endpoint, parameter)) exclude(eligibility, candidate, 'unsupported-parameter', parameter);
    }
    left = supporting;
  }
  return left;
}

/**
 * Each credential of an endpoint has its own pauses and figures
 * (docs/use/routing.md#health).
 */
function keepCopies(
  { inputs, kept, excluded, cooling: left }: Eligibility,
  candidate: Candidate,
  copies: readonly CredentialCopy[],
  modelIndex: number,
): void {
  const { model, tag, provider } = candidate;
  let first: EligibleCandidate | undefined;
  for (const credential of copies) {
    const key = credential.id === SHARED_CREDENTIAL ? candidate.sharedKey : healthKey(model.id, tag, credential.id);
    const health = inputs.health.find(key);
    const cooling = health?.cooling;
    if (cooling) {
      const where = { model: model.id, tag, provider: provider.name, credential: credential.id };
      excluded.push({ ...where, reason: 'cooling-down', cooling });
      if (!cooling.isFirm) left.push({ candidate, modelIndex, credential, healthKey: key, health, placedBy: health });
      continue;
    }
    const isFirst = first?.credential.group !== credential.group;
    const placedBy = isFirst ? health : first?.health;
    const eligible: EligibleCandidate = { candidate, modelIndex, credential, healthKey: key, health, placedBy };
    if (isFirst) first = eligible;
    kept.push(eligible);
  }
}

const NONE: readonly never[] = [];

function copiesOf({ inputs, credentials }: Eligibility, { provider, model }: Candidate): readonly CredentialCopy[] {
  const offersShared = inputs.offersSharedCredential(provider);
  if (credentials.length === 0) return offersShared ? ONLY_SHARED : NONE;
  return listCopies(provider, model.id, credentials, offersShared);
}

function exclude(
  { excluded }: Eligibility,
  { model, tag, provider }: Candidate,
  reason: ExclusionReason,
  detail?: string,
): void {
  const where = { model: model.id, tag, provider: provider.name };
  excluded.push(detail === undefined ? { ...where, reason } : { ...where, reason, detail });
}
