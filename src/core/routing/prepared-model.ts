import type { Candidate } from './candidate.js';
import type { Endpoint, Model } from './catalog.js';
import { SHARED_CREDENTIAL } from './credential.js';
import { healthKey } from './health.js';
import { comparedPrice, lengthsOf } from './leg-price.js';
import type { ServiceTier } from './plan.js';
import type { NamedModel } from './route-inputs.js';

/** Routing data of a model that depends on the catalog alone: the same for all requests. */
export interface PreparedModel {
  /** Every endpoint in every tier, without its geographies. */
  readonly candidates: readonly Candidate[];
  /** The model as a request names it by its id. */
  readonly named: readonly NamedModel[];
  /** The shortest and the longest context of its endpoints, in tokens. */
  readonly contextMin: number;
  readonly contextMax: number;
}

/** Cache by catalog entry, which never changes: a reload creates new ones. */
const PREPARED = new WeakMap<Model, PreparedModel>();

export function preparedModel(model: Model): PreparedModel {
  let prepared = PREPARED.get(model);
  if (!prepared) PREPARED.set(model, (prepared = prepareModel(model)));
  return prepared;
}

function prepareModel(model: Model): PreparedModel {
  const candidates: Candidate[] = [];
  let contextMin = Infinity;
  let contextMax = 0;
  for (const endpoint of model.endpoints) {
    addCandidates(endpoint, model, candidates);
    contextMin = Math.min(contextMin, endpoint.contextLength);
    contextMax = Math.max(contextMax, endpoint.contextLength);
  }
  return { candidates, named: [{ id: model.id }], contextMin, contextMax };
}

const PRICED_TIERS = ['fast', 'priority', 'flex'] as const satisfies readonly ServiceTier[];

/**
 * An endpoint serves in `standard`, and in each tier it has a price list for
 * (docs/use/choosing-providers.md#service-tiers).
 */
export function addCandidates(endpoint: Endpoint, model: Model, out: Candidate[]): void {
  const { tag, pricing } = endpoint;
  out.push(candidateOf(endpoint, model, 'standard', tag));
  if (!pricing) return;
  for (const tier of PRICED_TIERS) {
    if (pricing[tier]) out.push(candidateOf(endpoint, model, tier, `${tag}/${tier}`));
  }
}

const candidateOf = (endpoint: Endpoint, model: Model, tier: ServiceTier, tag: string): Candidate => ({
  model,
  endpoint,
  provider: endpoint.provider,
  tier,
  tag,
  sharedKey: healthKey(model.id, tag, SHARED_CREDENTIAL),
  flatPrice: flatPriceOf(endpoint, tier),
});

/** Undefined where a fee per request is spread over the tokens and so depends on their number. */
function flatPriceOf({ pricing }: Endpoint, tier: ServiceTier): number | undefined {
  if (!pricing) return 0;
  if (lengthsOf(pricing, tier).length > 0 || (pricing.request ?? 0n) > 0n) return undefined;
  return comparedPrice(pricing, tier, { promptTokensMin: 0 });
}
