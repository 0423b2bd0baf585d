import type { Endpoint, Model } from './catalog.js';
import type { EndpointHealth, HealthKey } from './health.js';

/** Most models whose endpoints take part in one plan (docs/reasons/routing.md#bounds-of-a-plan). */
export const MODELS_MAX = 8;
/** Most calls for one request, unless it names more models: each later model keeps one of them. */
export const ATTEMPTS_MAX = 6;

/**
 * How an endpoint is asked to serve: each tier is priced apart, and is a candidate of its own
 * (docs/wire/routing.md#provider-names, docs/wire/routing.md#service-tiers).
 */
export const SERVICE_TIERS = ['standard', 'fast', 'priority', 'flex'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** One attempt that may be made: a model at an endpoint, in one tier, with one credential. */
export interface Leg {
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly tier: ServiceTier;
  /**
   * The endpoint's tag, with the tier behind it unless that is `standard`: `openai`,
   * `deepinfra/turbo`, `openai/priority`.
   */
  readonly tag: string;
  /** `SHARED_CREDENTIAL`, or the id of a stored one. */
  readonly credential: string;
  /** What of a stored one may be shown. */
  readonly credentialLabel?: string | undefined;
  /** The request, or a policy above it, lets the data of this call be neither collected nor kept; absent: it may. */
  readonly refusesKeeping?: boolean | undefined;
  /** Whose figures its calls are; absent: it is made of the rest. */
  readonly healthKey?: HealthKey;
}

/** Which of the written rules left a candidate out. Each has a row in the tables of `availability.ts`. */
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
  | 'service-tier' // a tier nobody asked for, or flex was asked for and this is not it
  | 'cooling-down'
  | 'unaffordable'; // its bound has no room in one of the counters

/** A candidate that was left out, and why. */
export interface Exclusion {
  readonly model: string;
  /** Absent where the whole model was left out. */
  readonly tag?: string;
  /** Display name of the provider. */
  readonly provider?: string;
  readonly credential?: string;
  readonly reason: ExclusionReason;
  /** The field or figure that decided: `tools`, `prompt 3 > 2`. Never content. */
  readonly detail?: string;
  /** For `cooling-down`; for `not-first` where all that were left cool. */
  readonly cooling?: EndpointHealth['cooling'];
}

/** An entry of a request's lists of providers that nobody knows: it matches nothing. */
export interface UnknownProvider {
  /** Where it stands: `provider.only.0`. */
  readonly field: string;
  /** As the caller wrote it, as far as it is shown. */
  readonly name: string;
  /** Slugs of the catalog that were probably meant, the nearest first. */
  readonly nearest: readonly string[];
}

/** The longest that those could serve who would serve the request if it were shorter. In tokens. */
export interface LengthLimits {
  /** The prompt has at least so many. */
  readonly prompt: number;
  /** Longest context. */
  readonly context: number;
  /** What was requested of the answer, the field that it stands in, and the longest answer by the endpoints' limits. */
  readonly output: number;
  readonly outputField: string;
  readonly outputMax: number;
  /** The longest answer that there is room for behind the prompt; 0 or less: none. */
  readonly outputRoom: number;
}

/** One leg of a plan with what its place was decided by. */
export interface PlannedLeg extends Leg {
  /** Which model of the request it serves, 0 = the first. */
  readonly modelIndex: number;
  /** USD per million tokens, prompt + completion, with this request's fees, for its tier and length. 0 = free. */
  readonly price: number;
  /**
   * Of the draw, 1/price² (of a session's at its shortest) where it was drawn; absent where the order was asked for,
   * and for what is free.
   */
  readonly weight?: number | undefined;
  /** Behind the others although it was kept. */
  readonly setBack?: 'outage' | 'preference' | undefined;
  /** The session was bound here. */
  readonly isPinned?: boolean | undefined;
  /** What was known of it, as far as it was asked. */
  readonly health?: EndpointHealth | undefined;
}

/** How routers choose in the place of a model, in the words of the routing metadata. */
export const ROUTER_STRATEGIES = ['auto', 'free', 'pareto', 'fusion'] as const;
export type RouterStrategy = (typeof ROUTER_STRATEGIES)[number];

/** Why the order is as it is. */
export type Ordering = 'draw' | 'session' | 'order' | 'price' | 'throughput' | 'latency' | 'exacto';

/** The attempts of one request in order, and why the others are not among them: the decision as data. Immutable. */
export interface Plan {
  /** As the caller wrote it. */
  readonly requested: string;
  /** Ids of the catalog, in the order they are tried. */
  readonly models: readonly string[];
  /** Id of the plugin that chose them; absent: the request names them. */
  readonly chosenBy?: string | undefined;
  /** How it did; absent: the request names them. */
  readonly strategy?: RouterStrategy | undefined;
  readonly ordering: Ordering;
  /** What the draw was made from; the same seed and inputs give the same plan. */
  readonly seed: string;
  /** Hash of the catalog snapshot. */
  readonly catalog: string;
  readonly legs: readonly PlannedLeg[];
  readonly excluded: readonly Exclusion[];
  /** Of the request's lists, what matches nothing because nobody knows it; absent: none. */
  readonly unknownProviders?: readonly UnknownProvider[] | undefined;
  /** Present where there is no leg because of the length of the request alone. */
  readonly tooLong?: LengthLimits | undefined;
  /** Most calls this plan may make. */
  readonly attemptsMax: number;
  /** A refusal moves on to the next model. */
  readonly movesOnRefusal: boolean;
}
