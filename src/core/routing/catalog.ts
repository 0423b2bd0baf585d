import type { Quirks } from '../quirks.js';
import type { Secret } from '../secret.js';
import type { PicoUsd } from '../money/credits.js';
import type { ImageRule } from '../money/image-tokens.js';
import type { AbortRules } from './abort-rules.js';
import type { Quantization } from './preferences.js';

export const MODALITIES = ['text', 'image', 'file', 'audio', 'video'] as const;
export type Modality = (typeof MODALITIES)[number];

/** How upstreams talk. Each is a folder under `providers/dialects`. */
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

/** How providers are addressed, authorised and framed. Each is a line of `providers/platforms/index.ts`. */
export const PLATFORM_IDS = ['direct', 'azure', 'bedrock', 'vertex'] as const;
export type PlatformId = (typeof PLATFORM_IDS)[number];

/**
 * The dialects that can be spoken on a platform: it has an address for their calls, and reads the frames of their
 * streams. Those of `bedrock-converse` are AWS event streams.
 */
export const SERVED_DIALECTS: Readonly<Record<PlatformId, readonly DialectId[]>> = {
  direct: DIALECT_IDS.filter((dialect) => dialect !== 'bedrock-converse'),
  azure: ['anthropic-messages', 'openai-chat', 'openai-responses'],
  bedrock: ['anthropic-messages', 'bedrock-converse', 'openai-chat'],
  vertex: ['anthropic-messages', 'google-gemini', 'openai-chat'],
};

/** What base URLs may hold in braces, which the platform puts into them from the credential. */
export const PLACEHOLDERS: Readonly<Record<PlatformId, readonly string[]>> = {
  direct: [],
  azure: ['resource'],
  bedrock: ['region'],
  vertex: ['region', 'project'],
};

/** Base URLs of the `simulated` dialect begin so: they name nothing on any network. */
export const SIMULATED_SCHEME = 'simulated://';

/** What a provider does with the data it is sent. What the catalog does not say is taken as restrictive. */
export interface DataPolicy {
  readonly collectsData: boolean;
  /** It trains models on them. Absent: where it collects them. */
  readonly trains?: boolean;
  /** How long it keeps them; absent: nobody said. */
  readonly retentionDays?: number;
  readonly zeroDataRetention: boolean;
  readonly region?: string;
}

/** Whether it keeps data for ends of its own: who trains on them does. */
export const collects = ({ collectsData, trains = collectsData }: DataPolicy): boolean => collectsData || trains;

/** Where the catalog says that a credential stands: in a variable, in a file, or in itself. */
export type CredentialSource = { readonly env: string } | { readonly file: string } | 'catalog';

/** A company that answers, as the catalog file describes it. */
export interface CatalogProvider {
  readonly slug: string;
  /** Display name: the reply's `provider`. */
  readonly name: string;
  readonly dialect: DialectId;
  /** Absent: `direct`. */
  readonly platform?: PlatformId;
  /** Without a trailing slash. The platform makes addresses of it, mostly by appending the dialect's paths. */
  readonly baseUrl: string;
  /** Of the platform `azure`: which version of its API is asked; absent: the one without. */
  readonly apiVersion?: string;
  /** It needs no key, whatever the code knows of it. */
  readonly needsNoCredential?: true;
  /** The operator's own credential; absent: callers must bring theirs. */
  readonly credential?: Secret;
  /** Where it stands, or would if it were set. Absent: the catalog names no place for one. */
  readonly credentialSource?: CredentialSource;
  readonly policy: DataPolicy;
  /** Absent: `DEFAULT_ABORTS`. */
  readonly aborts?: AbortRules;
  /** Beside those the code knows of, and before them. */
  readonly quirks?: Quirks;
  /** It is sent every top-level field that no face declares; absent: those that the code knows it takes. */
  readonly passesUnknownFields?: boolean;
}

/**
 * Prices per token in 10⁻¹² USD (USD per million tokens × 10⁶), per unit in 10⁻¹² USD. Absent classes cost what
 * `prompt` or `completion` costs.
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

/** Prices from a prompt length on. */
export interface PriceTier extends Partial<TokenPrices> {
  readonly minPromptTokens: number;
}

/** What a service tier charges apart. */
export interface TariffPrices extends Partial<TokenPrices> {
  /** By rising `minPromptTokens`; absent: the same at every length. */
  readonly tiers?: readonly PriceTier[];
}

