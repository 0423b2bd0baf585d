/**
 * What `seed-catalog.ts` puts into the shipped catalog: which models, under which names, at which providers. Prices and
 * context lengths are not here: they come from the price package. What that package does not know comes from these
 * sources, read in November 2026, and stays out where none of them says it:
 *
 * - `output` of Anthropic's models: `getModelCapabilities` of @ai-sdk/anthropic 3.0.138; likewise
 *   who refuses sampling fields
 * - `output`, `context` and `input` of others: the model table of @mariozechner/pi-ai 0.73.1 (an output limit that
 *   equals the context is none, and is left out); for gpt-5.6-terra, gpt-6-sol, gpt-6-astra and grok-4.5
 *   https://vercel.com/ai-gateway/models
 * - `billsLeftStreams`: the table of providers under docs/wire/streams.md#calls-that-are-left
 * - `file` where images are: https://platform.claude.com/docs/en/build-with-claude/pdf-support and
 *   https://platform.openai.com/docs/guides/pdf-files
 */

/** A provider of the price package, as the catalog file names it. */
export interface ProviderChoice {
  readonly slug: string;
  readonly name: string;
  /** The provider's id in the price package. */
  readonly source: string;
  readonly dialect: 'anthropic-messages' | 'openai-chat';
  readonly baseUrl: string;
  readonly credentialVariable: string;
  /** It bills a stream in full although the client has left. */
  readonly billsLeftStreams?: true;
  /** Request fields that the provider's API reference lists for all models chosen here. */
  readonly parameters: readonly string[];
}

/** A model at a provider. */
export interface EndpointChoice {
  readonly provider: string;
  /** The model's id in the price package. */
  readonly source: string;
  /** The model's name at the provider, where it is not the price package's id. The package's price must apply to it. */
  readonly upstream?: string;
  readonly variant?: string;
  readonly quantization?: string;
  /** Where the price package does not know it. */
  readonly context?: number;
  readonly output?: number;
  /** Beside the provider's own. */
  readonly more?: readonly string[];
  /** Of the provider's own, those that this model refuses. */
  readonly without?: readonly string[];
}

/** A model of the catalog: id, display name, where it is served, and what it takes beside text. */
export type ModelChoice = readonly [
  id: string,
  name: string,
  endpoints: readonly EndpointChoice[],
  input?: readonly ('image' | 'file')[],
];

const TOOLS = ['tools', 'tool_choice'] as const;
const PENALTIES = ['frequency_penalty', 'presence_penalty'] as const;
const SAMPLING = ['temperature', 'top_p'] as const;

