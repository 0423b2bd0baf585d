import type { FieldNames } from '../conversation/field-names.js';
import type { TaskKind } from '../conversation/task.js';
import type { JsonObject } from '../json/json.js';
import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { RequestField } from '../translation.js';
import type { Warning } from '../warning.js';
import type { CatalogProvider, CatalogSnapshot, Modality } from './catalog.js';
import type { Candidate } from './candidate.js';
import type { StoredCredential } from './credential.js';
import type { HealthSnapshot } from './health.js';
import type { RouterStrategy, ServiceTier } from './plan.js';
import type { PricedOption } from './priced-options.js';
import type { ProviderPreferences, Sort } from './preferences.js';

/**
 * A model as the request names it, with its routing suffixes parsed
 * (docs/use/choosing-providers.md#suffixes-of-models).
 */
export interface NamedModel {
  /** Id in the catalog, catalogue variants such as `:free` included. */
  readonly id: string;
  /** The sort requested by `:nitro`, `:floor` or `:exacto`; the last one wins. */
  readonly sort?: Sort;
}

/** The models that a router chose for the name in the request's `model`. */
export interface Choice {
  /** Ids of the catalog, in the order in which they are tried; at least one. */
  readonly models: readonly string[];
  readonly strategy: RouterStrategy;
  /** One line for the routing metadata: `openai/gpt-5 of 12 models`. */
  readonly summary: string;
  /** Inputs of the choice besides the catalog. Small, because they are stored with the decision. Never content. */
  readonly data: JsonObject;
  /** Further details for the caller: which models were left out, and why. Not kept. Never content. */
  readonly details?: JsonObject;
  /** Warnings about entries of the router's lists that match nothing; not kept. */
  readonly warnings?: readonly Warning[];
  /** All candidates of the choice, the best first, for an explanation; not kept. */
  readonly ranking?: readonly JsonObject[];
}

/** A choice with the id of the plugin that made it, and how long it took. */
export interface NamedChoice extends Choice {
  readonly by: string;
  readonly milliseconds: number;
}

/** The inputs of a choice: all inputs of routing except the request's needs, which follow from the choice. */
export interface ChoiceInputs extends Omit<RouteInputs, 'needs'> {
  /** Longest context in tokens that the request is shortened for; absent: it is not shortened. */
  readonly shortensTo?: number | undefined;
}

/**
 * Everything that routing reads of a request, without any content. It is small, and together with the other inputs it
 * reproduces the plan at any time.
 */
export interface RouteNeeds {
  /** The requested model, unchanged from the request. */
  readonly requested: string;
  /** The request's model first, then the fallbacks, each once. */
  readonly models: readonly NamedModel[];
  /** The router that chose these models, and the data it chose from; absent: the request names them. */
  readonly choice?: Pick<NamedChoice, 'by' | 'strategy' | 'data'> | undefined;
  readonly movesOnRefusal: boolean;
  readonly preferences: ProviderPreferences;
  /** The parameters the request sets: the rows of the dialects' tables, as endpoints list them. */
  readonly parameters: readonly RequestField[];
  /** Besides text. */
  readonly modalities: readonly Modality[];
  /** Output modalities besides text; absent: none. */
  readonly outputs?: readonly Modality[] | undefined;
  /** The task that its models have to do; absent: an answer. */
  readonly task?: TaskKind | undefined;
  /** Lower bound of the tokens of its longest input in any tokenizer: of the prompt, where it is a conversation. */
  readonly promptTokensMin: number;
  readonly maxOutputTokens?: number | undefined;
  /** As in `ModelRequest`. */
  readonly fieldNames?: FieldNames | undefined;
  /**
   * Context lengths in tokens: an endpoint between them is not too short, because the request is shortened for it.
   * Absent: it is not shortened, or fits everywhere.
   */
  readonly shortensTo?: readonly [min: number, max: number] | undefined;
  /** Number of its images, and of the searches to expect; absent: none. */
  readonly images?: number | undefined;
  readonly webSearches?: number | undefined;
  /** The sizes its bound is computed from; absent: no price is capped, so they are not needed. */
  readonly measured?: MeasuredPrompt | undefined;
  /** `standard` unless the request's `service_tier` or `speed` requests another. */
  readonly tier: ServiceTier;
  /** Options with a separate price; absent: none. */
  readonly pricedOptions?: readonly PricedOption[] | undefined;
  /** Names of top-level fields that no face declares; absent: none, or parameters are not required. */
  readonly undeclared?: readonly string[] | undefined;
}

/** Authors with a separate zero-data-retention setting for their models. */
export const ZDR_AUTHORS = ['anthropic', 'openai', 'google', 'x-ai'] as const;

/** Limits that an account, a workspace, a key or a guardrail sets. A policy can only narrow a request. */
export interface RoutingPolicy {
  /** Slugs of providers; an empty list allows none. */
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  /** Ids of models, `*` standing for any characters: `anthropic/*`. An empty list allows none. */
  readonly onlyModels?: readonly string[];
  readonly ignoreModels?: readonly string[];
  /** Models that the key allows, separate from `onlyModels`: its exclusions are reported with a reason of their own. */
  readonly keyModels?: readonly string[];
  readonly denyDataCollection?: boolean;
  /**
   * True for every model, or the authors (`x-ai`) whose models it applies to; `*` means all except `ZDR_AUTHORS`
   * (docs/operate/guardrails.md#fields).
   */
  readonly zeroDataRetention?: boolean | readonly string[];
  /** Applies where the request sets no order. The first policy with one decides. */
  readonly sort?: Sort;
}

/** Whether no policy requires zero data retention, not even for the models of some authors. */
export const mayRetain = (policies: readonly RoutingPolicy[]): boolean =>
  policies.every(({ zeroDataRetention = false }) => zeroDataRetention === false);

/** A session's seed, the same on every replica. */
export interface SessionInputs {
  /** Hash over account, key and session; replaces the seed of the draw. */
  readonly key?: string;
  /** Tag of the endpoint that answered before, per model: it goes first while it can answer. */
  pinOf(model: string): string | undefined;
}

/** All inputs of a plan. */
export interface RouteInputs {
  readonly needs: RouteNeeds;
  readonly catalog: CatalogSnapshot;
  readonly health: HealthSnapshot;
  /** The caller's own, in no particular order. */
  readonly credentials: readonly StoredCredential[];
  /** True where the operator can call the provider. */
  readonly offersSharedCredential: (provider: CatalogProvider) => boolean;
  /** Whether a field that the request sets reaches the provider through its dialect; absent: all do. */
  readonly supportsField?: (
    target: Pick<Candidate, 'model' | 'endpoint' | 'tier' | 'tag'>,
    parameter: RequestField,
  ) => boolean;
  /** Whether a field that no face declares is sent to the provider unchanged; absent: all are. */
  readonly acceptsUndeclaredField?:
    | ((target: Pick<Candidate, 'model' | 'endpoint' | 'tier' | 'tag'>, field: string) => boolean)
    | undefined;
  /**
   * The name of something in the request that the model behind an endpoint does not take beside the rest of it; read
   * where parameters are required. Undefined: it takes all. Absent: all do.
   */
  readonly unmetRequirement?:
    | ((target: Pick<Candidate, 'model' | 'endpoint' | 'tier' | 'tag'>) => string | undefined)
    | undefined;
  readonly policies: readonly RoutingPolicy[];
  readonly session?: SessionInputs | undefined;
  /** Random, or given in order to repeat a draw. */
  readonly seed: string;
}