export interface Pricing extends TokenPrices, UnitPrices {
  /** By rising `minPromptTokens`. */
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
  /** How it talks; absent: as its provider does (`dialectOf`). */
  readonly dialect?: DialectId;
  /** `null`: free on purpose. */
  readonly pricing: Pricing | null;
  readonly quantization: Quantization;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly supportedParameters: readonly string[];
  /** Milliseconds to the first committing event, where this endpoint wants its own limit. */
  readonly firstTimeoutMs?: number;
  /** The same endpoint in one geography each, at the prices there; by the words of `inference_geo`. */
  readonly geographies?: ReadonlyMap<string, Endpoint>;
  /** Set in those of `geographies` alone: which one it is, and the endpoint where none is asked for. */
  readonly geography?: { readonly word: string; readonly elsewhere: Endpoint };
}

/** How an endpoint talks. */
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
  /** Other names that callers may use; of no other model of the catalog. */
  readonly aliases?: readonly string[];
  readonly name: string;
  /** When its author published it, in Unix seconds; undefined: the catalog does not have it. */
  readonly created?: number;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  /** Undefined: nobody said. */
  readonly distillable?: boolean;
  /** Most tokens one image or page counts, for the bound. */
  readonly imageTokensMax?: number;
  readonly pageTokensMax?: number;
  /** What an image counts by its size, for the bound. */
  readonly imageTokens?: ImageRule;
  readonly scores: { readonly quality?: Score; readonly coding?: Score };
  readonly limits?: ModelLimits;
  readonly endpoints: readonly Endpoint[];
}

/** Engines of web search that this gateway speaks to; `simulated` answers by itself. */
export const SEARCH_ENGINES = ['exa', 'parallel', 'firecrawl', 'perplexity', 'searxng', 'simulated'] as const;
export type SearchEngineName = (typeof SEARCH_ENGINES)[number];

/** Engines that fetch pages, beside the gateway's own way. */
export const FETCH_ENGINES = ['exa', 'parallel', 'firecrawl'] as const;

/** An engine behind a service-side tool. */
export interface ToolEngine {
  /** Absent where it answers by itself. */
  readonly baseUrl?: string;
  readonly credential?: Secret;
  /** Per call. */
  readonly price?: PicoUsd;
}

/** Engines that can be called, by name, in the order of the file: none whose credential is not set. */
export type ToolEngines = ReadonlyMap<string, ToolEngine>;

/** What service-side tools run on. */
export interface ToolsConfiguration {
  /** `default`: as the file names it, else the first of the engines. */
  readonly webSearch?: { readonly default: string; readonly engines: ToolEngines };
  /** `price`: of one use of the gateway's own fetch. */
  readonly webFetch?: { readonly price: PicoUsd; readonly engines: ToolEngines };
  readonly imageGeneration?: { readonly model: string };
  /** `price`: of one use. */
  readonly bash?: { readonly price: PicoUsd; readonly memoryBytes: number; readonly timeMs: number };
}

/** Names of the panels that callers may ask `fusion` for (docs/wire/tools-and-plugins.md#plugins). */
export const FUSION_PRESETS = ['general-high', 'general-budget', 'general-fast'] as const;
export type FusionPresetName = (typeof FUSION_PRESETS)[number];

/** A panel of models, and who judges and answers. */
export interface FusionPreset {
  readonly analysisModels: readonly string[];
  readonly model: string;
}

/**
 * Who judges what is asked and answered. `service` is absent where its credential is not set: then nobody can be
 * asked, and requests are told so.
 */
export type ModerationConfiguration =
  | { readonly engine: 'local' }
  | { readonly engine: 'openai'; readonly service?: ToolEngine; readonly model: string }
  | { readonly engine: 'model'; readonly model: string };

/** What plugins run on. */
export interface PluginsConfiguration {
  /** Reads scans, for its `price` a page; absent: not set up, or its credential is not. */
  readonly ocr?: ToolEngine;
  /** Absent: `local`. */
  readonly moderation?: ModerationConfiguration;
  /** Patterns of the models that `auto-router` chooses among where its caller names none; absent: all. */
  readonly autoRouter?: { readonly models: readonly string[] };
  readonly fusion?: { readonly presets: ReadonlyMap<FusionPresetName, FusionPreset> };
}

/** Everything the catalog file says, at one moment. Immutable: a reload makes another. */
export interface CatalogSnapshot {
  /** SHA-256 hex of the files it was made from. */
  readonly hash: string;
  readonly providers: ReadonlyMap<string, CatalogProvider>;
  readonly models: ReadonlyMap<string, Model>;
  readonly tools: ToolsConfiguration;
  readonly plugins: PluginsConfiguration;
}
