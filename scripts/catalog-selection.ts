/**
 * What `seed-catalog.ts` puts into the shipped catalog: which models, under which names, at which providers. Prices,
 * context lengths, output limits and images are not here: they come from packages with data (`catalog-tables.ts`), and
 * hosts that these do not know from files (`catalog-hosts.ts`). What neither knows comes from the reference beside it,
 * and stays out where none says it.
 */

import { FORMATS, PENALTIES, SAMPLING, TOOLS } from './catalog-providers.js';
import type { DialectId } from '../src/core/routing/catalog.js';
import type { Drawing, TableName } from './catalog-tables.js';

/** A model at a provider. */
export interface EndpointChoice {
  readonly provider: string;
  /** The model's name in the data packages. */
  readonly source: string;
  /** The model's name at the provider, where it is not `source`. The price package's price must apply to it. */
  readonly upstream?: string;
  readonly variant?: string;
  /** How it is talked to, where that is otherwise than its provider. */
  readonly dialect?: DialectId;
  /** Where the price package does not know it. */
  readonly context?: number;
  readonly output?: number;
  /** Who says `context` and `output`, where that is not `FIGURES`: a table, or a page, */
  readonly says?: string;
  /** and when it was read, where that was not on `FIGURES_DATE`. */
  readonly read?: string;
  /** It draws with a tool of its provider's, which is sold with it. */
  readonly drawing?: Drawing;
  /** The table to ask first, where the price package's price has ended. */
  readonly pricedBy?: TableName;
  /** Slug of the provider whose request fields it takes: the same protocol elsewhere. Absent: its own provider's. */
  readonly fieldsOf?: string;
  /** Beside these. */
  readonly more?: readonly string[];
  /** Of these, those that this model refuses. */
  readonly without?: readonly string[];
}

/** Who says `context` and `output` here: of Anthropic's models, and of others. */
export const FIGURES = { anthropic: '@ai-sdk/anthropic 3.0.138', others: '@mariozechner/pi-ai 0.73.1' } as const;
/** When `FIGURES` and the pages beside them were read. */
export const FIGURES_DATE = '2026-11-22';

const VERCEL = 'https://vercel.com/ai-gateway/models';
const COHERE = 'model-bank 1.0.20260927202305';
/** Of Cohere's: from Command R7B on the choice of tools is taken. */
const NO_CHOICE = { without: ['tool_choice'] } as const;

/**
 * A model of the catalog: id, display name, where it is served besides the hosts of `catalog-hosts.ts`, and what it
 * takes beside text.
 */
export type ModelChoice = readonly [
  id: string,
  name: string,
  endpoints: readonly EndpointChoice[],
  input?: readonly ('image' | 'file')[],
];

type Details = Omit<EndpointChoice, 'provider' | 'source'>;

const at = (provider: string, source: string, details: Details = {}): EndpointChoice => ({
  provider,
  source,
  ...details,
});

const claude = (source: string, output: number, details: Details = {}): EndpointChoice[] => [
  at('anthropic', source, { output, ...details }),
];

const fireworks = (source: string, details: Details = {}): EndpointChoice =>
  at('fireworks', source, { upstream: `accounts/fireworks/models/${source}`, ...details });

/** Fireworks sells some models in faster or regional service, each under a name and at prices of its own. */
const fireworksRouter = (source: string, variant: string, details: Details = {}): EndpointChoice =>
  at('fireworks', source, { upstream: `accounts/fireworks/routers/${source}`, variant, ...details });

// Chat models without reasoning take what reasoning models refuse.
const CLASSIC: Details = { more: [...SAMPLING, 'stop', ...PENALTIES, 'logit_bias', 'logprobs', 'top_logprobs'] };
const REASONING: Details = { more: ['reasoning'] };
// `getModelCapabilities` of @ai-sdk/anthropic 3.0.138 says which of Anthropic's models refuse these.
const FIXED_SAMPLING: Details = { without: [...SAMPLING, 'top_k'] };

/** Talked to in its author's own protocol. */
const CLAUDE: Details = { dialect: 'anthropic-messages', fieldsOf: 'anthropic' };
const CHAT: Details = { dialect: 'openai-chat' };
const GEMINI: Details = { fieldsOf: 'google-ai-studio' };
const RESPONSES: Details = { dialect: 'openai-responses' };

const CLAUDE_FIXED: Details = { ...CLAUDE, ...FIXED_SAMPLING };

/** OpenAI's models at Azure, by the API of both that takes files. */
const azure = (source: string, details: Details): EndpointChoice =>
  at('azure', source, { ...RESPONSES, fieldsOf: 'openai', ...details });

/** An inference profile's name begins with where it routes to: anywhere, or within a geography. */
const PROFILE = /^(global|us)\./;

/**
 * At Amazon Bedrock: by the profile that every region may call, where there is one. Others are refused with 400 outside
 * their geography, which is no reason to try elsewhere: those of `us` are here where a model has no other.
 */
function bedrock(upstream: string, details: Partial<EndpointChoice> = {}): EndpointChoice {
  const [, variant] = PROFILE.exec(upstream) ?? [];
  return { ...at('amazon-bedrock', upstream, { upstream, ...(variant !== undefined && { variant }) }), ...details };
}

const gpt = (source: string, details: Details = {}): EndpointChoice[] => [at('openai', source, details)];

const GEMINI_PAGES = 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini';
const GEMINI_PAGES_DATE = '2026-11-28';

/**
 * Google's models that make images, with the lengths of the vendor's page: the price package has those of models of
 * words. No page says that they take tools, or answer in a form.
 */
const geminiImage = (page: string, context: number, source: string, upstream: string): EndpointChoice[] => {
  const details: Details = {
    ...(upstream !== source && { upstream }),
    context,
    output: 32_768,
    says: `${GEMINI_PAGES}/${page}`,
    read: GEMINI_PAGES_DATE,
    without: [...TOOLS, ...FORMATS],
  };
  return [at('google-ai-studio', source, details), at('google-vertex', source, { ...details, ...GEMINI })];
};

const IMAGE = ['image'] as const;
const IMAGE_AND_FILE = ['image', 'file'] as const;

/**
 * Names without a date that the vendor itself points to a dated one, where the dated one is what is asked for. Every
 * other name that is known of a model is its slug or its name at a provider already.
 * Source: https://platform.claude.com/docs/en/about-claude/models/model-ids-and-versions (read 2026-11-23).
 */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'anthropic/claude-haiku-4.5': ['claude-haiku-4-5'],
  'anthropic/claude-opus-4.5': ['claude-opus-4-5'],
  'anthropic/claude-sonnet-4.5': ['claude-sonnet-4-5'],
};

/**
 * Left out: what the price package calls deprecated and what vendors have retired; names that lead to another model
 * from time to time (`latest`) and prices of spare time (`spot`); models of sound, video and robots, those of pictures
 * that `DRAWERS` does not have, and those given on application only; OpenAI's and xAI's at Amazon Bedrock, which its
 * Converse API is not known to serve; models of Anthropic, Google, OpenAI and xAI where others resell them; Gemma at
 * Google AI Studio, which does not sell it.
 */