export const PROVIDERS: readonly ProviderChoice[] = [
  {
    slug: 'anthropic',
    name: 'Anthropic',
    source: 'anthropic',
    dialect: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    credentialVariable: 'ANTHROPIC_API_KEY',
    // https://platform.claude.com/docs/en/api/messages
    parameters: [
      'max_tokens',
      ...SAMPLING,
      'top_k',
      'stop',
      ...TOOLS,
      'reasoning',
      'structured_outputs',
      'response_format',
    ],
  },
  {
    slug: 'openai',
    name: 'OpenAI',
    source: 'openai',
    dialect: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    credentialVariable: 'OPENAI_API_KEY',
    // https://platform.openai.com/docs/api-reference/chat/create; reasoning models refuse sampling fields and stop
    parameters: ['max_tokens', 'seed', ...TOOLS, 'structured_outputs', 'response_format'],
  },
  {
    slug: 'mistral',
    name: 'Mistral',
    source: 'mistral',
    dialect: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    credentialVariable: 'MISTRAL_API_KEY',
    billsLeftStreams: true,
    // https://docs.mistral.ai/api (its seed is called random_seed, so `seed` is not listed)
    parameters: ['max_tokens', ...SAMPLING, 'stop', ...PENALTIES, ...TOOLS, 'structured_outputs', 'response_format'],
  },
  {
    slug: 'groq',
    name: 'Groq',
    source: 'groq',
    dialect: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    credentialVariable: 'GROQ_API_KEY',
    billsLeftStreams: true,
    // https://console.groq.com/docs/api-reference
    parameters: ['max_tokens', ...SAMPLING, 'stop', 'seed', ...TOOLS, 'response_format'],
  },
  {
    slug: 'deepseek',
    name: 'DeepSeek',
    source: 'deepseek',
    dialect: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    credentialVariable: 'DEEPSEEK_API_KEY',
    // https://api-docs.deepseek.com/api/create-chat-completion
    parameters: ['max_tokens', ...SAMPLING, 'stop', ...PENALTIES, ...TOOLS, 'response_format'],
  },
  {
    slug: 'xai',
    name: 'xAI',
    source: 'x-ai',
    dialect: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    credentialVariable: 'XAI_API_KEY',
    // https://docs.x.ai/docs/api-reference; reasoning models refuse stop and penalties
    parameters: ['max_tokens', ...SAMPLING, 'seed', ...TOOLS, 'structured_outputs', 'response_format'],
  },
  {
    slug: 'fireworks',
    name: 'Fireworks',
    source: 'fireworks',
    dialect: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    credentialVariable: 'FIREWORKS_API_KEY',
    // https://docs.fireworks.ai/api-reference/post-chatcompletions
    parameters: [
      'max_tokens',
      ...SAMPLING,
      'top_k',
      'stop',
      ...PENALTIES,
      ...TOOLS,
      'structured_outputs',
      'response_format',
    ],
  },
  {
    slug: 'cerebras',
    name: 'Cerebras',
    source: 'cerebras',
    dialect: 'openai-chat',
    baseUrl: 'https://api.cerebras.ai/v1',
    credentialVariable: 'CEREBRAS_API_KEY',
    // https://inference-docs.cerebras.ai/api-reference/chat-completions
    parameters: ['max_tokens', ...SAMPLING, 'stop', 'seed', ...TOOLS, 'structured_outputs', 'response_format'],
  },
  {
    slug: 'moonshotai',
    name: 'Moonshot AI',
    source: 'moonshotai',
    dialect: 'openai-chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    credentialVariable: 'MOONSHOT_API_KEY',
    // https://platform.kimi.ai/docs/api/chat; newer models fix their sampling fields
    parameters: ['max_tokens', 'stop', ...TOOLS, 'response_format'],
  },
  {
    slug: 'z-ai',
    name: 'Z.AI',
    source: 'zai',
    dialect: 'openai-chat',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    credentialVariable: 'ZAI_API_KEY',
    // https://docs.z.ai/api-reference/llm/chat-completion
    parameters: ['max_tokens', ...SAMPLING, 'stop', ...TOOLS, 'response_format'],
  },
  {
    slug: 'minimax',
    name: 'MiniMax',
    source: 'minimax',
    dialect: 'openai-chat',
    baseUrl: 'https://api.minimax.io/v1',
    credentialVariable: 'MINIMAX_API_KEY',
    billsLeftStreams: true,
    // https://platform.minimax.io/docs/api-reference/text-openai-api
    parameters: ['max_tokens', ...SAMPLING, ...TOOLS],
  },
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

const gpt = (source: string, details: Details = {}): EndpointChoice[] => [at('openai', source, details)];

// Chat models without reasoning take what reasoning models refuse.
const CLASSIC: Details = { more: [...SAMPLING, 'stop', ...PENALTIES, 'logit_bias', 'logprobs', 'top_logprobs'] };
const REASONING: Details = { more: ['reasoning'] };
const FIXED_SAMPLING: Details = { without: [...SAMPLING, 'top_k'] };

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
 * Left out: models that the price package calls deprecated or that Anthropic's SDK 1.12.0 no longer lists; models
 * that OpenAI serves only by its Responses API (the pro, codex and deep-research lines); prices that the package took
 * from a reseller; GLM-5.3-Flash, whose price there is a promotion that has ended; all of Together, for which it
 * knows no context length.
 */
// prettier-ignore
export const MODELS: readonly ModelChoice[] = [
  ['anthropic/claude-fable-5', 'Anthropic: Claude Fable 5', claude('claude-fable-5', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],
  ['anthropic/claude-fable-5.1', 'Anthropic: Claude Fable 5.1', claude('claude-fable-5-1', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],
  ['anthropic/claude-haiku-4.5', 'Anthropic: Claude Haiku 4.5', claude('claude-haiku-4-5', 64_000, { upstream: 'claude-haiku-4-5-20251001' }), IMAGE_AND_FILE],
  ['anthropic/claude-opus-4.5', 'Anthropic: Claude Opus 4.5', claude('claude-opus-4-5', 64_000, { upstream: 'claude-opus-4-5-20251101' }), IMAGE_AND_FILE],
  ['anthropic/claude-opus-4.6', 'Anthropic: Claude Opus 4.6', claude('claude-opus-4-6', 128_000), IMAGE_AND_FILE],
  ['anthropic/claude-opus-4.7', 'Anthropic: Claude Opus 4.7', claude('claude-opus-4-7', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],
  ['anthropic/claude-opus-4.8', 'Anthropic: Claude Opus 4.8', claude('claude-opus-4-8', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],
  ['anthropic/claude-opus-5', 'Anthropic: Claude Opus 5', claude('claude-opus-5', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],
  ['anthropic/claude-opus-5.5', 'Anthropic: Claude Opus 5.5', claude('claude-opus-5-5', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],
  ['anthropic/claude-sonnet-4.5', 'Anthropic: Claude Sonnet 4.5', claude('claude-sonnet-4-5', 64_000, { upstream: 'claude-sonnet-4-5-20250929' }), IMAGE_AND_FILE],
  ['anthropic/claude-sonnet-4.6', 'Anthropic: Claude Sonnet 4.6', claude('claude-sonnet-4-6', 128_000), IMAGE_AND_FILE],
  ['anthropic/claude-sonnet-5', 'Anthropic: Claude Sonnet 5', claude('claude-sonnet-5', 128_000, FIXED_SAMPLING), IMAGE_AND_FILE],

  ['openai/gpt-4.1', 'OpenAI: GPT-4.1', gpt('gpt-4.1', { output: 32_768, ...CLASSIC }), IMAGE_AND_FILE],
  ['openai/gpt-4.1-mini', 'OpenAI: GPT-4.1 Mini', gpt('gpt-4.1-mini', { output: 32_768, ...CLASSIC }), IMAGE_AND_FILE],
  ['openai/gpt-4.1-nano', 'OpenAI: GPT-4.1 Nano', gpt('gpt-4.1-nano', { output: 32_768, ...CLASSIC }), IMAGE_AND_FILE],
  ['openai/gpt-4o', 'OpenAI: GPT-4o', gpt('gpt-4o', { output: 16_384, ...CLASSIC }), IMAGE_AND_FILE],
  ['openai/gpt-4o-mini', 'OpenAI: GPT-4o Mini', gpt('gpt-4o-mini', { output: 16_384, ...CLASSIC }), IMAGE_AND_FILE],
  ['openai/gpt-5', 'OpenAI: GPT-5', gpt('gpt-5', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5-mini', 'OpenAI: GPT-5 Mini', gpt('gpt-5-mini', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5-nano', 'OpenAI: GPT-5 Nano', gpt('gpt-5-nano', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.1', 'OpenAI: GPT-5.1', gpt('gpt-5.1', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.2', 'OpenAI: GPT-5.2', gpt('gpt-5.2', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.4', 'OpenAI: GPT-5.4', gpt('gpt-5.4', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.4-mini', 'OpenAI: GPT-5.4 Mini', gpt('gpt-5.4-mini', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.4-nano', 'OpenAI: GPT-5.4 Nano', gpt('gpt-5.4-nano', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.5', 'OpenAI: GPT-5.5', gpt('gpt-5.5', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-5.6-luna', 'OpenAI: GPT-5.6 Luna', gpt('gpt-5.6-luna', REASONING)],
  ['openai/gpt-5.6-sol', 'OpenAI: GPT-5.6 Sol', gpt('gpt-5.6-sol', REASONING)],
  ['openai/gpt-5.6-terra', 'OpenAI: GPT-5.6 Terra', gpt('gpt-5.6-terra', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-6-astra', 'OpenAI: GPT-6 Astra', gpt('gpt-6-astra', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-6-luna', 'OpenAI: GPT-6 Luna', gpt('gpt-6-luna', REASONING)],
  ['openai/gpt-6-sol', 'OpenAI: GPT-6 Sol', gpt('gpt-6-sol', { output: 128_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/o3', 'OpenAI: o3', gpt('o3', { output: 100_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/o4-mini', 'OpenAI: o4 Mini', gpt('o4-mini', { output: 100_000, ...REASONING }), IMAGE_AND_FILE],
  ['openai/gpt-oss-120b', 'OpenAI: gpt-oss-120b', [
    at('groq', 'openai/gpt-oss-120b', { output: 65_536, more: ['reasoning', 'structured_outputs'] }),
    fireworks('gpt-oss-120b', { output: 32_768, ...REASONING }),
    at('cerebras', 'gpt-oss-120b', { output: 32_768, ...REASONING }),
  ]],
  ['openai/gpt-oss-20b', 'OpenAI: gpt-oss-20b', [
    at('groq', 'openai/gpt-oss-20b', { output: 65_536, more: ['reasoning', 'structured_outputs'] }),
    fireworks('gpt-oss-20b', { output: 32_768, ...REASONING }),
  ]],

  ['mistralai/codestral-2508', 'Mistral: Codestral 2508', [at('mistral', 'codestral-2508')]],
  ['mistralai/devstral-2512', 'Mistral: Devstral 2 2512', [at('mistral', 'devstral-2512')]],
  ['mistralai/ministral-14b-2512', 'Mistral: Ministral 3 14B 2512', [at('mistral', 'ministral-14b-2512')]],
  ['mistralai/ministral-3b-2512', 'Mistral: Ministral 3 3B 2512', [at('mistral', 'ministral-3b-2512')]],
  ['mistralai/ministral-8b-2512', 'Mistral: Ministral 3 8B 2512', [at('mistral', 'ministral-8b-2512')]],
  ['mistralai/mistral-large-2512', 'Mistral: Mistral Large 3 2512', [at('mistral', 'mistral-large-2512')], IMAGE],
  ['mistralai/mistral-medium-3.5', 'Mistral: Mistral Medium 3.5', [at('mistral', 'mistral-medium-3-5', { upstream: 'mistral-medium-3.5' })], IMAGE],
  ['mistralai/mistral-small-2603', 'Mistral: Mistral Small 4 2603', [at('mistral', 'mistral-small-2603')], IMAGE],

  ['meta-llama/llama-3.1-8b-instruct', 'Meta: Llama 3.1 8B Instruct', [
    at('groq', 'llama-3.1-8b-instant', { context: 131_072 }),
    fireworks('llama-v3p1-8b-instruct'),
  ]],
  ['meta-llama/llama-3.3-70b-instruct', 'Meta: Llama 3.3 70B Instruct', [
    at('groq', 'llama-3.3-70b-versatile', { context: 131_072, output: 32_768 }),
  ]],
  ['meta-llama/llama-4-maverick', 'Meta: Llama 4 Maverick', [
    at('groq', 'meta-llama/llama-4-maverick-17b-128e-instruct', { output: 8192, more: ['structured_outputs'] }),
    fireworks('llama4-maverick-instruct-basic'),
  ], IMAGE],
  ['meta-llama/llama-4-scout', 'Meta: Llama 4 Scout', [
    at('groq', 'meta-llama/llama-4-scout-17b-16e-instruct', { context: 131_072, output: 8192, more: ['structured_outputs'] }),
  ], IMAGE],

  ['deepseek/deepseek-v3.2', 'DeepSeek: DeepSeek V3.2', [fireworks('deepseek-v3p2', REASONING)]],
  ['deepseek/deepseek-v4-flash', 'DeepSeek: DeepSeek V4 Flash', [
    at('deepseek', 'deepseek-v4-flash', { output: 384_000 }),
    fireworks('deepseek-v4-flash'),
  ]],
  ['deepseek/deepseek-v4-pro', 'DeepSeek: DeepSeek V4 Pro', [
    at('deepseek', 'deepseek-v4-pro', { output: 384_000 }),
    fireworks('deepseek-v4-pro', { output: 384_000, ...REASONING }),
  ]],

  ['x-ai/grok-4.20', 'xAI: Grok 4.20', [at('xai', 'grok-4.20')], IMAGE],
  ['x-ai/grok-4.3', 'xAI: Grok 4.3', [at('xai', 'grok-4.3', { output: 30_000 })], IMAGE],
  ['x-ai/grok-4.5', 'xAI: Grok 4.5', [at('xai', 'grok-4.5', REASONING)], IMAGE],
  ['x-ai/grok-4.6', 'xAI: Grok 4.6', [at('xai', 'grok-4.6')]],
  ['x-ai/grok-build-0.1', 'xAI: Grok Build 0.1', [at('xai', 'grok-build-0.1')]],

  ['moonshotai/kimi-k2.5', 'MoonshotAI: Kimi K2.5', [
    at('moonshotai', 'kimi-k2.5'),
    fireworks('kimi-k2p5', REASONING),
  ], IMAGE],
  ['moonshotai/kimi-k2.6', 'MoonshotAI: Kimi K2.6', [
    at('moonshotai', 'kimi-k2.6'),
    fireworks('kimi-k2p6', { context: 262_000, ...REASONING }),
    fireworksRouter('kimi-k2p6-fast', 'fast', REASONING),
  ], IMAGE],
  ['moonshotai/kimi-k2.7-code', 'MoonshotAI: Kimi K2.7 Code', [
    at('moonshotai', 'kimi-k2.7-code'),
    at('moonshotai', 'kimi-k2.7-code-highspeed', { variant: 'highspeed' }),
    fireworks('kimi-k2p7-code'),
    fireworksRouter('kimi-k2p7-code-fast', 'fast'),
  ]],
  ['moonshotai/kimi-k3', 'MoonshotAI: Kimi K3', [
    at('moonshotai', 'kimi-k3'),
    fireworks('kimi-k3'),
    fireworksRouter('kimi-k3-fast', 'fast'),
    fireworksRouter('kimi-k3-us', 'us'),
  ]],

  ['z-ai/glm-4.7', 'Z.AI: GLM 4.7', [fireworks('glm-4p7', REASONING)]],
  ['z-ai/glm-5.1', 'Z.AI: GLM 5.1', [
    fireworks('glm-5p1', { context: 202_800, output: 131_072, ...REASONING }),
  ]],
  ['z-ai/glm-5.2', 'Z.AI: GLM 5.2', [
    at('z-ai', 'GLM-5.2', { upstream: 'glm-5.2' }),
    fireworks('glm-5p2'),
    fireworksRouter('glm-5p2-fast', 'fast'),
  ]],
  ['z-ai/glm-5.3', 'Z.AI: GLM 5.3', [at('z-ai', 'GLM-5.3', { upstream: 'glm-5.3' })]],

  ['minimax/minimax-m2.7', 'MiniMax: MiniMax M2.7', [
    at('minimax', 'MiniMax-M2.7'),
    at('minimax', 'MiniMax-M2.7-highspeed', { variant: 'highspeed' }),
    fireworks('minimax-m2p7', { context: 196_608, ...REASONING }),
  ]],
  ['minimax/minimax-m3', 'MiniMax: MiniMax M3', [fireworks('minimax-m3')]],

  ['google/gemma-4-31b', 'Google: Gemma 4 31B', [at('cerebras', 'gemma-4-31b')]],
  ['nvidia/nemotron-3-ultra', 'NVIDIA: Nemotron 3 Ultra', [fireworks('nemotron-3-ultra-nvfp4', { quantization: 'nvfp4' })]],
  ['qwen/qwen3-32b', 'Qwen: Qwen3 32B', [at('groq', 'qwen/qwen3-32b', { output: 40_960, ...REASONING })]],
  ['qwen/qwen3.7-plus', 'Qwen: Qwen3.7 Plus', [fireworks('qwen3p7-plus')]],
];

/** What an image counts at a family of models, and what is read of it in their vendor's documentation. */
export interface ImageChoice {
  readonly models: RegExp;
  /** Most tokens of one image. */
  readonly max: number;
  readonly rule?: 'anthropic' | 'openai-tiles' | 'openai-patches' | 'gemini';
  readonly source: string;
}

/** When the pages were read that `IMAGES` and `PAGE_TEXT_TOKENS` name. */
export const MEDIA_DATE = '2026-11-23';

const CLAUDE_VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const OPENAI_VISION = 'https://developers.openai.com/api/docs/guides/images-vision';

/**
 * The first that fits. OpenAI's tiles: the base and eight tiles; patches: the model's budget times its multiplier. Of
 * gpt-5.1 and gpt-5.2 it publishes no figures: they count as the dearest of their time. Claude 4.6 and before: 1,568 by
 * the table, "roughly 1,600" by the migration guide, and 1,596 have been seen.
 */
export const IMAGES: readonly ImageChoice[] = [
  { models: /^anthropic\/.*-4\.[56]$/, max: 1_600, rule: 'anthropic', source: CLAUDE_VISION },
  { models: /^anthropic\//, max: 4_784, rule: 'anthropic', source: CLAUDE_VISION },
  { models: /^openai\/gpt-4o-mini$/, max: 48_169, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/gpt-4(?:o|\.1)$/, max: 1_445, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/o3$/, max: 1_275, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/gpt-5$/, max: 1_190, rule: 'openai-tiles', source: OPENAI_VISION },
  { models: /^openai\/o4-mini$/, max: 2_642, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-(?:4\.1|5|5\.4)-mini$/, max: 2_489, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-(?:4\.1|5|5\.4)-nano$/, max: 3_779, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-5\.[12]$/, max: 3_779, source: OPENAI_VISION },
  { models: /^openai\/gpt-5\.[45]$/, max: 12_000, rule: 'openai-patches', source: OPENAI_VISION },
  { models: /^openai\/gpt-(?:5\.6|6)-/, max: 36_000, rule: 'openai-patches', source: OPENAI_VISION },
  // 55 × 55 pieces of 28 pixels and a break after each row: max_image_size 1540, patches of 14, merged by two.
  { models: /^mistralai\//, max: 3_080, source: 'https://mistralai.github.io/mistral-common/usage/images' },
  // 16 tiles and one of the whole, 144 tokens each, with what is put between them.
  { models: /^meta-llama\/llama-4-/, max: 2_467, source: 'https://huggingface.co/meta-llama/Llama-4-Scout-17B-16E' },
  // Six tiles and one more, 256 tokens each.
  { models: /^x-ai\//, max: 1_792, source: 'https://docs.x.ai/docs/guides/image-understanding' },
  // 16,384 patches, four to a token, each side rounded up and at most 512 patches long.
  { models: /^moonshotai\//, max: 4_369, source: 'https://huggingface.co/moonshotai/Kimi-K2.5' },
];

/**
 * Text of a page, beside its picture: "1,500-3,000 tokens per page depending on content density"
 * (https://platform.claude.com/docs/en/build-with-claude/pdf-support). OpenAI reads pages likewise and gives no figure.
 */
export const PAGE_TEXT_TOKENS = 3_000;
