import type { Quirks } from '../quirks.js';
import type { Secret } from '../secret.js';
import type { PicoUsd } from '../money/credits.js';
import type { ImageRule } from '../money/image-tokens.js';
import type { AbortRules } from './abort-rules.js';
import { TASK_KINDS, type TaskKind } from '../conversation/task.js';
import type { Quantization } from './preferences.js';

export const MODALITIES = ['text', 'image', 'file', 'audio', 'video'] as const;
export type Modality = (typeof MODALITIES)[number];
/** Kinds of output of models: generated or computed. */
export const OUTPUT_MODALITIES = [...MODALITIES, ...TASK_KINDS] as const;
export type OutputModality = (typeof OUTPUT_MODALITIES)[number];

/** The API formats of upstreams. Each is a folder under `providers/dialects`. */
export const DIALECT_IDS = [
  'anthropic-messages',
  'bedrock-converse',
  'cohere-chat',
  'google-gemini',
  'openai-chat',
  'openai-responses',
  'simulated',
] as const;
export type DialectId = (typeof DIALECT_IDS)[number];

/** The ways to address, authorise and frame calls to providers. Each is a line of `providers/platforms/index.ts`. */
export const PLATFORM_IDS = ['direct', 'azure', 'bedrock', 'vertex'] as const;
export type PlatformId = (typeof PLATFORM_IDS)[number];

/**
 * The dialects each platform supports: it has an address for their calls and reads the frames of their streams. Those
 * of `bedrock-converse` are AWS event streams.
 */
export const SERVED_DIALECTS: Readonly<Record<PlatformId, readonly DialectId[]>> = {
  direct: DIALECT_IDS.filter((dialect) => dialect !== 'bedrock-converse'),
  azure: ['anthropic-messages', 'openai-chat', 'openai-responses'],
  bedrock: ['anthropic-messages', 'bedrock-converse', 'openai-chat'],
  vertex: ['anthropic-messages', 'google-gemini', 'openai-chat'],
};

/** The placeholders (in braces) that base URLs may contain. The platform fills them in from the credential. */
export const PLACEHOLDERS: Readonly<Record<PlatformId, readonly string[]>> = {
  direct: [],
  azure: ['resource'],
  bedrock: ['region'],
  vertex: ['region', 'project'],
};

/** Scheme of the base URLs of the `simulated` dialect: they name nothing on any network. */
export const SIMULATED_SCHEME = 'simulated://';

/** A provider's use of the data it receives. Where the catalog is silent, the restrictive reading applies. */
export interface DataPolicy {
  readonly collectsData: boolean;
  /** Whether the provider trains models on the data. Absent: true if it collects data. */
  readonly trains?: boolean;
  /** Days for which the provider retains data; absent: unknown. */
  readonly retentionDays?: number;
  readonly zeroDataRetention: boolean;
  readonly region?: string;
}

/** Whether it keeps data for its own purposes. Training on data implies this. */
export const collects = ({ collectsData, trains = collectsData }: DataPolicy): boolean => collectsData || trains;

/** The source of a credential that the catalog names: a variable, a file, or the catalog itself. */
export type CredentialSource = { readonly env: string } | { readonly file: string } | 'catalog';

/** A company that serves models, as described in the catalog file. */
export interface CatalogProvider {
  readonly slug: string;
  /** Display name: the reply's `provider`. */
  readonly name: string;
  readonly dialect: DialectId;
  /** Absent: `direct`. */
  readonly platform?: PlatformId;
  /** Without a trailing slash. The platform builds addresses from it, mostly by appending the dialect's paths. */
  readonly baseUrl: string;
  /** API version on the platform `azure`; absent: the unversioned API. */
  readonly apiVersion?: string;
  /** Whether the provider needs no key, whatever its definition in the code states. */
  readonly needsNoCredential?: true;
  /** The operator's own credential; absent: callers must bring theirs. */
  readonly credential?: Secret;
  /** The source of the credential, set or not. Absent: the catalog names no source for one. */
  readonly credentialSource?: CredentialSource;
  readonly policy: DataPolicy;
  /** Absent: `DEFAULT_ABORTS`. */
  readonly aborts?: AbortRules;
  /** Quirks in addition to those in the code, and with precedence over them. */
  readonly quirks?: Quirks;
  /**
   * Whether the provider is sent every top-level field that no face declares; absent: those that the code lists for it.
   */
  readonly passesUnknownFields?: boolean;
}

/**
 * Prices per token in 10⁻¹² USD (USD per million tokens × 10⁶), per unit in 10⁻¹² USD. Absent classes cost the same as
 * `prompt` or `completion`.
 */
export interface TokenPrices {
  readonly prompt: PicoUsd;
  readonly completion: PicoUsd;
  readonly reasoning?: PicoUsd;
  readonly imageOutput?: PicoUsd;
  readonly inputCacheRead?: PicoUsd;
  readonly inputCacheWrite?: PicoUsd;
  readonly inputCacheWrite1h?: PicoUsd;
}

export interface UnitPrices {
  readonly request?: PicoUsd;
  readonly image?: PicoUsd;
  readonly webSearch?: PicoUsd;
}

/** Prices from a given prompt length on. */
export interface PriceTier extends Partial<TokenPrices> {
  readonly minPromptTokens: number;
}

/** Separate prices of a service tier. */
export interface TariffPrices extends Partial<TokenPrices> {
  /** Ascending by `minPromptTokens`; absent: the same at every length. */
  readonly tiers?: readonly PriceTier[];
}