// oxfmt-ignore
export const MODELS: readonly ModelChoice[] = [
  [
    'anthropic/claude-fable-5',
    'Anthropic: Claude Fable 5',
    [
      ...claude('claude-fable-5', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-fable-5', CLAUDE_FIXED),
      at('google-vertex', 'claude-fable-5@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-fable-5.1',
    'Anthropic: Claude Fable 5.1',
    [
      ...claude('claude-fable-5-1', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-fable-5-1', CLAUDE_FIXED),
      at('google-vertex', 'claude-fable-5-1@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-fable-5.2',
    'Anthropic: Claude Fable 5.2',
    [
      at('anthropic', 'claude-fable-5-2', FIXED_SAMPLING),
      bedrock('global.anthropic.claude-fable-5-2', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-haiku-4.5',
    'Anthropic: Claude Haiku 4.5',
    [
      ...claude('claude-haiku-4-5', 64_000, { upstream: 'claude-haiku-4-5-20251001' }),
      bedrock('global.anthropic.claude-haiku-4-5-20251001-v1:0', CLAUDE),
      at('google-vertex', 'claude-haiku-4-5@20251001', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-haiku-5.5',
    'Anthropic: Claude Haiku 5.5',
    [
      at('anthropic', 'claude-haiku-5-5', FIXED_SAMPLING),
      bedrock('global.anthropic.claude-haiku-5-5', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-4.1',
    'Anthropic: Claude Opus 4.1',
    [
      bedrock('us.anthropic.claude-opus-4-1-20250805-v1:0', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-4.5',
    'Anthropic: Claude Opus 4.5',
    [
      ...claude('claude-opus-4-5', 64_000, { upstream: 'claude-opus-4-5-20251101' }),
      bedrock('global.anthropic.claude-opus-4-5-20251101-v1:0', CLAUDE),
      at('google-vertex', 'claude-opus-4-5@20251101', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-4.6',
    'Anthropic: Claude Opus 4.6',
    [
      ...claude('claude-opus-4-6', 128_000),
      bedrock('global.anthropic.claude-opus-4-6-v1', CLAUDE),
      at('google-vertex', 'claude-opus-4-6@default', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-4.7',
    'Anthropic: Claude Opus 4.7',
    [
      ...claude('claude-opus-4-7', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-opus-4-7', CLAUDE_FIXED),
      at('google-vertex', 'claude-opus-4-7@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-4.8',
    'Anthropic: Claude Opus 4.8',
    [
      ...claude('claude-opus-4-8', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-opus-4-8', CLAUDE_FIXED),
      at('google-vertex', 'claude-opus-4-8@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-5',
    'Anthropic: Claude Opus 5',
    [
      ...claude('claude-opus-5', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-opus-5', CLAUDE_FIXED),
      at('google-vertex', 'claude-opus-5@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-opus-5.5',
    'Anthropic: Claude Opus 5.5',
    [
      ...claude('claude-opus-5-5', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-opus-5-5', CLAUDE_FIXED),
      at('google-vertex', 'claude-opus-5-5@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-sonnet-4',
    'Anthropic: Claude Sonnet 4',
    [
      bedrock('global.anthropic.claude-sonnet-4-20250514-v1:0', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-sonnet-4.5',
    'Anthropic: Claude Sonnet 4.5',
    [
      ...claude('claude-sonnet-4-5', 64_000, { upstream: 'claude-sonnet-4-5-20250929' }),
      bedrock('global.anthropic.claude-sonnet-4-5-20250929-v1:0', CLAUDE),
      at('google-vertex', 'claude-sonnet-4-5@20250929', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-sonnet-4.6',
    'Anthropic: Claude Sonnet 4.6',
    [
      ...claude('claude-sonnet-4-6', 128_000),
      bedrock('global.anthropic.claude-sonnet-4-6', CLAUDE),
      at('google-vertex', 'claude-sonnet-4-6@default', CLAUDE),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-sonnet-5',
    'Anthropic: Claude Sonnet 5',
    [
      ...claude('claude-sonnet-5', 128_000, FIXED_SAMPLING),
      bedrock('global.anthropic.claude-sonnet-5', CLAUDE_FIXED),
      at('google-vertex', 'claude-sonnet-5@default', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'anthropic/claude-sonnet-5.5',
    'Anthropic: Claude Sonnet 5.5',
    [
      at('anthropic', 'claude-sonnet-5-5', FIXED_SAMPLING),
      bedrock('global.anthropic.claude-sonnet-5-5', CLAUDE_FIXED),
    ],
    IMAGE_AND_FILE,
  ],

  ['openai/gpt-3.5-turbo', 'OpenAI: gpt-3.5-turbo', [at('openai', 'gpt-3.5-turbo', CLASSIC)]],
  [
    'openai/gpt-4',
    'OpenAI: GPT-4',
    [
      at('openai', 'gpt-4', CLASSIC),
      azure('gpt-4', CLASSIC),
    ],
  ],
  [
    'openai/gpt-4-turbo',
    'OpenAI: GPT-4 Turbo',
    [
      at('openai', 'gpt-4-turbo', CLASSIC),
      azure('gpt-4-turbo', CLASSIC),
    ],
    IMAGE,
  ],
  [
    'openai/gpt-4.1',
    'OpenAI: GPT-4.1',
    [
      ...gpt('gpt-4.1', { output: 32_768, ...CLASSIC }),
      azure('gpt-4.1', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4.1-mini',
    'OpenAI: GPT-4.1 Mini',
    [
      ...gpt('gpt-4.1-mini', { output: 32_768, ...CLASSIC }),
      azure('gpt-4.1-mini', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4.1-nano',
    'OpenAI: GPT-4.1 Nano',
    [
      ...gpt('gpt-4.1-nano', { output: 32_768, ...CLASSIC }),
      azure('gpt-4.1-nano', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4o',
    'OpenAI: GPT-4o',
    [
      ...gpt('gpt-4o', { output: 16_384, ...CLASSIC }),
      azure('gpt-4o', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4o-2024-05-13',
    'OpenAI: GPT-4o (2024-05-13)',
    [
      at('openai', 'gpt-4o-2024-05-13', CLASSIC),
      azure('gpt-4o-2024-05-13', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4o-2024-08-06',
    'OpenAI: GPT-4o (2024-08-06)',
    [
      at('openai', 'gpt-4o-2024-08-06', CLASSIC),
      azure('gpt-4o-2024-08-06', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4o-2024-11-20',
    'OpenAI: GPT-4o (2024-11-20)',
    [
      at('openai', 'gpt-4o-2024-11-20', CLASSIC),
      azure('gpt-4o-2024-11-20', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-4o-mini',
    'OpenAI: GPT-4o Mini',
    [
      ...gpt('gpt-4o-mini', { output: 16_384, ...CLASSIC }),
      azure('gpt-4o-mini', CLASSIC),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5',
    'OpenAI: GPT-5',
    [
      ...gpt('gpt-5', { output: 128_000, ...REASONING }),
      azure('gpt-5', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5-chat',
    'OpenAI: GPT-5 Chat Latest',
    [
      at('openai', 'gpt-5-chat-latest', { context: 128_000, says: 'pi-catalog' }),
      azure('gpt-5-chat-latest', { context: 128_000, says: 'pi-catalog' }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5-codex',
    'OpenAI: GPT-5-Codex',
    [
      at('openai', 'gpt-5-codex', { ...RESPONSES, ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5-image',
    'OpenAI: GPT-5 Image',
    // What the tool draws with where a call names nothing, and the dearest that it may choose.
    [
      at('openai', 'gpt-5', {
        output: 128_000,
        drawing: { pricedAs: 'gpt-5-image', drawnBy: 'gpt-image-1' },
        ...RESPONSES,
        ...REASONING,
      }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5-mini',
    'OpenAI: GPT-5 Mini',
    [
      ...gpt('gpt-5-mini', { output: 128_000, ...REASONING }),
      azure('gpt-5-mini', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5-nano',
    'OpenAI: GPT-5 Nano',
    [
      ...gpt('gpt-5-nano', { output: 128_000, ...REASONING }),
      azure('gpt-5-nano', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5-pro',
    'OpenAI: GPT-5 Pro',
    [
      at('openai', 'gpt-5-pro', { ...RESPONSES, ...REASONING }),
      azure('gpt-5-pro', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.1',
    'OpenAI: GPT-5.1',
    [
      ...gpt('gpt-5.1', { output: 128_000, ...REASONING }),
      azure('gpt-5.1', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.1-chat',
    'OpenAI: GPT-5.1 Chat',
    [
      at('openai', 'gpt-5.1-chat-latest', { context: 128_000, says: 'pi-catalog', ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.1-codex',
    'OpenAI: GPT-5.1 Codex',
    [
      at('openai', 'gpt-5.1-codex', { ...RESPONSES, ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.1-codex-max',
    'OpenAI: GPT-5.1 Codex Max',
    [
      at('openai', 'gpt-5.1-codex-max', { ...RESPONSES, ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.1-codex-mini',
    'OpenAI: GPT-5.1 Codex Mini',
    [
      at('openai', 'gpt-5.1-codex-mini', { ...RESPONSES, ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.2',
    'OpenAI: GPT-5.2',
    [
      ...gpt('gpt-5.2', { output: 128_000, ...REASONING }),
      azure('gpt-5.2', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.2-chat',
    'OpenAI: GPT-5.2 Chat',
    [
      at('openai', 'gpt-5.2-chat-latest', { context: 128_000, says: 'pi-catalog', ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.2-codex',
    'OpenAI: GPT-5.2 Codex',
    [
      at('openai', 'gpt-5.2-codex', { ...RESPONSES, ...REASONING }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.2-pro',
    'OpenAI: GPT-5.2 Pro',
    [
      at('openai', 'gpt-5.2-pro', { ...RESPONSES, ...REASONING }),
      azure('gpt-5.2-pro', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.3-chat',
    'OpenAI: GPT-5.3 Chat',
    [
      at('openai', 'gpt-5.3-chat-latest', { context: 128_000, says: 'pi-catalog' }),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.3-codex',
    'OpenAI: GPT-5.3 Codex',
    [
      at('openai', 'gpt-5.3-codex', { ...RESPONSES, ...REASONING }),
      azure('gpt-5.3-codex', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.3-codex-spark',
    'OpenAI: GPT-5.3 Codex Spark',
    [
      at('openai', 'gpt-5.3-codex-spark', { ...RESPONSES, ...REASONING }),
      azure('gpt-5.3-codex-spark', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.4',
    'OpenAI: GPT-5.4',
    [
      ...gpt('gpt-5.4', { output: 128_000, ...REASONING }),
      azure('gpt-5.4', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.4-mini',
    'OpenAI: GPT-5.4 Mini',
    [
      ...gpt('gpt-5.4-mini', { output: 128_000, ...REASONING }),
      azure('gpt-5.4-mini', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.4-nano',
    'OpenAI: GPT-5.4 Nano',
    [
      ...gpt('gpt-5.4-nano', { output: 128_000, ...REASONING }),
      azure('gpt-5.4-nano', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.4-pro',
    'OpenAI: GPT-5.4 Pro',
    [
      at('openai', 'gpt-5.4-pro', { ...RESPONSES, ...REASONING }),
      azure('gpt-5.4-pro', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.5',
    'OpenAI: GPT-5.5',
    [
      ...gpt('gpt-5.5', { output: 128_000, ...REASONING }),
      azure('gpt-5.5', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.5-pro',
    'OpenAI: GPT-5.5 Pro',
    [
      at('openai', 'gpt-5.5-pro', { ...RESPONSES, ...REASONING }),
      azure('gpt-5.5-pro', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-5.6-luna',
    'OpenAI: GPT-5.6 Luna',
    [
      ...gpt('gpt-5.6-luna', REASONING),
      azure('gpt-5.6-luna', REASONING),
    ],
  ],
  [
    'openai/gpt-5.6-sol',
    'OpenAI: GPT-5.6 Sol',
    [
      ...gpt('gpt-5.6-sol', REASONING),
      azure('gpt-5.6-sol', REASONING),
    ],
  ],
  [
    'openai/gpt-5.6-terra',
    'OpenAI: GPT-5.6 Terra',
    [
      ...gpt('gpt-5.6-terra', { output: 128_000, says: VERCEL, ...REASONING }),
      azure('gpt-5.6-terra', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-6-astra',
    'OpenAI: GPT-6 Astra',
    [
      ...gpt('gpt-6-astra', { output: 128_000, says: VERCEL, ...REASONING }),
      azure('gpt-6-astra', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-6-luna',
    'OpenAI: GPT-6 Luna',
    [
      ...gpt('gpt-6-luna', REASONING),
      azure('gpt-6-luna', REASONING),
    ],
  ],
  [
    'openai/gpt-6-sol',
    'OpenAI: GPT-6 Sol',
    [
      ...gpt('gpt-6-sol', { output: 128_000, says: VERCEL, ...REASONING }),
      azure('gpt-6-sol', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-6.1-sol',
    'OpenAI: GPT-6.1 Sol',
    [
      at('openai', 'gpt-6.1-sol', REASONING),
      azure('gpt-6.1-sol', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-6.1-terra',
    'OpenAI: GPT-6.1 Terra',
    [
      at('openai', 'gpt-6.1-terra', REASONING),
      azure('gpt-6.1-terra', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/gpt-oss-120b',
    'OpenAI: gpt-oss-120b',
    [
      at('groq', 'openai/gpt-oss-120b', { output: 65_536, more: ['reasoning', 'structured_outputs'] }),
      fireworks('gpt-oss-120b', { output: 32_768, ...REASONING }),
      at('cerebras', 'gpt-oss-120b', { output: 32_768, ...REASONING }),
      bedrock('openai.gpt-oss-120b-1:0'),
      at('google-vertex', 'openai/gpt-oss-120b-maas', CHAT),
      at('together', 'openai/gpt-oss-120b'),
      at('deepinfra', 'openai/gpt-oss-120b'),
      at('deepinfra', 'openai/gpt-oss-120b-Turbo', { variant: 'turbo' }),
      at('deepinfra', 'openai/gpt-oss-120b-Ultra', { variant: 'ultra' }),
      at('novita', 'openai/gpt-oss-120b'),
      at('baseten', 'openai/gpt-oss-120b'),
      at('wandb', 'openai/gpt-oss-120b'),
      at('venice', 'openai-gpt-oss-120b'),
      at('ollama', 'gpt-oss:120b'),
    ],
  ],
  [
    'openai/gpt-oss-20b',
    'OpenAI: gpt-oss-20b',
    [
      at('groq', 'openai/gpt-oss-20b', { output: 65_536, more: ['reasoning', 'structured_outputs'] }),
      fireworks('gpt-oss-20b', { output: 32_768, ...REASONING }),
      bedrock('openai.gpt-oss-20b-1:0'),
      at('together', 'openai/gpt-oss-20b'),
      at('deepinfra', 'openai/gpt-oss-20b'),
      at('novita', 'openai/gpt-oss-20b'),
      at('wandb', 'openai/gpt-oss-20b'),
      at('ollama', 'gpt-oss:20b'),
    ],
  ],
  [
    'openai/gpt-oss-safeguard-120b',
    'OpenAI: GPT OSS Safeguard 120B',
    [
      bedrock('openai.gpt-oss-safeguard-120b'),
    ],
  ],
  [
    'openai/gpt-oss-safeguard-20b',
    'OpenAI: GPT OSS Safeguard 20B',
    [
      bedrock('openai.gpt-oss-safeguard-20b'),
      at('groq', 'openai/gpt-oss-safeguard-20b', REASONING),
    ],
  ],
  [
    'openai/o1',
    'OpenAI: o1',
    [
      at('openai', 'o1', REASONING),
      azure('o1', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/o1-pro',
    'OpenAI: o1-pro',
    [
      at('openai', 'o1-pro', { ...RESPONSES, ...REASONING }),
      azure('o1-pro', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/o3',
    'OpenAI: o3',
    [
      ...gpt('o3', { output: 100_000, ...REASONING }),
      azure('o3', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/o3-mini',
    'OpenAI: o3-mini',
    [
      at('openai', 'o3-mini', REASONING),
      azure('o3-mini', REASONING),
    ],
  ],
  [
    'openai/o3-pro',
    'OpenAI: o3-pro',
    [
      at('openai', 'o3-pro', { ...RESPONSES, ...REASONING }),
      azure('o3-pro', REASONING),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'openai/o4-mini',
    'OpenAI: o4 Mini',
    [
      ...gpt('o4-mini', { output: 100_000, ...REASONING }),
      azure('o4-mini', REASONING),
    ],
    IMAGE_AND_FILE,
  ],

  [
    'google/gemini-2.5-flash',
    'Google: Gemini 2.5 Flash',
    [
      at('google-ai-studio', 'gemini-2.5-flash'),
      at('google-vertex', 'gemini-2.5-flash', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-2.5-flash-image',
    'Google: Gemini 2.5 Flash Image',
    geminiImage('2-5-flash-image', 32_768, 'gemini-2.5-flash-image', 'gemini-2.5-flash-image'),
    IMAGE,
  ],
  [
    'google/gemini-2.5-flash-lite',
    'Google: Gemini 2.5 Flash-Lite',
    [
      at('google-ai-studio', 'gemini-2.5-flash-lite'),
      at('google-vertex', 'gemini-2.5-flash-lite', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-2.5-pro',
    'Google: Gemini 2.5 Pro',
    [
      at('google-ai-studio', 'gemini-2.5-pro'),
      at('google-vertex', 'gemini-2.5-pro', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3-flash-preview',
    'Google: Gemini 3 Flash Preview',
    [
      at('google-ai-studio', 'gemini-3-flash-preview'),
      at('google-vertex', 'gemini-3-flash-preview', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3-pro-image',
    'Google: Gemini 3 Pro Image',
    geminiImage('3-pro-image', 65_536, 'gemini-3-pro-image-preview', 'gemini-3-pro-image'),
    IMAGE,
  ],
  [
    'google/gemini-3.1-flash-image',
    'Google: Gemini 3.1 Flash Image',
    geminiImage('3-1-flash-image', 131_072, 'gemini-3.1-flash-image-preview', 'gemini-3.1-flash-image'),
    IMAGE,
  ],
  [
    'google/gemini-3.1-flash-lite',
    'Google: Gemini 3.1 Flash Lite',
    [
      at('google-ai-studio', 'gemini-3.1-flash-lite'),
      at('google-vertex', 'gemini-3.1-flash-lite', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3.1-pro-preview',
    'Google: Gemini 3.1 Pro Preview',
    [
      at('google-ai-studio', 'gemini-3.1-pro-preview'),
      at('google-vertex', 'gemini-3.1-pro-preview', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3.5-flash',
    'Google: Gemini 3.5 Flash',
    [
      at('google-ai-studio', 'gemini-3.5-flash'),
      at('google-vertex', 'gemini-3.5-flash', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3.5-flash-lite',
    'Google: Gemini 3.5 Flash Lite',
    [
      at('google-ai-studio', 'gemini-3.5-flash-lite'),
      at('google-vertex', 'gemini-3.5-flash-lite', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3.6-flash',
    'Google: Gemini 3.6 Flash',
    [
      at('google-ai-studio', 'gemini-3.6-flash'),
      at('google-vertex', 'gemini-3.6-flash', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3.7-flash',
    'Google: Gemini 3.7 Flash',
    [
      at('google-ai-studio', 'gemini-3.7-flash'),
      at('google-vertex', 'gemini-3.7-flash', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-3.8-flash',
    'Google: Gemini 3.8 Flash',
    [
      at('google-ai-studio', 'gemini-3.8-flash'),
      at('google-vertex', 'gemini-3.8-flash', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemini-4-argon',
    'Google: Gemini 4 Argon',
    [
      at('google-ai-studio', 'gemini-4-argon'),
      at('google-vertex', 'gemini-4-argon', GEMINI),
    ],
    IMAGE_AND_FILE,
  ],
  [
    'google/gemma-3-12b',
    'Google: gemma-3-12b',
    [
      at('deepinfra', 'google/gemma-3-12b-it'),
      at('novita', 'google/gemma-3-12b-it'),
      bedrock('google.gemma-3-12b-it'),
    ],
    IMAGE,
  ],
  [
    'google/gemma-3-27b',
    'Google: gemma-3-27b',
    [
      at('deepinfra', 'google/gemma-3-27b-it'),
      at('novita', 'google/gemma-3-27b-it'),
      at('venice', 'google-gemma-3-27b-it'),
      bedrock('google.gemma-3-27b-it'),
      fireworks('gemma-3-27b-it'),
    ],
    IMAGE,
  ],
  [
    'google/gemma-3-4b',
    'Google: gemma-3-4b',
    [
      at('deepinfra', 'google/gemma-3-4b-it'),
      bedrock('google.gemma-3-4b-it'),
    ],
    IMAGE,
  ],
  [
    'google/gemma-4-26b-a4b',
    'Google: Gemma 4 26B A4B IT',
    [
      bedrock('google.gemma-4-26b-a4b'),
      at('deepinfra', 'google/gemma-4-26B-A4B-it'),
      at('novita', 'google/gemma-4-26b-a4b-it'),
      at('wandb', 'google/gemma-4-26B-A4B-it'),
      at('venice', 'google-gemma-4-26b-a4b-it'),
    ],
    IMAGE,
  ],
  [
    'google/gemma-4-31b',
    'Google: Gemma 4 31B',
    [
      at('cerebras', 'gemma-4-31b'),
      bedrock('google.gemma-4-31b'),
      at('together', 'google/gemma-4-31B-it'),
      at('deepinfra', 'google/gemma-4-31B-it'),
      at('deepinfra', 'google/gemma-4-31B-it-Ultra', { variant: 'ultra' }),
      at('deepinfra', 'google/gemma-4-31B-it-turbo', { variant: 'turbo' }),
      at('novita', 'google/gemma-4-31b-it'),
      at('wandb', 'google/gemma-4-31B-it'),
      at('venice', 'google-gemma-4-31b-it'),
      at('ollama', 'gemma4:31b'),
    ],
  ],
  ['google/gemma-4-e2b', 'Google: Gemma 4 E2B IT', [bedrock('google.gemma-4-e2b')], IMAGE],
  ['google/gemma-4-e4b', 'Google: gemma-4-E4B-it', [at('deepinfra', 'google/gemma-4-E4B-it')]],

  ['mistralai/codestral-2508', 'Mistral: Codestral 2508', [at('mistral', 'codestral-2508')]],
  [
    'mistralai/devstral-2512',
    'Mistral: Devstral 2 2512',
    [
      at('mistral', 'devstral-2512'),
      bedrock('mistral.devstral-2-123b'),
    ],
  ],
  [
    'mistralai/magistral-small-2509',
    'Mistral: Magistral Small 1.2',
    [
      bedrock('mistral.magistral-small-2509'),
    ],
    IMAGE,
  ],
  [
    'mistralai/ministral-14b-2512',
    'Mistral: Ministral 3 14B 2512',
    [
      at('mistral', 'ministral-14b-2512'),
      bedrock('mistral.ministral-3-14b-instruct'),
    ],
  ],
  [
    'mistralai/ministral-3b-2512',
    'Mistral: Ministral 3 3B 2512',
    [
      at('mistral', 'ministral-3b-2512'),
      bedrock('mistral.ministral-3-3b-instruct'),
    ],
  ],
  [
    'mistralai/ministral-8b-2512',
    'Mistral: Ministral 3 8B 2512',
    [
      at('mistral', 'ministral-8b-2512'),
      bedrock('mistral.ministral-3-8b-instruct'),
    ],
  ],
  [
    'mistralai/mistral-7b-instruct-v0.2',
    'Mistral: mistral-7b-instruct-v0.2',
    [
      bedrock('mistral.mistral-7b-instruct-v0:2'),
    ],
  ],
  [
    'mistralai/mistral-large-2402',
    'Mistral: mistral-large-2402',
    [
      bedrock('mistral.mistral-large-2402-v1:0'),
    ],
  ],
  [
    'mistralai/mistral-large-2512',
    'Mistral: Mistral Large 3 2512',
    [
      at('mistral', 'mistral-large-2512'),
      bedrock('mistral.mistral-large-3-675b-instruct'),
    ],
    IMAGE,
  ],
  ['mistralai/mistral-large-4', 'Mistral: Large 4', [at('mistral', 'mistral-large-4')], IMAGE],
  ['mistralai/mistral-medium-2505', 'Mistral: Medium 3', [at('mistral', 'mistral-medium-2505')], IMAGE],
  ['mistralai/mistral-medium-2508', 'Mistral: Medium 3.1', [at('mistral', 'mistral-medium-2508')], IMAGE],
  [
    'mistralai/mistral-medium-3.5',
    'Mistral: Mistral Medium 3.5',
    [
      at('mistral', 'mistral-medium-3-5', { upstream: 'mistral-medium-3.5' }),
    ],
    IMAGE,
  ],
  [
    'mistralai/mistral-nemo',
    'Mistral: Nemo',
    [
      at('mistral', 'mistral-nemo'),
      at('deepinfra', 'mistralai/Mistral-Nemo-Instruct-2407'),
      at('novita', 'mistralai/mistral-nemo'),
    ],
  ],
  [
    'mistralai/mistral-small-2402',
    'Mistral: mistral-small-2402',
    [
      bedrock('mistral.mistral-small-2402-v1:0'),
    ],
  ],
  [
    'mistralai/mistral-small-24b-instruct-2501',
    'Mistral: Mistral-Small-24B-Instruct-2501',
    [
      at('deepinfra', 'mistralai/Mistral-Small-24B-Instruct-2501'),
    ],
  ],
  [
    'mistralai/mistral-small-2603',
    'Mistral: Mistral Small 4 2603',
    [
      at('mistral', 'mistral-small-2603'),
      at('venice', 'mistral-small-2603'),
    ],
    IMAGE,
  ],
  [
    'mistralai/mistral-small-3.2-24b-instruct',
    'Mistral: Small 3.2',
    [
      at('mistral', 'mistral-small-2506'),
      at('deepinfra', 'mistralai/Mistral-Small-3.2-24B-Instruct-2506'),
      at('venice', 'mistral-small-3-2-24b-instruct'),
    ],
    IMAGE,
  ],
  [
    'mistralai/mixtral-8x7b-instruct',
    'Mistral: mixtral-8x7b-instruct',
    [
      bedrock('mistral.mixtral-8x7b-instruct-v0:1'),
    ],
  ],
  [
    'mistralai/pixtral-large-2502',
    'Mistral: Pixtral Large (25.02)',
    [
      bedrock('us.mistral.pixtral-large-2502-v1:0'),
    ],
    IMAGE,
  ],

  [
    'meta-llama/llama-3-70b-instruct',
    'Meta: llama-3-70b-instruct',
    [
      bedrock('meta.llama3-70b-instruct-v1:0'),
    ],
  ],
  [
    'meta-llama/llama-3-8b-instruct',
    'Meta: llama-3-8b-instruct',
    [
      bedrock('meta.llama3-8b-instruct-v1:0'),
    ],
  ],
  [
    'meta-llama/llama-3.1-70b-instruct',
    'Meta: Llama 3.1 70B Instruct',
    [
      bedrock('us.meta.llama3-1-70b-instruct-v1:0'),
      at('deepinfra', 'meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo', { variant: 'turbo' }),
      at('wandb', 'meta-llama/Llama-3.1-70B-Instruct'),
    ],
  ],
  [
    'meta-llama/llama-3.1-8b-instruct',
    'Meta: Llama 3.1 8B Instruct',
    [
      at('groq', 'llama-3.1-8b-instant', { context: 131_072 }),
      fireworks('llama-v3p1-8b-instruct'),
      bedrock('us.meta.llama3-1-8b-instruct-v1:0'),
      at('deepinfra', 'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo', { variant: 'turbo' }),
      at('novita', 'meta-llama/llama-3.1-8b-instruct'),
      at('wandb', 'meta-llama/Llama-3.1-8B-Instruct'),
    ],
  ],
  [
    'meta-llama/llama-3.2-11b-vision-instruct',
    'Meta: llama-3.2-11b-vision-instruct',
    [
      bedrock('us.meta.llama3-2-11b-instruct-v1:0', { source: 'meta.llama3-2-11b-instruct-v1:0' }),
    ],
  ],
  [
    'meta-llama/llama-3.2-1b-instruct',
    'Meta: llama-3.2-1b-instruct',
    [
      at('novita', 'meta-llama/llama-3.2-1b-instruct'),
      bedrock('us.meta.llama3-2-1b-instruct-v1:0', { source: 'meta.llama3-2-1b-instruct-v1:0' }),
    ],
  ],
  [
    'meta-llama/llama-3.2-3b-instruct',
    'Meta: llama-3.2-3b-instruct',
    [
      at('venice', 'llama-3.2-3b'),
      bedrock('us.meta.llama3-2-3b-instruct-v1:0', { source: 'meta.llama3-2-3b-instruct-v1:0' }),
    ],
  ],
  [
    'meta-llama/llama-3.2-90b-vision-instruct',
    'Meta: llama-3.2-90b-vision-instruct',
    [
      bedrock('us.meta.llama3-2-90b-instruct-v1:0', { source: 'meta.llama3-2-90b-instruct-v1:0' }),
    ],
  ],
  [
    'meta-llama/llama-3.3-70b-instruct',
    'Meta: Llama 3.3 70B Instruct',
    [
      at('groq', 'llama-3.3-70b-versatile', { context: 131_072, output: 32_768 }),
      bedrock('us.meta.llama3-3-70b-instruct-v1:0'),
      at('together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', { variant: 'turbo' }),
      at('deepinfra', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', { variant: 'turbo' }),
      at('novita', 'meta-llama/llama-3.3-70b-instruct'),
      at('wandb', 'meta-llama/Llama-3.3-70B-Instruct'),
      at('venice', 'llama-3.3-70b'),
    ],
  ],
  [
    'meta-llama/llama-4-maverick',
    'Meta: Llama 4 Maverick',
    [
      at('groq', 'meta-llama/llama-4-maverick-17b-128e-instruct', { output: 8192, more: ['structured_outputs'] }),
      fireworks('llama4-maverick-instruct-basic'),
      bedrock('us.meta.llama4-maverick-17b-instruct-v1:0'),
      at('google-vertex', 'meta/llama-4-maverick-17b-128e-instruct-maas', CHAT),
      // The table's length is not the model's: what it says of the other hosts.
      at('together', 'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8', { context: 1_048_576, says: 'pi-catalog' }),
      at('deepinfra', 'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8'),
      at('novita', 'meta-llama/llama-4-maverick-17b-128e-instruct-fp8'),
    ],
    IMAGE,
  ],
  [
    'meta-llama/llama-4-scout',
    'Meta: Llama 4 Scout',
    [
      at('groq', 'meta-llama/llama-4-scout-17b-16e-instruct', {
        context: 131_072, output: 8192, more: ['structured_outputs'],
      }),
      bedrock('us.meta.llama4-scout-17b-instruct-v1:0'),
      at('together', 'meta-llama/Llama-4-Scout-17B-16E-Instruct'),
      at('deepinfra', 'meta-llama/Llama-4-Scout-17B-16E-Instruct'),
      at('novita', 'meta-llama/llama-4-scout-17b-16e-instruct'),
      at('wandb', 'meta-llama/Llama-4-Scout-17B-16E-Instruct'),
    ],
    IMAGE,
  ],
  [
    'meta-llama/muse-ember-1.0',
    'Meta: Muse Ember',
    [
      at('meta', 'muse-ember-1.0', RESPONSES),
    ],
    IMAGE,
  ],
  ['meta-llama/muse-glimmer-30b', 'Meta: Muse-Glimmer-30B', [at('deepinfra', 'meta-models/Muse-Glimmer-30B')], IMAGE],
  [
    'meta-llama/muse-spark-1.1',
    'Meta: Muse Spark 1.1',
    [
      at('meta', 'muse-spark-1.1', RESPONSES),
    ],
    IMAGE,
  ],
  [
    'meta-llama/muse-spark-1.2',
    'Meta: Muse Spark 1.2',
    [
      at('meta', 'muse-spark-1.2', RESPONSES),
    ],
    IMAGE,
  ],
  [
    'meta-llama/muse-spark-1.3',
    'Meta: Muse Spark 1.3',
    [
      at('meta', 'muse-spark-1.3', RESPONSES),
    ],
    IMAGE,
  ],
  [
    'meta-llama/muse-spark-open-816b-a42b',
    'Meta: Muse Spark Open',
    [
      fireworks('muse-spark-open', REASONING),
      at('together', 'meta-models/Muse-Spark-Open-816B-A42B'),
    ],
    IMAGE,
  ],
  [
    'meta-llama/muse-wonder-1.0',
    'Meta: Muse Wonder',
    [
      at('meta', 'muse-wonder-1.0', RESPONSES),
    ],
    IMAGE,
  ],

  [
    'deepseek/deepseek-chat-v3-0324',
    'DeepSeek: deepseek-chat-v3-0324',
    [
      fireworks('deepseek-v3-0324'),
    ],
  ],
  [
    'deepseek/deepseek-r1',
    'DeepSeek: deepseek-r1',
    [
      at('together', 'deepseek-ai/DeepSeek-R1'),
      at('novita', 'deepseek/deepseek-r1'),
      at('novita', 'deepseek/deepseek-r1-turbo', { variant: 'turbo' }),
      bedrock('us.deepseek.r1-v1:0', { source: 'deepseek.r1-v1:0' }),
    ],
  ],
  [
    'deepseek/deepseek-r1-0528',
    'DeepSeek: R1 0528',
    [
      at('deepinfra', 'deepseek-ai/DeepSeek-R1-0528'),
      at('novita', 'deepseek/deepseek-r1-0528'),
      fireworks('deepseek-r1-0528'),
    ],
  ],
  [
    'deepseek/deepseek-r1-distill-llama-70b',
    'DeepSeek: R1 Distill Llama 70B',
    [
      at('groq', 'deepseek-r1-distill-llama-70b', REASONING),
      at('novita', 'deepseek/deepseek-r1-distill-llama-70b'),
    ],
  ],
  [
    'deepseek/deepseek-v3',
    'DeepSeek: V3',
    [
      at('together', 'deepseek-ai/DeepSeek-V3'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V3'),
      at('novita', 'deepseek/deepseek_v3'),
    ],
  ],
  [
    'deepseek/deepseek-v3.1',
    'DeepSeek: DeepSeek-V3.1',
    [
      bedrock('deepseek.v3-v1:0'),
      at('together', 'deepseek-ai/DeepSeek-V3.1'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V3.1'),
      at('novita', 'deepseek/deepseek-v3.1'),
      at('wandb', 'deepseek-ai/DeepSeek-V3.1'),
    ],
  ],
  ['deepseek/deepseek-v3.1-terminus', 'DeepSeek: V3.1 Terminus', [at('novita', 'deepseek/deepseek-v3.1-terminus')]],
  [
    'deepseek/deepseek-v3.2',
    'DeepSeek: DeepSeek V3.2',
    [
      fireworks('deepseek-v3p2', REASONING),
      bedrock('deepseek.v3.2'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V3.2'),
      at('novita', 'deepseek/deepseek-v3.2'),
      at('venice', 'deepseek-v3.2'),
      at('avian', 'deepseek/deepseek-v3.2'),
    ],
  ],
  ['deepseek/deepseek-v3.2-exp', 'DeepSeek: V3.2 Exp', [at('novita', 'deepseek/deepseek-v3.2-exp')]],
  [
    'deepseek/deepseek-v4-flash',
    'DeepSeek: DeepSeek V4 Flash',
    [
      at('deepseek', 'deepseek-v4-flash', { output: 384_000 }),
      fireworks('deepseek-v4-flash'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V4-Flash'),
      at('novita', 'deepseek/deepseek-v4-flash'),
      at('wandb', 'deepseek-ai/DeepSeek-V4-Flash'),
      at('venice', 'deepseek-v4-flash'),
      at('wafer', 'deepseek-v4-flash'),
      at('ollama', 'deepseek-v4-flash'),
      at('avian', 'deepseek/deepseek-v4-flash'),
    ],
  ],
  ['deepseek/deepseek-v4-flash-0423', 'DeepSeek: DeepSeek-V4-Flash-0423', [at('wafer', 'DeepSeek-V4-Flash-0423')]],
  [
    'deepseek/deepseek-v4-flash-0731',
    'DeepSeek: V4 Flash 0731',
    [
      at('together', 'deepseek-ai/DeepSeek-V4-Flash-0731'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V4-Flash-0731'),
      at('novita', 'deepseek/deepseek-v4-flash-0731'),
      at('baseten', 'deepseek-ai/DeepSeek-V4-Flash-0731'),
      at('wandb', 'deepseek-ai/DeepSeek-V4-Flash-0731'),
      at('venice', 'deepseek-v4-flash-0731'),
      at('venice', 'deepseek-v4-flash-0731-fast', { variant: 'fast' }),
      at('wafer', 'DeepSeek-V4-Flash-0731-Fast', { variant: 'fast' }),
      at('ollama', 'deepseek-v4-flash:0731'),
    ],
  ],
  [
    'deepseek/deepseek-v4-flash-vision-exp',
    'DeepSeek: V4 Flash Vision Exp',
    [
      at('deepinfra', 'deepseek-ai/DeepSeek-V4-Flash-Vision-Exp'),
      at('novita', 'deepseek/deepseek-v4-flash-vision-exp'),
    ],
    IMAGE,
  ],
  [
    'deepseek/deepseek-v4-pro',
    'DeepSeek: DeepSeek V4 Pro',
    [
      at('deepseek', 'deepseek-v4-pro', { output: 384_000 }),
      fireworks('deepseek-v4-pro', { output: 384_000, ...REASONING }),
      at('azure', 'deepseek-v4-pro'),
      at('together', 'deepseek-ai/DeepSeek-V4-Pro'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V4-Pro'),
      at('novita', 'deepseek/deepseek-v4-pro'),
      at('baseten', 'deepseek-ai/DeepSeek-V4-Pro'),
      at('wandb', 'deepseek-ai/DeepSeek-V4-Pro'),
      at('venice', 'deepseek-v4-pro'),
      at('wafer', 'DeepSeek-V4-Pro'),
      at('ollama', 'deepseek-v4-pro'),
      at('avian', 'deepseek/deepseek-v4-pro'),
    ],
  ],
  [
    'deepseek/deepseek-v4-pro-0813',
    'DeepSeek: V4 Pro 0813',
    [
      at('together', 'deepseek-ai/DeepSeek-V4-Pro-0813'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V4-Pro-0813'),
      at('novita', 'deepseek/deepseek-v4-pro-0813'),
      at('baseten', 'deepseek-ai/DeepSeek-V4-Pro-0813'),
      at('wandb', 'deepseek-ai/DeepSeek-V4-Pro-0813'),
      at('venice', 'deepseek-v4-pro-0813'),
      at('ollama', 'deepseek-v4-pro:0813'),
      at('avian', 'deepseek/deepseek-v4-pro-0813'),
    ],
  ],
  [
    'deepseek/deepseek-v4.1-flash',
    'DeepSeek: V4.1 Flash',
    [
      at('deepseek', 'deepseek-flash'),
      fireworks('deepseek-v4p1-flash', REASONING),
      at('together', 'deepseek-ai/DeepSeek-V4.1-Flash'),
      at('deepinfra', 'deepseek-ai/DeepSeek-V4.1-Flash'),
      at('novita', 'deepseek/deepseek-v4.1-flash'),
      at('baseten', 'deepseek-ai/DeepSeek-V4.1-Flash'),
      at('baseten', 'deepseek-ai/DeepSeek-V4.1-Flash-Fast', { variant: 'fast' }),
      at('wandb', 'deepseek-ai/DeepSeek-V4.1-Flash'),
      at('venice', 'deepseek-v4-1-flash'),
      at('wafer', 'DeepSeek-V4.1-Flash'),
      at('ollama', 'deepseek-v4.1-flash'),
    ],
    IMAGE,
  ],
  [
    'deepseek/deepseek-v4.1-flash-1017',
    'DeepSeek: V4.1 Flash 1017',
    [
      at('mistral', 'deepseek-v4-1-flash-1017'),
      fireworks('deepseek-v4p1-flash-1017', REASONING),
      fireworksRouter('deepseek-v4p1-flash-1017-ultrafast', 'ultrafast', REASONING),
      at('baseten', 'deepseek-ai/DeepSeek-V4.1-Flash-1017'),
      at('baseten', 'deepseek-ai/DeepSeek-V4.1-Flash-1017-Fast', { variant: 'fast' }),
    ],
  ],

  ['x-ai/grok-3', 'xAI: Grok 3', [at('xai', 'grok-3')]],
  ['x-ai/grok-3-fast', 'xAI: Grok 3 Fast', [at('xai', 'grok-3-fast')]],
  ['x-ai/grok-3-mini', 'xAI: Grok 3 Mini', [at('xai', 'grok-3-mini')]],
  ['x-ai/grok-3-mini-fast', 'xAI: Grok 3 Mini Fast', [at('xai', 'grok-3-mini-fast')]],
  ['x-ai/grok-4', 'xAI: Grok 4', [at('xai', 'grok-4')]],
  ['x-ai/grok-4-fast', 'xAI: Grok 4 Fast', [at('xai', 'grok-4-fast')], IMAGE],
  [
    'x-ai/grok-4-fast-non-reasoning',
    'xAI: Grok 4 Fast (Non-Reasoning)',
    [
      at('xai', 'grok-4-fast-non-reasoning'),
    ],
    IMAGE,
  ],
  ['x-ai/grok-4.1-fast', 'xAI: Grok 4.1 Fast', [at('xai', 'grok-4-1-fast')], IMAGE],
  [
    'x-ai/grok-4.1-fast-non-reasoning',
    'xAI: Grok 4.1 Fast (Non-Reasoning)',
    [
      at('xai', 'grok-4-1-fast-non-reasoning'),
    ],
    IMAGE,
  ],
  ['x-ai/grok-4.20', 'xAI: Grok 4.20', [at('xai', 'grok-4.20')], IMAGE],
  [
    'x-ai/grok-4.20-non-reasoning',
    'xAI: Grok 4.20 (Non-Reasoning)',
    [
      at('google-vertex', 'xai/grok-4.20-non-reasoning', CHAT),
    ],
    IMAGE,
  ],
  [
    'x-ai/grok-4.20-reasoning',
    'xAI: Grok 4.20 (Reasoning)',
    [
      at('google-vertex', 'xai/grok-4.20-reasoning', CHAT),
    ],
    IMAGE,
  ],
  [
    'x-ai/grok-4.3',
    'xAI: Grok 4.3',
    [
      at('xai', 'grok-4.3', { output: 30_000 }),
      at('google-vertex', 'xai/grok-4.3', CHAT),
    ],
    IMAGE,
  ],
  ['x-ai/grok-4.5', 'xAI: Grok 4.5', [at('xai', 'grok-4.5', REASONING)], IMAGE],
  [
    'x-ai/grok-4.6',
    'xAI: Grok 4.6',
    [
      at('xai', 'grok-4.6'),
      at('google-vertex', 'xai/grok-4.6', CHAT),
    ],
  ],
  ['x-ai/grok-4.7', 'xAI: Grok 4.7', [at('xai', 'grok-4.7')], IMAGE],
  ['x-ai/grok-build-0.1', 'xAI: Grok Build 0.1', [at('xai', 'grok-build-0.1')]],
  ['x-ai/grok-code-fast-1', 'xAI: Grok Code Fast 1', [at('xai', 'grok-code-fast-1')]],

  [
    'moonshotai/kimi-k2',
    'MoonshotAI: Kimi K2 Instruct',
    [
      at('groq', 'moonshotai/kimi-k2-instruct'),
      at('novita', 'moonshotai/kimi-k2-instruct'),
    ],
  ],
  [
    'moonshotai/kimi-k2-0905',
    'MoonshotAI: Kimi K2 0905',
    [
      at('groq', 'moonshotai/kimi-k2-instruct-0905'),
      at('together', 'moonshotai/Kimi-K2-Instruct-0905'),
      at('novita', 'moonshotai/kimi-k2-0905'),
    ],
  ],
  [
    'moonshotai/kimi-k2-thinking',
    'MoonshotAI: Kimi K2 Thinking',
    [
      bedrock('moonshot.kimi-k2-thinking'),
      at('novita', 'moonshotai/kimi-k2-thinking'),
    ],
  ],
  [
    'moonshotai/kimi-k2.5',
    'MoonshotAI: Kimi K2.5',
    [
      at('moonshotai', 'kimi-k2.5'),
      fireworks('kimi-k2p5', REASONING),
      bedrock('moonshotai.kimi-k2.5'),
      at('together', 'moonshotai/Kimi-K2.5'),
      at('novita', 'moonshotai/kimi-k2.5'),
      at('wandb', 'moonshotai/Kimi-K2.5'),
      at('venice', 'kimi-k2-5'),
    ],
    IMAGE,
  ],
  [
    'moonshotai/kimi-k2.6',
    'MoonshotAI: Kimi K2.6',
    [
      at('moonshotai', 'kimi-k2.6'),
      fireworks('kimi-k2p6', { context: 262_000, ...REASONING }),
      fireworksRouter('kimi-k2p6-fast', 'fast', REASONING),
      at('together', 'moonshotai/Kimi-K2.6'),
      at('deepinfra', 'moonshotai/Kimi-K2.6'),
      at('novita', 'moonshotai/kimi-k2.6'),
      at('baseten', 'moonshotai/Kimi-K2.6'),
      at('wandb', 'moonshotai/Kimi-K2.6'),
      at('venice', 'kimi-k2-6'),
      at('wafer', 'Kimi-K2.6'),
      at('ollama', 'kimi-k2.6'),
    ],
    IMAGE,
  ],
  [
    'moonshotai/kimi-k2.7-code',
    'MoonshotAI: Kimi K2.7 Code',
    [
      at('moonshotai', 'kimi-k2.7-code'),
      at('moonshotai', 'kimi-k2.7-code-highspeed', { variant: 'highspeed' }),
      fireworks('kimi-k2p7-code'),
      fireworksRouter('kimi-k2p7-code-fast', 'fast'),
      at('together', 'moonshotai/Kimi-K2.7-Code'),
      at('novita', 'moonshotai/kimi-k2.7-code'),
      at('baseten', 'moonshotai/Kimi-K2.7-Code'),
      at('wandb', 'moonshotai/Kimi-K2.7-Code'),
      at('venice', 'kimi-k2-7-code'),
      at('wafer', 'Kimi-K2.7-Code'),
      at('ollama', 'kimi-k2.7-code'),
    ],
  ],
  [
    'moonshotai/kimi-k3',
    'MoonshotAI: Kimi K3',
    [
      at('moonshotai', 'kimi-k3'),
      fireworks('kimi-k3'),
      fireworksRouter('kimi-k3-fast', 'fast'),
      fireworksRouter('kimi-k3-us', 'us'),
      bedrock('global.moonshotai.kimi-k3'),
      at('together', 'moonshotai/Kimi-K3'),
      at('deepinfra', 'moonshotai/Kimi-K3'),
      at('novita', 'moonshotai/kimi-k3'),
      at('baseten', 'moonshotai/Kimi-K3'),
      at('wandb', 'moonshotai/Kimi-K3'),
      at('venice', 'kimi-k3'),
      at('wafer', 'Kimi-K3'),
      at('wafer', 'kimi-k3-fast', { variant: 'fast' }),
      at('ollama', 'kimi-k3'),
    ],
  ],
  [
    'moonshotai/kimi-k3.1',
    'MoonshotAI: Kimi K3.1 Pro Highspeed',
    [
      bedrock('global.moonshotai.kimi-k3.1'),
    ],
    IMAGE,
  ],
  [
    'moonshotai/kimi-k3.1-pro',
    'MoonshotAI: Kimi K3.1 Pro',
    [
      fireworks('kimi-k3p1-pro', REASONING),
      at('moonshotai', 'kimi-k3.1-pro'),
      at('moonshotai', 'kimi-k3.1-pro-highspeed', { variant: 'highspeed' }),
      at('together', 'moonshotai/Kimi-K3.1-Pro'),
      at('baseten', 'moonshotai/Kimi-K3.1-Pro'),
    ],
    IMAGE,
  ],

  ['z-ai/glm-4-32b-0414', 'Z.AI: GLM-4-32B-0414', [at('novita', 'thudm/glm-4-32b-0414')]],
  ['z-ai/glm-4.5', 'Z.AI: GLM-4.5', [at('z-ai', 'glm-4.5')]],
  ['z-ai/glm-4.5-air', 'Z.AI: GLM-4.5-Air', [at('z-ai', 'glm-4.5-air'), at('novita', 'zai-org/glm-4.5-air')]],
  ['z-ai/glm-4.5v', 'Z.AI: GLM-4.5V', [at('z-ai', 'glm-4.5v'), at('novita', 'zai-org/glm-4.5v')], IMAGE],
  [
    'z-ai/glm-4.6',
    'Z.AI: GLM-4.6',
    [
      at('z-ai', 'glm-4.6'),
      at('deepinfra', 'zai-org/GLM-4.6'),
      at('novita', 'zai-org/glm-4.6'),
      at('venice', 'zai-org-glm-4.6'),
    ],
  ],
  ['z-ai/glm-4.6v', 'Z.AI: GLM-4.6V', [at('z-ai', 'glm-4.6v'), at('novita', 'zai-org/glm-4.6v')], IMAGE],
  [
    'z-ai/glm-4.7',
    'Z.AI: GLM 4.7',
    [
      fireworks('glm-4p7', REASONING),
      bedrock('zai.glm-4.7'),
      at('z-ai', 'glm-4.7'),
      at('together', 'zai-org/GLM-4.7'),
      at('deepinfra', 'zai-org/GLM-4.7'),
      at('novita', 'zai-org/glm-4.7'),
      at('baseten', 'zai-org/GLM-4.7'),
      at('venice', 'zai-org-glm-4.7'),
      at('avian', 'z-ai/glm-4.7'),
    ],
  ],
  [
    'z-ai/glm-4.7-flash',
    'Z.AI: GLM-4.7-Flash',
    [
      bedrock('zai.glm-4.7-flash'),
      at('novita', 'zai-org/glm-4.7-flash'),
      at('venice', 'zai-org-glm-4.7-flash'),
    ],
  ],
  ['z-ai/glm-4.7-flashx', 'Z.AI: GLM-4.7-FlashX', [at('z-ai', 'glm-4.7-flashx')]],
  [
    'z-ai/glm-5',
    'Z.AI: GLM-5',
    [
      bedrock('zai.glm-5'),
      at('z-ai', 'glm-5'),
      at('together', 'zai-org/GLM-5'),
      at('novita', 'zai-org/glm-5'),
      at('wandb', 'zai-org/GLM-5-FP8'),
      at('venice', 'zai-org-glm-5'),
    ],
  ],
  [
    'z-ai/glm-5-turbo',
    'Z.AI: GLM-5-Turbo',
    [
      at('z-ai', 'glm-5-turbo'),
      at('novita', 'zai-org/glm-5-turbo'),
      at('venice', 'z-ai-glm-5-turbo'),
    ],
  ],
  [
    'z-ai/glm-5.1',
    'Z.AI: GLM 5.1',
    [
      fireworks('glm-5p1', { context: 202_800, output: 131_072, ...REASONING }),
      at('z-ai', 'glm-5.1'),
      at('together', 'zai-org/GLM-5.1'),
      at('deepinfra', 'zai-org/GLM-5.1'),
      at('novita', 'zai-org/glm-5.1'),
      at('wandb', 'zai-org/GLM-5.1'),
      at('venice', 'zai-org-glm-5-1'),
      at('wafer', 'GLM-5.1'),
      at('ollama', 'glm-5.1'),
      at('avian', 'z-ai/glm-5.1'),
    ],
  ],
  [
    'z-ai/glm-5.2',
    'Z.AI: GLM 5.2',
    [
      at('z-ai', 'GLM-5.2', { upstream: 'glm-5.2' }),
      fireworks('glm-5p2'),
      fireworksRouter('glm-5p2-fast', 'fast'),
      at('google-vertex', 'zai-org/glm-5.2-maas', CHAT),
      at('mistral', 'zai-glm-5-2'),
      at('together', 'zai-org/GLM-5.2'),
      at('deepinfra', 'zai-org/GLM-5.2'),
      at('novita', 'zai-org/glm-5.2'),
      at('baseten', 'zai-org/GLM-5.2'),
      at('baseten', 'zai-org/GLM-5.2-Fast', { variant: 'fast' }),
      at('wandb', 'zai-org/GLM-5.2'),
      at('venice', 'zai-org-glm-5-2'),
      at('wafer', 'GLM-5.2'),
      at('wafer', 'GLM5.2-Turbo', { variant: 'turbo' }),
      at('wafer', 'glm5.2-fast', { variant: 'fast' }),
      at('ollama', 'glm-5.2'),
      at('avian', 'z-ai/glm-5.2'),
    ],
  ],
  [
    'z-ai/glm-5.3',
    'Z.AI: GLM 5.3',
    [
      at('z-ai', 'GLM-5.3', { upstream: 'glm-5.3' }),
      bedrock('global.zai.glm-5.3'),
      at('mistral', 'zai-glm-5-3'),
      fireworks('glm-5p3', REASONING),
      fireworksRouter('glm-5p3-fast', 'fast', REASONING),
      at('together', 'zai-org/GLM-5.3'),
      at('deepinfra', 'zai-org/GLM-5.3'),
      at('novita', 'zai-org/glm-5.3'),
      at('baseten', 'zai-org/GLM-5.3'),
      at('baseten', 'zai-org/GLM-5.3-Fast', { variant: 'fast' }),
      at('venice', 'z-ai-glm-5-3'),
      at('wafer', 'GLM-5.3'),
      at('ollama', 'glm-5.3'),
    ],
  ],
  [
    'z-ai/glm-5.3-flash',
    'Z.AI: GLM-5.3-Flash',
    [
      at('mistral', 'zai-glm-5-3-flash'),
      fireworks('glm-5p3-flash', REASONING),
      at('z-ai', 'glm-5.3-flash', { pricedBy: 'pi-ai' }),
      at('together', 'zai-org/GLM-5.3-Flash'),
      at('deepinfra', 'zai-org/GLM-5.3-Flash'),
      at('novita', 'zai-org/glm-5.3-flash'),
      at('baseten', 'zai-org/GLM-5.3-Flash'),
      at('wandb', 'zai-org/GLM-5.3-Flash'),
      at('venice', 'z-ai-glm-5-3-flash'),
      at('wafer', 'GLM-5.3-Flash'),
      at('ollama', 'glm-5.3-flash'),
    ],
    IMAGE,
  ],
  ['z-ai/glm-5.3-flashx', 'Z.AI: GLM-5.3-FlashX', [at('z-ai', 'glm-5.3-flashx')], IMAGE],
  [
    'z-ai/glm-5v-turbo',
    'Z.AI: GLM-5V-Turbo',
    [
      at('z-ai', 'glm-5v-turbo'),
      at('novita', 'zai-org/glm-5v-turbo'),
      at('venice', 'z-ai-glm-5v-turbo'),
    ],
    IMAGE,
  ],

  ['minimax/minimax-m1-80k', 'MiniMax: M1', [at('novita', 'minimaxai/minimax-m1-80k')]],
  [
    'minimax/minimax-m2',
    'MiniMax: MiniMax-M2',
    [
      bedrock('minimax.minimax-m2'),
      at('minimax', 'MiniMax-M2'),
      at('novita', 'minimax/minimax-m2'),
    ],
  ],
  [
    'minimax/minimax-m2.1',
    'MiniMax: MiniMax-M2.1',
    [
      bedrock('minimax.minimax-m2.1'),
      at('minimax', 'MiniMax-M2.1'),
      at('novita', 'minimax/minimax-m2.1'),
      fireworks('minimax-m2p1'),
    ],
  ],
  [
    'minimax/minimax-m2.5',
    'MiniMax: MiniMax-M2.5',
    [
      bedrock('minimax.minimax-m2.5'),
      at('minimax', 'MiniMax-M2.5'),
      at('minimax', 'MiniMax-M2.5-highspeed', { variant: 'highspeed' }),
      at('minimax', 'MiniMax-M2.5-lightning', { variant: 'lightning' }),
      at('together', 'MiniMaxAI/MiniMax-M2.5'),
      at('novita', 'minimax/minimax-m2.5'),
      at('novita', 'minimax/minimax-m2.5-highspeed', { variant: 'highspeed' }),
      at('wandb', 'MiniMaxAI/MiniMax-M2.5'),
      at('venice', 'minimax-m25'),
      at('avian', 'minimax/minimax-m2.5'),
    ],
  ],
  [
    'minimax/minimax-m2.7',
    'MiniMax: MiniMax M2.7',
    [
      at('minimax', 'MiniMax-M2.7'),
      at('minimax', 'MiniMax-M2.7-highspeed', { variant: 'highspeed' }),
      fireworks('minimax-m2p7', { context: 196_608, ...REASONING }),
      at('together', 'MiniMaxAI/MiniMax-M2.7'),
      at('deepinfra', 'MiniMaxAI/MiniMax-M2.7-Turbo', { variant: 'turbo' }),
      at('novita', 'minimax/minimax-m2.7'),
      at('novita', 'minimax/minimax-m2.7-highspeed', { variant: 'highspeed' }),
      at('venice', 'minimax-m27'),
      at('ollama', 'minimax-m2.7'),
    ],
  ],
  [
    'minimax/minimax-m3',
    'MiniMax: MiniMax M3',
    [
      fireworks('minimax-m3'),
      at('minimax', 'MiniMax-M3'),
      at('together', 'MiniMaxAI/MiniMax-M3'),
      at('deepinfra', 'MiniMaxAI/MiniMax-M3'),
      at('novita', 'minimax/minimax-m3'),
      at('wandb', 'MiniMaxAI/MiniMax-M3'),
      at('venice', 'minimax-m3'),
      at('wafer', 'MiniMax-M3'),
      at('ollama', 'minimax-m3'),
    ],
  ],
  [
    'minimax/minimax-m3.1-flash',
    'MiniMax: MiniMax-M3.1-Flash',
    [
      fireworks('minimax-m3p1-flash', REASONING),
      at('minimax', 'MiniMax-M3.1-Flash'),
    ],
    IMAGE,
  ],

  [
    'qwen/qwen-2.5-72b-instruct',
    'Qwen: Qwen2.5 72B',
    [
      at('deepinfra', 'Qwen/Qwen2.5-72B-Instruct'),
      at('novita', 'qwen/qwen-2.5-72b-instruct'),
    ],
  ],
  [
    'qwen/qwen-2.5-7b-instruct',
    'Qwen: 2.5 7B Instruct Turbo',
    [
      at('together', 'Qwen/Qwen2.5-7B-Instruct-Turbo', { variant: 'turbo' }),
    ],
  ],
  [
    'qwen/qwen2.5-vl-72b-instruct',
    'Qwen: qwen2.5-vl-72b-instruct',
    [
      fireworks('qwen2p5-vl-72b-instruct'),
    ],
    IMAGE,
  ],
  ['qwen/qwen3-14b', 'Qwen: Qwen3-14B', [at('deepinfra', 'Qwen/Qwen3-14B')]],
  [
    'qwen/qwen3-235b-a22b',
    'Qwen: Qwen3 235B A22B',
    [
      at('novita', 'qwen/qwen3-235b-a22b-fp8'),
      fireworks('qwen3-235b-a22b'),
    ],
  ],
  [
    'qwen/qwen3-235b-a22b-instruct-2507',
    'Qwen: Qwen3 235B-A22B Instruct 2507',
    [
      bedrock('qwen.qwen3-235b-a22b-2507-v1:0'),
      at('cerebras', 'qwen-3-235b-a22b-instruct-2507'),
      at('together', 'Qwen/Qwen3-235B-A22B-Instruct-2507-tput'),
      at('deepinfra', 'Qwen/Qwen3-235B-A22B-Instruct-2507'),
      at('novita', 'qwen/qwen3-235b-a22b-instruct-2507'),
      at('wandb', 'Qwen/Qwen3-235B-A22B-Instruct-2507'),
      at('venice', 'qwen3-235b-a22b-instruct-2507'),
    ],
  ],
  [
    'qwen/qwen3-235b-a22b-thinking-2507',
    'Qwen: Qwen3 235B A22B Thinking 2507',
    [
      at('novita', 'qwen/qwen3-235b-a22b-thinking-2507'),
      at('wandb', 'Qwen/Qwen3-235B-A22B-Thinking-2507'),
      at('venice', 'qwen3-235b-a22b-thinking-2507'),
    ],
  ],
  ['qwen/qwen3-30b-a3b', 'Qwen: Qwen3 30B A3B', [at('deepinfra', 'Qwen/Qwen3-30B-A3B')]],
  [
    'qwen/qwen3-30b-a3b-instruct-2507',
    'Qwen: Qwen3 30B A3B Instruct 2507',
    [
      at('wandb', 'Qwen/Qwen3-30B-A3B-Instruct-2507'),
    ],
  ],
  [
    'qwen/qwen3-32b',
    'Qwen: Qwen3 32B',
    [
      at('groq', 'qwen/qwen3-32b', { output: 40_960, ...REASONING }),
      bedrock('qwen.qwen3-32b-v1:0'),
      at('deepinfra', 'Qwen/Qwen3-32B'),
    ],
  ],
  [
    'qwen/qwen3-coder-30b-a3b-instruct',
    'Qwen: Qwen3-Coder 30B-A3B Instruct',
    [
      bedrock('qwen.qwen3-coder-30b-a3b-v1:0'),
      at('novita', 'qwen/qwen3-coder-30b-a3b-instruct'),
    ],
  ],
  [
    'qwen/qwen3-coder-480b-a35b-instruct',
    'Qwen: Qwen3-Coder 480B-A35B Instruct',
    [
      bedrock('qwen.qwen3-coder-480b-a35b-v1:0'),
      at('together', 'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8'),
      at('deepinfra', 'Qwen/Qwen3-Coder-480B-A35B-Instruct-Turbo', { variant: 'turbo' }),
      at('novita', 'qwen/qwen3-coder-480b-a35b-instruct'),
      at('wandb', 'Qwen/Qwen3-Coder-480B-A35B-Instruct'),
      at('venice', 'qwen3-coder-480b-a35b-instruct-turbo', { variant: 'turbo' }),
    ],
  ],
  ['qwen/qwen3-coder-plus', 'Qwen: Qwen3 Coder Plus', []],
  [
    'qwen/qwen3-coder-next',
    'Qwen: Qwen3 Coder Next',
    [
      bedrock('qwen.qwen3-coder-next'),
      at('together', 'Qwen/Qwen3-Coder-Next-FP8'),
      at('novita', 'qwen/qwen3-coder-next'),
    ],
  ],
  ['qwen/qwen3-max', 'Qwen: Qwen3 Max', [at('deepinfra', 'Qwen/Qwen3-Max'), at('novita', 'qwen/qwen3-max')]],
  [
    'qwen/qwen3-next-80b-a3b-instruct',
    'Qwen: Qwen3-Next 80B-A3B Instruct',
    [
      bedrock('qwen.qwen3-next-80b-a3b'),
      at('deepinfra', 'Qwen/Qwen3-Next-80B-A3B-Instruct'),
      at('novita', 'qwen/qwen3-next-80b-a3b-instruct'),
      at('venice', 'qwen3-next-80b'),
    ],
  ],
  [
    'qwen/qwen3-vl-235b-a22b-instruct',
    'Qwen: Qwen3 VL 235B A22B Instruct',
    [
      bedrock('qwen.qwen3-vl-235b-a22b'),
      at('deepinfra', 'Qwen/Qwen3-VL-235B-A22B-Instruct'),
      at('novita', 'qwen/qwen3-vl-235b-a22b-instruct'),
      at('venice', 'qwen3-vl-235b-a22b'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3-vl-235b-a22b-thinking',
    'Qwen: Qwen3 VL 235B A22B Thinking',
    [
      at('novita', 'qwen/qwen3-vl-235b-a22b-thinking'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3-vl-30b-a3b-instruct',
    'Qwen: Qwen3 VL 30B A3B Instruct',
    [
      at('deepinfra', 'Qwen/Qwen3-VL-30B-A3B-Instruct'),
      at('novita', 'qwen/qwen3-vl-30b-a3b-instruct'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.5-122b-a10b',
    'Qwen: Qwen3.5 122B-A10B',
    [
      at('deepinfra', 'Qwen/Qwen3.5-122B-A10B'),
      at('novita', 'qwen/qwen3.5-122b-a10b'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.5-27b',
    'Qwen: Qwen3.5 27B',
    [
      at('deepinfra', 'Qwen/Qwen3.5-27B'),
      at('novita', 'qwen/qwen3.5-27b'),
      at('wandb', 'Qwen/Qwen3.5-27B'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.5-35b-a3b',
    'Qwen: Qwen3.5 35B A3B',
    [
      at('deepinfra', 'Qwen/Qwen3.5-35B-A3B'),
      at('novita', 'qwen/qwen3.5-35b-a3b'),
      at('wandb', 'Qwen/Qwen3.5-35B-A3B'),
      at('venice', 'qwen3-5-35b-a3b'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.5-397b-a17b',
    'Qwen: Qwen3.5 397B-A17B',
    [
      at('together', 'Qwen/Qwen3.5-397B-A17B'),
      at('deepinfra', 'Qwen/Qwen3.5-397B-A17B'),
      at('novita', 'qwen/qwen3.5-397b-a17b'),
      at('venice', 'qwen3-5-397b-a17b'),
      at('wafer', 'Qwen3.5-397B-A17B'),
      at('ollama', 'qwen3.5:397b'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.5-9b',
    'Qwen: Qwen3.5 9B',
    [
      at('together', 'Qwen/Qwen3.5-9B'),
      at('deepinfra', 'Qwen/Qwen3.5-9B'),
      at('venice', 'qwen3-5-9b'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.6-27b',
    'Qwen: Qwen3.6 27B',
    [
      at('groq', 'qwen/qwen3.6-27b', REASONING),
      at('deepinfra', 'Qwen/Qwen3.6-27B'),
      at('novita', 'qwen/qwen3.6-27b'),
      at('wandb', 'Qwen/Qwen3.6-27B'),
      at('venice', 'qwen3-6-27b'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.6-35b-a3b',
    'Qwen: Qwen3.6 35B-A3B',
    [
      at('deepinfra', 'Qwen/Qwen3.6-35B-A3B'),
      at('novita', 'qwen/qwen3.6-35b-a3b'),
      at('wandb', 'Qwen/Qwen3.6-35B-A3B'),
      at('venice', 'qwen3-6-35b-a3b'),
      at('wafer', 'Qwen3.6-35B-A3B'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.6-plus',
    'Qwen: Qwen3.6 Plus',
    [
      at('together', 'Qwen/Qwen3.6-Plus'),
      at('venice', 'qwen-3-6-plus'),
    ],
  ],
  [
    'qwen/qwen3.7-max',
    'Qwen: Qwen3.7 Max',
    [
      at('together', 'Qwen/Qwen3.7-Max'),
      at('deepinfra', 'Qwen/Qwen3.7-Max'),
      at('novita', 'qwen/qwen3.7-max'),
      at('venice', 'qwen-3-7-max'),
      at('wafer', 'qwen3.7-max'),
    ],
  ],
  ['qwen/qwen3.7-plus', 'Qwen: Qwen3.7 Plus', [fireworks('qwen3p7-plus'), at('venice', 'qwen-3-7-plus')]],
  [
    'qwen/qwen3.8-2.4t-a95b',
    'Qwen: Qwen3.8 2.4T A95B',
    [
      fireworks('qwen3p8-2p4t-a95b', REASONING),
      at('deepinfra', 'Qwen/Qwen3.8-2.4T-A95B'),
      at('novita', 'qwen/qwen3.8-2.4t-a95b'),
      at('venice', 'qwen-3-8-2-4t-a95b'),
    ],
  ],
  [
    'qwen/qwen3.8-27b',
    'Qwen: Qwen3.8 27B',
    [
      at('groq', 'qwen/qwen3.8-27b', REASONING),
      at('cerebras', 'qwen-3.8-27b', REASONING),
      at('deepinfra', 'Qwen/Qwen3.8-27B'),
      at('novita', 'qwen/qwen3.8-27b'),
      at('wandb', 'Qwen/Qwen3.8-27B'),
      at('venice', 'qwen-3-8-27b'),
      at('wafer', 'Qwen3.8-27B'),
    ],
    IMAGE,
  ],
  [
    'qwen/qwen3.8-flash',
    'Qwen: Qwen3.8 Flash',
    [
      at('deepinfra', 'Qwen/Qwen3.8-Flash'),
      at('novita', 'qwen/qwen3.8-flash'),
      at('venice', 'qwen-3-8-flash'),
    ],
  ],
  [
    'qwen/qwen3.8-max',
    'Qwen: Qwen3.8 Max',
    [
      fireworks('qwen3p8-max', REASONING),
      at('deepinfra', 'Qwen/Qwen3.8-Max'),
      at('novita', 'qwen/qwen3.8-max'),
      at('venice', 'qwen-3-8-max'),
    ],
  ],

  [
    'amazon/nova-2-lite',
    'Amazon: Nova 2 Lite',
    [
      bedrock('global.amazon.nova-2-lite-v1:0'),
    ],
    IMAGE,
  ],
  ['amazon/nova-lite', 'Amazon: Nova Lite', [bedrock('amazon.nova-lite-v1:0')], IMAGE],
  ['amazon/nova-micro', 'Amazon: Nova Micro', [bedrock('amazon.nova-micro-v1:0')]],
  [
    'amazon/nova-premier',
    'Amazon: Nova Premier',
    [
      bedrock('us.amazon.nova-premier-v1:0'),
    ],
    IMAGE,
  ],
  ['amazon/nova-pro', 'Amazon: Nova Pro', [bedrock('amazon.nova-pro-v1:0')], IMAGE],

  [
    'nvidia/nemotron-3-nano-30b-a3b',
    'NVIDIA: Nemotron Nano 3 30B',
    [
      bedrock('nvidia.nemotron-nano-3-30b'),
      at('deepinfra', 'nvidia/Nemotron-3-Nano-30B-A3B'),
      at('novita', 'nvidia/nemotron-3-nano-30b-a3b'),
      at('venice', 'nvidia-nemotron-3-nano-30b-a3b'),
    ],
  ],
  [
    'nvidia/nemotron-3-super-120b-a12b',
    'NVIDIA: Nemotron 3 Super 120B A12B',
    [
      bedrock('nvidia.nemotron-super-3-120b'),
      at('deepinfra', 'nvidia/NVIDIA-Nemotron-3-Super-120B-A12B'),
      at('wandb', 'nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8'),
    ],
  ],
  [
    'nvidia/nemotron-3-ultra',
    'NVIDIA: Nemotron 3 Ultra',
    [
      fireworks('nemotron-3-ultra-nvfp4'),
      at('together', 'nvidia/nemotron-3-ultra-550b-a55b'),
      at('deepinfra', 'nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B'),
      at('baseten', 'nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B'),
      at('wandb', 'nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B'),
      at('venice', 'nvidia-nemotron-3-ultra-550b-a55b'),
    ],
  ],
  [
    'nvidia/nemotron-3.5-lightning-30b-a3b',
    'NVIDIA: NVIDIA-Nemotron-3.5-Lightning',
    [
      at('deepinfra', 'nvidia/NVIDIA-Nemotron-3.5-Lightning'),
      at('wandb', 'nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B'),
      at('venice', 'nvidia-nemotron-3-5-lightning-30b-a3b'),
    ],
  ],
  [
    'nvidia/nemotron-3.5-super-vl-120b-a12b',
    'NVIDIA: Nemotron 3.5 Super VL 120B A12B',
    [
      at('together', 'nvidia/NVIDIA-Nemotron-3.5-Super-VL'),
    ],
    IMAGE,
  ],
  [
    'nvidia/nemotron-cascade-2-30b-a3b',
    'NVIDIA: Nemotron Cascade 2 30B A3B',
    [
      at('venice', 'nvidia-nemotron-cascade-2-30b-a3b'),
    ],
  ],
  [
    'nvidia/nemotron-nano-12b-v2',
    'NVIDIA: Nemotron Nano 12B v2 VL BF16',
    [
      bedrock('nvidia.nemotron-nano-12b-v2'),
    ],
    IMAGE,
  ],
  ['nvidia/nemotron-nano-9b-v2', 'NVIDIA: Nemotron Nano 9B v2', [bedrock('nvidia.nemotron-nano-9b-v2')]],

  ['cohere/command-a', 'Cohere: Command A', [
    at('cohere', 'command-a', { upstream: 'command-a-03-2025', context: 256_000, says: COHERE }),
  ]],
  [
    'cohere/command-r-08-2024',
    'Cohere: Command R 08-2024',
    [
      at('cohere', 'command-r', { upstream: 'command-r-08-2024', context: 128_000, says: COHERE, ...NO_CHOICE }),
    ],
  ],
  [
    'cohere/command-r-plus-08-2024',
    'Cohere: Command R+ 08-2024',
    [
      at('cohere', 'command-r-plus', { upstream: 'command-r-plus-08-2024', context: 128_000, says: COHERE, ...NO_CHOICE }),
    ],
  ],
  ['cohere/command-r7b-12-2024', 'Cohere: Command R7B', [
    at('cohere', 'command-r7b', { upstream: 'command-r7b-12-2024', context: 128_000, says: COHERE }),
  ]],
  ['ai21/jamba-large-1.7', 'AI21: Jamba Large 1.7', []],
  ['ai21/jamba-mini-2', 'AI21: Jamba Mini 2', []],
  ['aion-labs/aion-2.0', 'AionLabs: Aion 2.0', []],
  ['aion-labs/aion-3.0', 'AionLabs: Aion 3.0', [at('venice', 'aion-labs-aion-3-0')]],
  ['aion-labs/aion-3.0-mini', 'AionLabs: Aion 3.0 Mini', [at('venice', 'aion-labs-aion-3-0-mini')]],
  ['aion-labs/aion-3.5', 'AionLabs: Aion 3.5', []],
  ['aion-labs/aion-3.5-mini', 'AionLabs: Aion 3.5 Mini', []],
  [
    'arcee-ai/trinity-large-thinking',
    'Arcee AI: Trinity Large Thinking',
    [
      at('venice', 'arcee-trinity-large-thinking'),
    ],
  ],
  ['baichuan/baichuan-m2-32b', 'Baichuan: M2 32B', [at('novita', 'baichuan/baichuan-m2-32b')]],
  ['baidu/ernie-4.5-21b-a3b', 'Baidu: ERNIE 4.5 21B A3B', [at('novita', 'baidu/ernie-4.5-21B-a3b')]],
  [
    'baidu/ernie-4.5-vl-424b-a47b',
    'Baidu: ERNIE 4.5 VL 424B A47B',
    [
      at('novita', 'baidu/ernie-4.5-vl-424b-a47b'),
    ],
    IMAGE,
  ],
  ['bytedance/seed-1.8', 'ByteDance Seed: Seed-1.8', [at('deepinfra', 'ByteDance/Seed-1.8')], IMAGE],
  ['bytedance/seed-2.0-code', 'ByteDance Seed: Seed-2.0-code', [at('deepinfra', 'ByteDance/Seed-2.0-code')], IMAGE],
  ['bytedance/seed-2.0-mini', 'ByteDance Seed: Seed-2.0-mini', [at('deepinfra', 'ByteDance/Seed-2.0-mini')], IMAGE],
  ['bytedance/seed-2.0-pro', 'ByteDance Seed: Seed-2.0-pro', [at('deepinfra', 'ByteDance/Seed-2.0-pro')], IMAGE],
  ['bytedance/seed-2.1-turbo', 'ByteDance Seed: Seed 2.1 Turbo', [at('venice', 'seed-2-1-turbo')], IMAGE],
  ['essentialai/rnj-1-instruct', 'Essential AI: Rnj-1 Instruct', [at('together', 'essentialai/Rnj-1-Instruct')]],
  [
    'gryphe/mythomax-l2-13b',
    'Gryphe: MythoMax L2 13B',
    [
      at('deepinfra', 'Gryphe/MythoMax-L2-13b'),
      at('novita', 'gryphe/mythomax-l2-13b'),
    ],
  ],
  ['ibm-granite/granite-4.1-8b', 'IBM: Granite 4.1 8B', [at('wandb', 'ibm-granite/granite-4.1-8b')]],
  ['ibm-granite/granite-4.2-30b', 'IBM: granite-4.2-30b', [at('deepinfra', 'ibm-granite/granite-4.2-30b')]],
  ['ibm-granite/granite-4.2-3b', 'IBM: granite-4.2-3b', [at('deepinfra', 'ibm-granite/granite-4.2-3b')]],
  [
    'ibm-granite/granite-4.2-8b',
    'IBM: Granite 4.2 8B',
    [
      at('deepinfra', 'ibm-granite/granite-4.2-8b'),
      at('wandb', 'ibm-granite/granite-4.2-8b'),
    ],
  ],
  ['inception/mercury-2', 'Inception: Mercury 2', [at('venice', 'mercury-2')]],
  ['inception/mercury-2.5', 'Inception: Mercury 2.5', [at('venice', 'mercury-2-5')]],
  [
    'inclusionai/ling-3.0-flash',
    'inclusionAI: Ling 3.0 Flash',
    [
      at('deepinfra', 'inclusionAI/Ling-3.0-flash'),
      at('novita', 'inclusionai/ling-3.0-flash'),
    ],
  ],
  [
    'inclusionai/ling-3.0-flash-fin',
    'inclusionAI: Ling-3.0-flash-Fin',
    [
      at('deepinfra', 'inclusionAI/Ling-3.0-flash-Fin'),
    ],
  ],
  [
    'inclusionai/ling-3.0-flash-vl',
    'inclusionAI: Ling-3.0-flash-VL',
    [
      at('deepinfra', 'inclusionAI/Ling-3.0-flash-VL'),
    ],
    IMAGE,
  ],
  [
    'jetbrains/mellum2-12b-a2.5b-instruct',
    'JetBrains: Mellum2 12B A2.5B',
    [
      at('wandb', 'JetBrains/Mellum2-12B-A2.5B-Instruct'),
    ],
  ],
  ['microsoft/phi-4', 'Microsoft: phi-4', [at('deepinfra', 'microsoft/phi-4')]],
  ['microsoft/phi-4-mini-instruct', 'Microsoft: Phi 4 Mini 3.8B', [at('wandb', 'microsoft/Phi-4-mini-instruct')]],
  ['microsoft/wizardlm-2-8x22b', 'Microsoft: WizardLM 2 8x22B', [at('novita', 'microsoft/wizardlm-2-8x22b')]],
  ['morph/morph-v3-fast', 'Morph: V3 Fast', []],
  ['morph/morph-v3-large', 'Morph: V3 Large', []],
  [
    'nousresearch/hermes-2-pro-llama-3-8b',
    'Nous: Hermes 2 Pro Llama 3 8B',
    [
      at('novita', 'nousresearch/hermes-2-pro-llama-3-8b'),
    ],
  ],
  [
    'nousresearch/hermes-3-llama-3.1-405b',
    'Nous: Hermes-3-Llama-3.1-405B',
    [
      at('deepinfra', 'NousResearch/Hermes-3-Llama-3.1-405B'),
    ],
  ],
  [
    'nousresearch/hermes-3-llama-3.1-70b',
    'Nous: Hermes-3-Llama-3.1-70B',
    [
      at('deepinfra', 'NousResearch/Hermes-3-Llama-3.1-70B'),
    ],
  ],
  [
    'olafangensan/glm-4.7-flash-heretic',
    'Olafangensan: GLM 4.7 Flash Heretic',
    [
      at('venice', 'olafangensan-glm-4.7-flash-heretic'),
    ],
  ],
  ['openpipe/qwen3-14b-instruct', 'OpenPipe: Qwen3 14B Instruct', [at('wandb', 'OpenPipe/Qwen3-14B-Instruct')]],
  ['perplexity/sonar', 'Perplexity: sonar', [at('perplexity', 'sonar')]],
  ['perplexity/sonar-pro', 'Perplexity: sonar-pro', [at('perplexity', 'sonar-pro')]],
  ['perplexity/sonar-reasoning-pro', 'Perplexity: sonar-reasoning-pro', [at('perplexity', 'sonar-reasoning-pro')]],
  [
    'reflection/beam-1.0-501b-a23b',
    'Reflection: Beam 1.0 501B A23B',
    [
      at('together', 'reflection/Beam-1.0-501B-A23B'),
    ],
  ],
  ['rekaai/reka-flash-3', 'Reka: Flash 3', []],
  ['relace/relace-search', 'Relace: Search', []],
  ['sakana/fugu-ultra', 'Sakana: Fugu Ultra', [at('sakana', 'fugu-ultra')]],
  ['sao10k/l3-70b-euryale-v2.1', 'Sao10K: Llama 3 70B Euryale V2.1', [at('novita', 'sao10k/l3-70b-euryale-v2.1')]],
  [
    'sao10k/l3-8b-lunaris',
    'Sao10K: Llama 3 8B Lunaris',
    [
      at('deepinfra', 'Sao10K/L3-8B-Lunaris-v1-Turbo', { variant: 'turbo' }),
      at('novita', 'sao10k/l3-8b-lunaris'),
    ],
  ],
  ['sao10k/l3-8b-stheno-v3.2', 'Sao10K: Llama 3 8B Stheno V3.2', [at('novita', 'Sao10K/L3-8B-Stheno-v3.2')]],
  [
    'sao10k/l3.1-70b-euryale-v2.2',
    'Sao10K: Llama 3.1 70B Euryale V2.2',
    [
      at('deepinfra', 'Sao10K/L3.1-70B-Euryale-v2.2'),
      at('novita', 'sao10k/l31-70b-euryale-v2.2'),
    ],
  ],
  ['sao10k/l3.3-70b-euryale-v2.3', 'Sao10K: Llama 3.3 70B Euryale V2.3', []],
  ['stepfun/step-3.5-flash', 'StepFun: Step 3.5 Flash', [at('stepfun', 'step-3.5-flash')]],
  [
    'stepfun/step-3.7-flash',
    'StepFun: Step 3.7 Flash',
    [
      at('deepinfra', 'stepfun-ai/Step-3.7-Flash'),
      at('novita', 'stepfun/step-3.7-flash'),
      at('stepfun', 'step-3.7-flash'),
    ],
    IMAGE,
  ],
  ['stepfun/step-5-preview', 'StepFun: Step 5 Preview', [at('stepfun', 'step-5-preview')], IMAGE],
  ['tencent/hy3', 'Tencent: Hy3', [at('deepinfra', 'tencent/Hy3'), at('novita', 'tencent/hy3')]],
  ['tencent/hy4-preview', 'Tencent: Hy4 preview', [at('novita', 'tencent/hy4-preview')]],
  [
    'thinkingmachines/inkling',
    'Thinking Machines: Inkling',
    [
      at('together', 'thinkingmachines/Inkling'),
      at('deepinfra', 'thinkingmachines/Inkling'),
      at('baseten', 'thinkingmachines/inkling'),
      at('venice', 'inkling'),
      fireworks('inkling'),
    ],
    IMAGE,
  ],
  [
    'thinkingmachines/inkling-small',
    'Thinking Machines: Inkling Small',
    [
      at('deepinfra', 'thinkingmachines/Inkling-Small'),
      at('baseten', 'thinkingmachines/inkling-small'),
    ],
    IMAGE,
  ],
  ['upstage/solar-pro-4', 'Upstage: Solar Pro 4', []],
  ['venice/gemma-4-uncensored', 'Venice: Gemma 4 Uncensored', [at('venice', 'gemma-4-uncensored')], IMAGE],
  ['venice/venice-uncensored-1.2', 'Venice: Uncensored 1.2', [at('venice', 'venice-uncensored-1-2')], IMAGE],
  [
    'venice/venice-uncensored-role-play',
    'Venice: Role Play Uncensored',
    [
      at('venice', 'venice-uncensored-role-play'),
    ],
    IMAGE,
  ],
  ['writer/palmyra-x4', 'Writer: Palmyra X4', [bedrock('us.writer.palmyra-x4-v1:0')]],
  ['writer/palmyra-x5', 'Writer: Palmyra X5', [bedrock('us.writer.palmyra-x5-v1:0')]],
  ['xiaomi/mimo-v2-flash', 'Xiaomi: MiMo-V2-Flash', [at('xiaomi', 'mimo-v2-flash')]],
  ['xiaomi/mimo-v2-omni', 'Xiaomi: MiMo-V2-Omni', [at('xiaomi', 'mimo-v2-omni')], IMAGE],
  ['xiaomi/mimo-v2-pro', 'Xiaomi: MiMo-V2-Pro', [at('xiaomi', 'mimo-v2-pro')]],
  [
    'xiaomi/mimo-v2.5',
    'Xiaomi: MiMo-V2.5',
    [
      at('xiaomi', 'mimo-v2.5'),
      at('novita', 'xiaomimimo/mimo-v2.5'),
      at('venice', 'xiaomi-mimo-v2-5'),
    ],
    IMAGE,
  ],
  [
    'xiaomi/mimo-v2.5-pro',
    'Xiaomi: MiMo-V2.5-Pro',
    [
      at('xiaomi', 'mimo-v2.5-pro'),
      at('xiaomi', 'mimo-v2.5-pro-ultraspeed', { variant: 'ultraspeed' }),
      at('novita', 'xiaomimimo/mimo-v2.5-pro'),
      at('avian', 'xiaomi/mimo-v2.5-pro'),
    ],
  ],
  [
    'xiaomi/mimo-v2.6-flash',
    'Xiaomi: MiMo-V2.6-Flash',
    [
      at('xiaomi', 'mimo-v2.6-flash'),
      at('deepinfra', 'XiaomiMiMo/MiMo-V2.6-Flash'),
    ],
    IMAGE,
  ],
  [
    'xiaomi/mimo-v2.6-pro',
    'Xiaomi: MiMo-V2.6-Pro',
    [
      at('xiaomi', 'mimo-v2.6-pro'),
      at('xiaomi', 'mimo-v2.6-pro-ultraspeed', { variant: 'ultraspeed' }),
      at('deepinfra', 'XiaomiMiMo/MiMo-V2.6-Pro'),
    ],
    IMAGE,
  ],
];

/**
 * Models that make images, and the page of their vendor's that says so. Left out: others of OpenAI's, since the tool
 * chooses by itself what it draws with, so that a cheaper price would be a guess; and those of Google whose context no
 * page says.
 */
export const DRAWERS: readonly { readonly models: RegExp; readonly source: string; readonly read: string }[] = [
  {
    models: /^openai\/gpt-5-image$/,
    source: 'https://developers.openai.com/api/docs/guides/image-generation',
    read: '2026-11-24',
  },
  { models: /^google\/gemini-2\.5-flash-image$/, source: `${GEMINI_PAGES}/2-5-flash-image`, read: GEMINI_PAGES_DATE },
  { models: /^google\/gemini-3-pro-image$/, source: `${GEMINI_PAGES}/3-pro-image`, read: GEMINI_PAGES_DATE },
  { models: /^google\/gemini-3\.1-flash-image$/, source: `${GEMINI_PAGES}/3-1-flash-image`, read: GEMINI_PAGES_DATE },
];

/** Where vendors say that their models take PDFs, and when that was read. */
export const PDF_PAGES: readonly { readonly models: RegExp; readonly source: string; readonly read: string }[] = [
  {
    models: /^anthropic\//,
    source: 'https://platform.claude.com/docs/en/build-with-claude/pdf-support',
    read: '2026-11-23',
  },
  { models: /^openai\//, source: 'https://platform.openai.com/docs/guides/pdf-files', read: '2026-11-22' },
];

/** What an image counts at a family of models, and what is read of it in their vendor's documentation. */
export interface ImageChoice {
  readonly models: RegExp;
  /** Most tokens of one image; absent: its size alone says what it counts. */
  readonly max?: number;
  readonly rule?: 'anthropic' | 'openai-tiles' | 'openai-patches' | 'gemini';
  readonly source: string;
  /** When the source was read, where that was not on `MEDIA_DATE`. */
  readonly read?: string;
}

/** When the pages were read that `IMAGES` and `PAGE_TEXT_TOKENS` name. */
export const MEDIA_DATE = '2026-11-23';

const CLAUDE_VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const GEMINI_RESOLUTION = 'https://ai.google.dev/gemini-api/docs/media-resolution';
const GEMINI_VISION = 'https://ai.google.dev/gemini-api/docs/image-understanding';
const GEMMA_VISION = 'https://ai.google.dev/gemma/docs/capabilities/vision';
const MISTRAL_IMAGES = 'https://mistralai.github.io/mistral-common/usage/images';
const NOVA_IMAGES = 'https://docs.aws.amazon.com/nova/latest/userguide/modalities-image.html';
const OPENAI_VISION = 'https://developers.openai.com/api/docs/guides/images-vision';
const QWEN_IMAGES = 'https://huggingface.co/Qwen/Qwen3.5-9B/blob/main/preprocessor_config.json';

/** When the pages were read that were added for models without a figure. */
const REMAINING_DATE = '2026-11-28';

/**
 * The first that fits. OpenAI's tiles: the base and eight tiles; patches: the model's budget times its multiplier. It
 * publishes no figures of the other models from gpt-5 to gpt-5.3: they count as the dearest of their time. Claude 4.6
 * and before: 1,568 by the table, "roughly 1,600" by the migration guide, and 1,596 have been seen.
 */
export const IMAGES: readonly ImageChoice[] = [
  { models: /^anthropic\/.*-(?:4\.[156]|sonnet-4)$/, max: 1_600, rule: 'anthropic', source: CLAUDE_VISION },
  { models: /^anthropic\//, max: 4_784, rule: 'anthropic', source: CLAUDE_VISION },
  // Sixteen tiles of 768 pixels: what is larger than 3,072 pixels is made smaller.
  { models: /^google\/gemini-2\.5-/, max: 4_144, rule: 'gemini', source: GEMINI_VISION },
  // The highest resolution there is; half of it is what an image has unless a call asks for it, which none does.
  { models: /^google\/gemini-3/, max: 2_240, source: GEMINI_RESOLUTION, read: '2026-11-24' },
  { models: /^google\/gemini-4/, max: 2_240, source: GEMINI_RESOLUTION, read: REMAINING_DATE },
  // The whole image and four parts of it, 256 tokens each, with what stands around them.
  { models: /^google\/gemma-3-/, max: 1_360, source: GEMMA_VISION, read: REMAINING_DATE },
  { models: /^(?:google|venice)\/gemma-4-/, max: 1_136, source: GEMMA_VISION, read: REMAINING_DATE },
  { models: /^openai\/gpt-4o-mini$/, max: 48_169, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/gpt-4(?:o(?:-2024-\d\d-\d\d)?|\.1)$/, max: 1_445, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/gpt-4-turbo$/, max: 1_445, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/(?:o3|o1|o1-pro|o3-pro)$/, max: 1_275, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/gpt-5(?:-image|-chat)?$/, max: 1_190, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/o4-mini$/, max: 2_642, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-(?:4\.1|5|5\.4)-mini$/, max: 2_489, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-(?:4\.1|5|5\.4)-nano$/, max: 3_779, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-5(?:\.[123])?(?:-|$)/, max: 3_779, source: OPENAI_VISION },
  { models: /^openai\/gpt-5\.[45](?:-pro)?$/, max: 12_000, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-(?:5\.6|6(?:\.1)?)-/, max: 36_000, rule: 'openai-patches', source: OPENAI_VISION },
  // 55 × 55 pieces of 28 pixels and a break after each row: max_image_size 1540, patches of 14, merged by two.
  { models: /^mistralai\/(?!mistral-large-4$)/, max: 3_080, source: MISTRAL_IMAGES },
  // 16 tiles and one of the whole, 144 tokens each, with what is put between them.
  { models: /^meta-llama\/llama-4-/, max: 2_467, source: 'https://huggingface.co/meta-llama/Llama-4-Scout-17B-16E' },
  // max_image_tokens 4096, and a token before and behind. Meta publishes no other figure for the family.
  {
    models: /^meta-llama\/muse-/,
    max: 4_112,
    source: 'https://huggingface.co/meta-models/Muse-Spark-Open-816B-A42B',
    read: REMAINING_DATE,
  },
  // Six tiles and one more, 256 tokens each.
  { models: /^x-ai\//, max: 1_792, source: 'https://docs.x.ai/docs/guides/image-understanding' },
  // 16,384 patches, four to a token, each side rounded up and at most 512 patches long. Kimi K3 has the same encoder.
  { models: /^moonshotai\/kimi-k2/, max: 4_369, source: 'https://huggingface.co/moonshotai/Kimi-K2.5' },
  {
    models: /^moonshotai\/kimi-k3/,
    max: 4_369,
    source: 'https://docs.vllm.ai/en/stable/api/vllm/models/kimi_k3/',
    read: REMAINING_DATE,
  },
  // "Capped at 384 input tokens" for each image, with what stands around it.
  {
    models: /^deepseek\//,
    max: 400,
    source: 'https://api-docs.deepseek.com/news/news260821',
    read: REMAINING_DATE,
  },
  // max_image_tokens 8000.
  {
    models: /^z-ai\/glm-5\.3-/,
    max: 8_016,
    source:
      'https://docs.nvidia.com/nemo/automodel/nemo-automodel/nemo_automodel/components/models/glm5_next/image_processing',
    read: REMAINING_DATE,
  },
  // longest_edge 9633792 in pieces of 28 × 28. GLM-5V-Turbo has no figure of its own.
  {
    models: /^z-ai\/glm-(?:4\.[56]v|5v-turbo)$/,
    max: 12_304,
    source: 'https://huggingface.co/zai-org/GLM-4.6V/blob/main/preprocessor_config.json',
    read: REMAINING_DATE,
  },
  // max_image_resolution 1008 in pieces of 28 × 28, of MiniMax-M3.
  {
    models: /^minimax\//,
    max: 1_312,
    source: 'https://huggingface.co/MiniMaxAI/MiniMax-M3/blob/main/preprocessor_config.json',
    read: REMAINING_DATE,
  },
  // 16,777,216 pixels in pieces of 32 × 32, and as many in pieces of 28 × 28 before.
  { models: /^qwen\//, max: 16_400, source: QWEN_IMAGES, read: REMAINING_DATE },
  // 8,000 × 8,000 pixels, the largest that is taken, at the densest of the published examples (900 × 450: 800 tokens).
  { models: /^amazon\/nova-/, max: 126_500, source: NOVA_IMAGES, read: REMAINING_DATE },
  // Twelve tiles and one of the whole, 256 tokens each.
  {
    models: /^nvidia\//,
    max: 3_344,
    source: 'https://docs.vllm.ai/en/v0.16.0/api/vllm/model_executor/models/nano_nemotron_vl/',
    read: REMAINING_DATE,
  },
  // longest_edge 28 × 28 × 6177.
  {
    models: /^baidu\/ernie-4\.5-vl-/,
    max: 6_193,
    source: 'https://huggingface.co/docs/transformers/model_doc/ernie4_5_vl_moe',
    read: REMAINING_DATE,
  },
  // 95 parts of a strip of 32 × 3,024 pixels, 83 tokens and a break each, and 171 of the whole.
  {
    models: /^stepfun\//,
    max: 8_166,
    source:
      'https://docs.nvidia.com/nemo/automodel/nightly/apidocs/nemo_automodel/nemo_automodel.components.models.step3p7.processing_step3.html',
    read: REMAINING_DATE,
  },
  // Pieces of 40 × 40 without a maximum: those of 8,000 × 8,000 pixels, which is the largest that hosts take.
  {
    models: /^thinkingmachines\//,
    max: 40_216,
    source: 'https://huggingface.co/thinkingmachines/Inkling',
    read: REMAINING_DATE,
  },
  // max_pixels 12845056 in pieces of 32 × 32.
  {
    models: /^xiaomi\//,
    max: 12_560,
    source: 'https://huggingface.co/XiaomiMiMo/MiMo-V2.5-Base/blob/main/preprocessor_config.json',
    read: REMAINING_DATE,
  },
  // No page gives a figure of these: they count the largest that a vendor of open models publishes.
  {
    models: /^(?:bytedance\/|inclusionai\/|venice\/|mistralai\/mistral-large-4$)/,
    max: 16_400,
    source: QWEN_IMAGES,
    read: REMAINING_DATE,
  },
];

/**
 * Text of a page, beside its picture: "1,500-3,000 tokens per page depending on content density"
 * (https://platform.claude.com/docs/en/build-with-claude/pdf-support). OpenAI reads pages likewise and gives no figure.
 */
export const PAGE_TEXT_TOKENS = 3_000;
