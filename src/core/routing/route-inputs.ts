import type { JsonObject } from '../json/json.js';
import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { RequestField } from '../translation.js';
import type { Warning } from '../warning.js';
import type { CatalogProvider, CatalogSnapshot, Modality } from './catalog.js';
import type { Candidate } from './candidate.js';
import type { StoredCredential } from './credential.js';
import type { HealthSnapshot } from './health.js';
import type { RouterStrategy, ServiceTier } from './plan.js';
import type { PricedWord } from './priced-words.js';
import type { ProviderPreferences, Sort } from './preferences.js';

/** A model as the request names it, its routing suffixes read (docs/wire/routing.md#suffixes-of-models). */
export interface NamedModel {
  /** Id in the catalog, catalogue variants such as `:free` included. */
  readonly id: string;
  /** What `:nitro`, `:floor` or `:exacto` asked for; the last one wins. */
  readonly sort?: Sort;
}

/** What a router made of the name that a request has in its model's place. */
export interface Choice {
  /** Ids of the catalog, in the order in which they are to be tried; one at least. */
  readonly models: readonly string[];
  readonly strategy: RouterStrategy;
  /** One line for the routing metadata: `openai/gpt-5 of 12 models`. */
  readonly summary: string;
  /** What it was made from beside the catalog, small: it is kept with the decision. Never content. */
  readonly data: JsonObject;
  /** What its reader may want to know beside that: who was left out, and why; not kept. Never content. */
  readonly told?: JsonObject;
  /** Entries of the lists that it was made from that fit nothing; not kept. */
  readonly warnings?: readonly Warning[];
  /** All that it was made among, the best first, for an explanation; not kept. */
  readonly ranking?: readonly JsonObject[];
}

/** A choice with the id of the plugin that made it, and what that took. */
export interface NamedChoice extends Choice {
  readonly by: string;
  readonly milliseconds: number;
}

/** What a choice is made from: all that routing knows, but the request's needs, which follow from it. */
export interface ChoiceInputs extends Omit<RouteInputs, 'needs'> {
  /** Most tokens of the contexts that the request is shortened for; absent: for none. */
  readonly shortensTo?: number | undefined;
}

/**
 * All that routing looks at in a request; nothing of its content. It is small, and with the other inputs it gives the
 * same plan again at any time.
 */
export interface RouteNeeds {
  /** As the caller wrote it. */
  readonly requested: string;
  /** The request's model first, then those to fall back to, each once. */
  readonly models: readonly NamedModel[];
  /** Who chose these models, and from what; absent: the request names them. */
  readonly choice?: Pick<NamedChoice, 'by' | 'strategy' | 'data'> | undefined;
  readonly movesOnRefusal: boolean;
  readonly preferences: ProviderPreferences;
  /** What the request sets: the rows of the dialects' tables, as endpoints list them. */
  readonly parameters: readonly RequestField[];
  /** Besides text. */
  readonly modalities: readonly Modality[];
  /** What its answer is to hold besides text; absent: nothing. */
  readonly outputs?: readonly Modality[] | undefined;
  /** The prompt has at least so many tokens, however it is counted. */
  readonly promptTokensMin: number;
  readonly maxOutputTokens?: number | undefined;
  /** The caller's name of that field; absent: `max_tokens`. */
  readonly maxOutputTokensField?: string | undefined;
  /**
   * Endpoints with a context of at least and at most so many tokens are not too short: the request is shortened for
   * them. Absent: it is for none, or has room everywhere.
   */
  readonly shortensTo?: readonly [min: number, max: number] | undefined;
  /** Images it holds, and searches it may be expected to make; absent: none. */
  readonly images?: number | undefined;
  readonly webSearches?: number | undefined;
  /** What its bound is made from; absent: no price is capped, so nobody asks. */
  readonly measured?: MeasuredPrompt | undefined;
  /** `standard` unless the request's `service_tier` or `speed` asks for another. */
  readonly tier: ServiceTier;
  /** Words with a price of their own; absent: none. */
  readonly words?: readonly PricedWord[] | undefined;
  /** Names of top-level fields that no face declares; absent: none, or not every field is required. */
  readonly undeclared?: readonly string[] | undefined;
}

/** Authors for whose models zero data retention is asked apart from the rest. */
export const ZDR_AUTHORS = ['anthropic', 'openai', 'google', 'x-ai'] as const;

/** What an account, a workspace, a key or a guardrail allows: it can only narrow what the request asks for. */
export interface RoutingPolicy {
  /** Slugs of providers; an empty list allows nobody. */
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  /** Ids of models, `*` standing for any characters: `anthropic/*`. An empty list allows none. */
  readonly onlyModels?: readonly string[];
  readonly ignoreModels?: readonly string[];
  /** The same as `onlyModels`, of the key itself: what it leaves out is told apart. */
  readonly keyModels?: readonly string[];
  readonly denyDataCollection?: boolean;
  /**
   * True for every model, or the authors (`x-ai`) whose models it is asked for; `*` is all but `ZDR_AUTHORS`
   * (docs/guardrails.md#fields).
   */
  readonly zeroDataRetention?: boolean | readonly string[];
  /** In force where the request asks for no order of its own. The first policy that has one decides. */
  readonly sort?: Sort;
}

/** Whether nobody who says what is allowed wants no data retained, be it of some authors' models alone. */
export const mayRetain = (policies: readonly RoutingPolicy[]): boolean =>
  policies.every(({ zeroDataRetention = false }) => zeroDataRetention === false);

/** A session's place: the same for every replica. */
export interface SessionInputs {
  /** Hash over account, key and session; the draw is made from it instead of the seed. */
  readonly key?: string;
  /** Tag of the endpoint that answered before, per model: it goes first while it can answer. */
  pinOf(model: string): string | undefined;
}

/** Everything a plan is made from. */
export interface RouteInputs {
  readonly needs: RouteNeeds;
  readonly catalog: CatalogSnapshot;
  readonly health: HealthSnapshot;
  /** The caller's own, in no particular order. */
  readonly credentials: readonly StoredCredential[];
  /** True where the operator can call the provider. */
  readonly isShared: (provider: CatalogProvider) => boolean;
  /** Whether a field that the request sets reaches the provider, by what its dialect sends; absent: all do. */
  readonly carries?: (
    target: Pick<Candidate, 'model' | 'endpoint' | 'tier' | 'tag'>,
    parameter: RequestField,
  ) => boolean;
  /** Whether a field that no face declares is sent to the provider as the request has it; absent: all are. */
  readonly passes?:
    | ((target: Pick<Candidate, 'model' | 'endpoint' | 'tier' | 'tag'>, field: string) => boolean)
    | undefined;
  readonly policies: readonly RoutingPolicy[];
  readonly session?: SessionInputs | undefined;
  /** Random, or given by whoever wants the same draw again. */
  readonly seed: string;
}