export interface Pricing extends TokenPrices, UnitPrices {
  /** Ascending by `minPromptTokens`. */
  readonly tiers: readonly PriceTier[];
  readonly fast?: TariffPrices;
  readonly priority?: TariffPrices;
  readonly flex?: TariffPrices;
}

/** One model at one provider. */
export interface Endpoint {
  /** `provider-slug`, or `provider-slug/variant`. */
  readonly tag: string;
  readonly provider: CatalogProvider;
  readonly variant?: string;
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** The dialect it speaks; absent: its provider's (`dialectOf`). */
  readonly dialect?: DialectId;
  /** `null`: deliberately free. */
  readonly pricing: Pricing | null;
  readonly quantization: Quantization;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly supportedParameters: readonly string[];
  /** Time limit in milliseconds to the first committing event, where this endpoint has its own. */
  readonly firstTimeoutMs?: number;
  /** The endpoint in each geography, at the prices there; keyed by the words of `inference_geo`. */
  readonly geographies?: ReadonlyMap<string, Endpoint>;
  /** Set only in those of `geographies`: which geography it is, and the endpoint for requests without one. */
  readonly geography?: { readonly word: string; readonly elsewhere: Endpoint };
}

/** The dialect an endpoint speaks. */
export const dialectOf = ({ dialect, provider }: Pick<Endpoint, 'dialect' | 'provider'>): DialectId =>
  dialect ?? provider.dialect;

export interface Score {
  /** 0 to 1. */
  readonly value: number;
  readonly source: string;
}

/** Per account. */
export interface ModelLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrency?: number;
}

export interface Model {
  /** `author/slug`, a catalogue variant such as `:free` included. */
  readonly id: string;
  /** Other names that callers may use; unique within the catalog. */
  readonly aliases?: readonly string[];
  readonly name: string;
  /** When its author published it, in Unix seconds; undefined: unknown. */
  readonly created?: number;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly OutputModality[];
  /** The task whose results are its only output; absent: it answers conversations. */
  readonly task?: TaskKind;
  /** Lengths of its vectors, the default first; absent: unknown. */
  readonly dimensions?: readonly number[];
  /** Undefined: unknown. */
  readonly distillable?: boolean;
  /** Upper bound of the tokens of one image or page, for the hold. */
  readonly imageTokensMax?: number;
  readonly pageTokensMax?: number;
  /** The rule that computes the tokens of an image from its size, for the hold. */
  readonly imageTokens?: ImageRule;
  readonly scores: { readonly quality?: Score; readonly coding?: Score };
  readonly limits?: ModelLimits;
  readonly endpoints: readonly Endpoint[];
}

/** Engines of web search that this gateway supports; `simulated` needs no service. */
export const SEARCH_ENGINES = ['exa', 'parallel', 'firecrawl', 'perplexity', 'searxng', 'simulated'] as const;
export type SearchEngineName = (typeof SEARCH_ENGINES)[number];

/** Engines that fetch pages, besides the gateway's own fetch. */
export const FETCH_ENGINES = ['exa', 'parallel', 'firecrawl'] as const;

/** An engine that runs a service-side tool. */
export interface ToolEngine {
  /** Absent where it needs no service. */
  readonly baseUrl?: string;
  readonly credential?: Secret;
  /** Per call. */
  readonly price?: PicoUsd;
}

/** Engines with a credential, by name, in the order of the file. */
export type ToolEngines = ReadonlyMap<string, ToolEngine>;

/** The configuration of service-side tools. */
export interface ToolsConfiguration {
  /** `default`: the one the file names, else the first engine. */
  readonly webSearch?: { readonly default: string; readonly engines: ToolEngines };
  /** `price`: per use of the gateway's own fetch. */
  readonly webFetch?: { readonly price: PicoUsd; readonly engines: ToolEngines };
  readonly imageGeneration?: { readonly model: string };
  /** `price`: per use. */
  readonly bash?: { readonly price: PicoUsd; readonly memoryBytes: number; readonly timeMs: number };
}

/** Names of the panels that callers may request of `fusion` (docs/use/tools-and-plugins.md#plugins). */
export const FUSION_PRESETS = ['general-high', 'general-budget', 'general-fast'] as const;
export type FusionPresetName = (typeof FUSION_PRESETS)[number];

/** A panel of models, with the models that judge and answer. */
export interface FusionPreset {
  readonly analysisModels: readonly string[];
  readonly model: string;
}

/**
 * The service that moderates prompts and replies. `service` is absent where its credential is not set: requests that
 * need it are refused with this reason.
 */
export type ModerationConfiguration =
  | { readonly engine: 'local' }
  | { readonly engine: 'openai'; readonly service?: ToolEngine; readonly model: string }
  | { readonly engine: 'model'; readonly model: string };

/** The configuration of plugins. */
export interface PluginsConfiguration {
  /** Reads scanned pages, for its `price` per page; absent: it or its credential is not set up. */
  readonly ocr?: ToolEngine;
  /** Absent: `local`. */
  readonly moderation?: ModerationConfiguration;
  /** Patterns of the models `auto-router` chooses from where its caller names none; absent: all. */
  readonly autoRouter?: { readonly models: readonly string[] };
  readonly fusion?: { readonly presets: ReadonlyMap<FusionPresetName, FusionPreset> };
}

/** Everything in the catalog file at one moment. Immutable: a reload creates another. */
export interface CatalogSnapshot {
  /** SHA-256 hex of the files it was made from. */
  readonly hash: string;
  readonly providers: ReadonlyMap<string, CatalogProvider>;
  readonly models: ReadonlyMap<string, Model>;
  readonly tools: ToolsConfiguration;
  readonly plugins: PluginsConfiguration;
}
