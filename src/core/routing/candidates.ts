import type { RequestField } from '../translation.js';
import type { Candidate } from './candidate.js';
import type { Model } from './catalog.js';
import { SHARED_CREDENTIAL, type StoredCredential } from './credential.js';
import { isByLength } from './availability.js';
import { listCopies, missingCredential, ONLY_SHARED, type CredentialCopy } from './credential-copies.js';
import { healthKey, type EndpointHealth, type HealthKey } from './health.js';
import type { Exclusion, ExclusionReason } from './plan.js';
import { placedEndpoint } from './placed-endpoint.js';
import { addCandidates, preparedModel } from './prepared-model.js';
import { askedGeography } from './priced-words.js';
import type { RouteInputs } from './route-inputs.js';
import { findExclusion, sendsTier, supports, takesPart, type Rules } from './rules.js';

/** A candidate with one credential that nothing speaks against. */
export interface EligibleCandidate {
  readonly candidate: Candidate;
  /** Place of its model in the plan's list. */
  readonly modelIndex: number;
  readonly credential: CredentialCopy;
  readonly healthKey: HealthKey;
  readonly health: EndpointHealth | undefined;
  /**
   * What is known under the first kept credential of the same group: it decides the place of the endpoint, so that its
   * keys are tried one after another.
   */
  readonly placedBy: EndpointHealth | undefined;
}

/** A candidate no filter leaves out, with at least one credential. */
interface Callable {
  readonly candidate: Candidate;
  readonly copies: readonly CredentialCopy[];
}

/**
 * docs/wire/routing.md#unsupported-parameters: what an endpoint may not simply drop where another
 * of the model supports it.
 */
const SOFT_PARAMETERS: readonly RequestField[] = ['tools', 'structured_outputs', 'response_format', 'verbosity'];

/** What the endpoints of one plan are judged by, and what became of them: one entry in one of the two lists each. */
export interface Eligibility {
  readonly rules: Rules;
  readonly inputs: RouteInputs;
  /** The caller's own, as `inOrder` gives them. */
  readonly credentials: readonly StoredCredential[];
  readonly kept: EligibleCandidate[];
  readonly excluded: Exclusion[];
  /** In a cool-down that nobody asked for: excluded, unless nothing else is left. */
  readonly cooling: EligibleCandidate[];
}

/**
 * Judges every endpoint of a model in every tier with every credential.
 * @param modelIndex place of the model in the plan's list
 */
export function assessModel(eligibility: Eligibility, model: Model, modelIndex: number): void {
  const { preferences, tier, words } = eligibility.inputs.needs;
  const geography = words && askedGeography(words);
  const candidates =
    geography === undefined ? preparedModel(model).candidates : placedCandidates(eligibility, model, geography);
  let callable: readonly Callable[] = listCallable(eligibility, candidates);
  if (tier === 'flex') callable = preferFlex(eligibility, callable, candidates);
  if (geography !== undefined) callable = preferGeography(eligibility, callable);
  // One alone is preferred to none.
  if (callable.length > 1 && preferences.requireParameters !== true) callable = preferSoft(eligibility, callable);
  for (const { candidate, copies } of callable) keepCopies(eligibility, candidate, copies, modelIndex);
}

/** Each endpoint in the geography of the request, or elsewhere where it has none there. */
function placedCandidates({ inputs }: Eligibility, model: Model, geography: string): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const endpoint of model.endpoints) {
    const placed = placedEndpoint(endpoint, model, geography, inputs.carries);
    addCandidates(placed ?? endpoint, model, candidates);
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
    // Of two reasons the one that a shorter request would meet as well.
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
 * docs/wire/routing.md#service-tiers: `flex` uses flex endpoints alone if the model has any. One that nobody here has
 * a credential for does not count: a catalog lists providers that are not in use.
 */
function preferFlex(
  eligibility: Eligibility,
  callable: readonly Callable[],
  candidates: readonly Candidate[],
): readonly Callable[] {
  const hasFlex = candidates.some(
    (candidate) =>
      candidate.tier === 'flex' &&
      sendsTier(candidate, eligibility.inputs.carries) &&
      copiesOf(eligibility, candidate).length > 0,
  );
  if (!hasFlex) return callable;
  return callable.filter(({ candidate }) => {
    if (candidate.tier !== 'standard') return true;
    exclude(eligibility, candidate, 'service-tier');
    return false;
  });
}

/**
 * Where data is computed is no wish that is dropped while another endpoint of the model grants it: like `preferSoft`.
 */
function preferGeography(eligibility: Eligibility, callable: readonly Callable[]): readonly Callable[] {
  const granting = callable.filter(({ candidate }) => candidate.endpoint.geography);
  if (granting.length === 0) return callable;
  for (const { candidate } of callable) {
    if (!candidate.endpoint.geography) exclude(eligibility, candidate, 'unsupported-parameter', 'inference_geo');
  }
  return granting;
}

/**
 * Decided before pauses are looked at: a request with tools waits for an endpoint that knows tools rather than lose
 * them in silence.
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
 * Each credential of an endpoint has pauses and figures of its own (docs/reasons/routing.md#credentials-fail-apart).
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
    const one: EligibleCandidate = { candidate, modelIndex, credential, healthKey: key, health, placedBy };
    if (isFirst) first = one;
    kept.push(one);
  }
}

const NONE: readonly never[] = [];

function copiesOf({ inputs, credentials }: Eligibility, { provider, model }: Candidate): readonly CredentialCopy[] {
  const isShared = inputs.isShared(provider);
  if (credentials.length === 0) return isShared ? ONLY_SHARED : NONE;
  return listCopies(provider, model.id, credentials, isShared);
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
