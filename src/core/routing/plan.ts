import type { Endpoint, Model } from './catalog.js';
import type { EndpointHealth, HealthKey } from './health.js';

/** Limit of models whose endpoints take part in one plan (docs/contribute/reasons/routing.md#bounds-of-a-plan). */
export const MODELS_MAX = 8;
/**
 * Maximum number of calls for one request. One call is reserved for each fallback model, so a request that names more
 * models may make more calls.
 */
export const ATTEMPTS_MAX = 6;

/**
 * The service tier requested of an endpoint: each tier has its own prices and is a separate candidate
 * (docs/use/choosing-providers.md#provider-names, docs/use/choosing-providers.md#service-tiers).
 */
export const SERVICE_TIERS = ['standard', 'fast', 'priority', 'flex'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** One planned attempt: a model at an endpoint, in one tier, with one credential. */
export interface Leg {
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly tier: ServiceTier;
  /**
   * The endpoint's tag, followed by the tier unless that is `standard`: `openai`, `deepinfra/turbo`, `openai/priority`.
   */
  readonly tag: string;
  /** `SHARED_CREDENTIAL`, or the id of a stored one. */
  readonly credential: string;
  /** The displayable part of a stored credential. */
  readonly credentialLabel?: string | undefined;
  /** Whether the request or a policy forbids that the provider collects or stores the data of this call. */
  readonly refusesKeeping?: boolean | undefined;
  /** The health key of its calls; absent: derived from the other fields. */
  readonly healthKey?: HealthKey;
}

/** The rule that excluded a candidate. Each has a row in the tables of `availability.ts`. */
export type ExclusionReason =
  | 'unknown-model' // a further model the catalog does not have
  | 'too-many-models' // past `MODELS_MAX`
  | 'model-not-allowed' // by a guardrail
  | 'model-not-for-key' // by the list of the key itself
  | 'no-credential' // neither the operator nor the caller can call this provider
  | 'credential-not-for-model' // the only credential is not allowed for this model
  | 'not-allowed' // `only`, of the request or of a policy
  | 'ignored' // `ignore`, of the request or of a policy
  | 'not-in-order' // `order` without fallbacks
  | 'not-first' // `allow_fallbacks: false`, and another is tried
  | 'collects-data'
  | 'retains-data'
  | 'not-distillable'
  | 'quantization'
  | 'unsupported-parameter'
  | 'max-price'
  | 'context-length'
  | 'max-tokens'
  | 'modality'
  | 'other-task' // the model does something else than the route that was called
  | 'service-tier' // the tier was not requested, or flex was requested and this is not flex
  | 'cooling-down'
  | 'unaffordable'; // its bound exceeds what one of the counters allows

/** A candidate that was left out, and why. */
export interface Exclusion {
  readonly model: string;
  /** Absent where the whole model was left out. */
  readonly tag?: string;
  /** Display name of the provider. */
  readonly provider?: string;
  readonly credential?: string;
  readonly reason: ExclusionReason;
  /** The deciding field or figure: `tools`, `prompt 3 > 2`. Never content. */
  readonly detail?: string;
  /** For `cooling-down`; for `not-first` where all remaining candidates cool down. */
  readonly cooling?: EndpointHealth['cooling'];
}

/** An entry of a request's lists of providers that is unknown: it matches nothing. */
export interface UnknownProvider {
  /** Path of the entry in the request, such as `provider.only.0`. */
  readonly field: string;
  /** The caller's text, possibly shortened. */
  readonly name: string;
  /** Similar slugs of the catalog, the nearest first. */
  readonly nearest: readonly string[];
}

/** The maximal lengths, in tokens, at the endpoints that would serve the request if it were shorter. */
export interface LengthLimits {
  /** Lower bound of the prompt. */
  readonly prompt: number;
  /** Longest context. */
  readonly context: number;
  /** The requested answer length, its field, and the longest answer by the endpoints' limits. */
  readonly output: number;
  readonly outputField: string;
  readonly outputMax: number;
  /** The longest answer that fits behind the prompt; 0 or less: none. */
  readonly outputLeft: number;
}

/** One leg of a plan with the data that decided its rank. */
export interface PlannedLeg extends Leg {
  /** Index of the request's model it serves, 0 = the first. */
  readonly modelIndex: number;
  /** USD per million tokens, prompt + completion, with this request's fees, for its tier and length. 0 = free. */
  readonly price: number;
  /**
   * Weight in the draw, 1/price² (at the shortest length within a session); absent where the order was requested, and
   * for what is free.
   */
  readonly weight?: number | undefined;
  /** Why the leg is ranked behind the others. */
  readonly setBack?: 'outage' | 'preference' | undefined;
  /** Whether the session was pinned to this endpoint. */
  readonly isPinned?: boolean | undefined;
  /** Health of the endpoint, if planning read it. */
  readonly health?: EndpointHealth | undefined;
}

/** Strategies by which routers choose models, as named in the routing metadata. */
export const ROUTER_STRATEGIES = ['auto', 'free', 'pareto', 'fusion'] as const;
export type RouterStrategy = (typeof ROUTER_STRATEGIES)[number];

/** The rule that determined the order of the legs. */
export type Ordering = 'draw' | 'session' | 'order' | 'price' | 'throughput' | 'latency' | 'exacto';

/**
 * The attempts of one request in order, and the reasons for all excluded candidates: the decision as data. Immutable.
 */
export interface Plan {
  /** The requested model, unchanged from the request. */
  readonly requested: string;
  /** Ids of the catalog, in the order they are tried. */
  readonly models: readonly string[];
  /** Id of the plugin that chose them; absent: the request names them. */
  readonly chosenBy?: string | undefined;
  /** The strategy by which the plugin chose them; absent: the request names them. */
  readonly strategy?: RouterStrategy | undefined;
  readonly ordering: Ordering;
  /** The seed of the draw; the same seed and inputs give the same plan. */
  readonly seed: string;
  /** Hash of the catalog snapshot. */
  readonly catalog: string;
  readonly legs: readonly PlannedLeg[];
  readonly excluded: readonly Exclusion[];
  /** Unknown entries of the request's lists of providers, which match nothing; absent: none. */
  readonly unknownProviders?: readonly UnknownProvider[] | undefined;
  /** Present where the length of the request is the only reason for a plan without legs. */
  readonly tooLong?: LengthLimits | undefined;
  /** Limit of calls under this plan. */
  readonly attemptsMax: number;
  /** A refusal moves on to the next model. */
  readonly movesOnRefusal: boolean;
}
