import { addCandidates, type Candidate } from './candidate.js';
import type { Model } from './catalog.js';
import type { StoredCredential } from './credential.js';
import { inOrder, listCopies, missingCredential, type CredentialCopy } from './credential-copies.js';
import { findFilter, supports, takesPart } from './filters.js';
import type { EndpointHealth } from './health.js';
import type { Exclusion, ExclusionReason } from './plan.js';
import type { RouteInputs } from './route-inputs.js';
import type { Rules } from './rules.js';

/** A candidate with one credential that nothing speaks against. */
export interface Kept {
  readonly candidate: Candidate;
  readonly credential: CredentialCopy;
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

/** WIRE 3.2: what an endpoint may not simply drop where another of the model supports it. */
const SOFT_PARAMETERS = ['tools', 'structured_outputs', 'response_format', 'verbosity'];

/**
 * Judges every endpoint in every tier with every credential: each becomes one entry of one of the two lists. One per
 * plan.
 */
export class CandidateJudge {
  readonly kept: Kept[] = [];
  readonly excluded: Exclusion[] = [];
  private readonly credentials: readonly StoredCredential[];

  constructor(
    private readonly rules: Rules,
    private readonly inputs: RouteInputs,
  ) {
    this.credentials = inOrder(inputs.credentials);
  }

  /** @param modelIndex place of the model in the plan's list */
  judge(model: Model, modelIndex: number): void {
    const candidates: Candidate[] = [];
    for (const endpoint of model.endpoints) addCandidates(endpoint, model, modelIndex, candidates);
    let callable: readonly Callable[] = this.listCallable(candidates);
    if (this.rules.needs.tier === 'flex') callable = this.preferFlex(callable, candidates);
    if (this.rules.needs.preferences.requireParameters !== true) callable = this.preferSoft(callable);
    for (const { candidate, copies } of callable) this.keepCopies(candidate, copies);
  }

  private listCallable(candidates: readonly Candidate[]): readonly Callable[] {
    const callable: Callable[] = [];
    for (const candidate of candidates) {
      if (!takesPart(candidate, this.rules)) {
        this.exclude(candidate, 'service-tier');
        continue;
      }
      const filter = findFilter(candidate, this.rules);
      if (filter) {
        this.exclude(candidate, filter.reason, filter.detail?.(candidate, this.rules));
        continue;
      }
      const copies = this.copiesOf(candidate);
      if (copies.length > 0) callable.push({ candidate, copies });
      else this.exclude(candidate, missingCredential(candidate.provider, this.credentials));
    }
    return callable;
  }

  /**
   * WIRE 3.6: `flex` uses flex endpoints alone if the model has any. One that nobody here has a credential for does not
   * count: a catalog lists providers that are not in use.
   */
  private preferFlex(callable: readonly Callable[], candidates: readonly Candidate[]): readonly Callable[] {
    const hasFlex = candidates.some((candidate) => candidate.tier === 'flex' && this.copiesOf(candidate).length > 0);
    if (!hasFlex) return callable;
    return callable.filter(({ candidate }) => {
      if (candidate.tier !== 'standard') return true;
      this.exclude(candidate, 'service-tier');
      return false;
    });
  }

  /**
   * Decided before pauses are looked at: a request with tools waits for an endpoint that knows tools rather than lose
   * them in silence.
   */
  private preferSoft(callable: readonly Callable[]): readonly Callable[] {
    let left = callable;
    for (const parameter of this.rules.needs.parameters) {
      if (!SOFT_PARAMETERS.includes(parameter)) continue;
      const supporting = left.filter(({ candidate }) => supports(candidate.endpoint, parameter));
      if (supporting.length === 0 || supporting.length === left.length) continue;
      for (const { candidate } of left) {
        if (!supports(candidate.endpoint, parameter)) this.exclude(candidate, 'unsupported-parameter', parameter);
      }
      left = supporting;
    }
    return left;
  }

  /** Each credential of an endpoint has pauses and figures of its own (FAILURES C13). */
  private keepCopies(candidate: Candidate, copies: readonly CredentialCopy[]): void {
    const { model, tag, provider } = candidate;
    let first: Kept | undefined;
    for (const credential of copies) {
      const health = this.inputs.health.find({ model: model.id, tag, credential: credential.id });
      const cooling = health?.cooling;
      if (cooling) {
        const where = { model: model.id, tag, provider: provider.name, credential: credential.id };
        this.excluded.push({ ...where, reason: 'cooling-down', cooling });
        continue;
      }
      const isFirst = first?.credential.group !== credential.group;
      const one: Kept = { candidate, credential, health, placedBy: isFirst ? health : first?.health };
      if (isFirst) first = one;
      this.kept.push(one);
    }
  }

  private copiesOf({ provider, model }: Candidate): readonly CredentialCopy[] {
    return listCopies(provider, model.id, this.credentials, this.inputs.isShared(provider));
  }

  private exclude({ model, tag, provider }: Candidate, reason: ExclusionReason, detail?: string): void {
    const where = { model: model.id, tag, provider: provider.name };
    this.excluded.push(detail === undefined ? { ...where, reason } : { ...where, reason, detail });
  }
}
