import type { ModelRequest } from '../../src/core/conversation/request.js';
import type { FunctionTool } from '../../src/core/conversation/tools.js';
import type { Target } from '../../src/core/provider.js';
import type { Quirks } from '../../src/core/quirks.js';
import type { Endpoint, Model, PlatformId } from '../../src/core/routing/catalog.js';
import type { ServiceTier } from '../../src/core/routing/plan.js';
import type { RequestField } from '../../src/core/translation.js';
import { modelRequest } from './model-request.js';
import { endpoint, model } from './route-inputs.js';

// Requests that set one field each, and targets that rules about fields distinguish.

export const PROVIDER = 'p';

/** The differences of a target from a plain one. */
export interface TargetParts {
  readonly quirks?: Quirks;
  readonly endpoint?: Partial<Omit<Endpoint, 'provider'>>;
  readonly inputs?: Model['inputModalities'];
  readonly outputs?: Model['outputModalities'];
  readonly tier?: ServiceTier;
  readonly platform?: PlatformId;
}

export function targetOf({
  quirks = {},
  endpoint: parts = {},
  inputs = ['text'],
  outputs = ['text'],
  tier = 'standard',
  platform,
}: TargetParts): Target {
  const plain = endpoint(PROVIDER, parts);
  const one = platform === undefined ? plain : { ...plain, provider: { ...plain.provider, platform } };
  const definition = { slug: PROVIDER, credential: 'bearer', quirks } as const;
  return {
    model: model('a/b', [one], { inputModalities: inputs, outputModalities: outputs }),
    endpoint: one,
    tier,
    definition,
  };
}

const EVERY_QUIRK: Quirks = {
  reasoningStyle: 'reasoning_object',
  returnsReasoning: true,
  returnsReasoningDetails: true,
  serviceTiers: true,
  acceptsFiles: true,
  acceptsCacheMarkers: true,
  geminiGeneration: 'gemini-3',
  namesAllowedTools: true,
};

/** Every property of a target that a rule may test is present in some of them and absent in others. */
export const TARGETS: Readonly<Record<string, TargetParts>> = {
  bare: {},
  'one with every quirk': { quirks: EVERY_QUIRK, endpoint: { upstreamModel: 'us.anthropic.claude-sonnet-4-6-v1' } },
  'one without files': { quirks: { acceptsCacheMarkers: false, returnsReasoningDetails: false } },
  'one that wants reasoning in words': { quirks: { returnsReasoning: true, reasoningStyle: 'reasoning_effort' } },
  'one that reads files': { inputs: ['text', 'file'], quirks: { geminiGeneration: 'gemini-2.5' } },
  'an older Claude': { endpoint: { upstreamModel: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0' } },
  'one on Bedrock': { platform: 'bedrock' },
  'an older Nova': { endpoint: { upstreamModel: 'amazon.nova-pro-v1:0' } },
  Nova: { endpoint: { upstreamModel: 'amazon.nova-2-lite-v1:0' } },
  'gpt-oss': { endpoint: { upstreamModel: 'openai.gpt-oss-120b-1:0' } },
  'one with a switch for thinking': { quirks: { reasoningStyle: 'thinking_object' } },
  'one in a tier that is cheap': { tier: 'flex' },
  'one in a tier that is fast': { tier: 'fast' },
  'an open model': { endpoint: { upstreamModel: 'meta.llama4-scout-17b-instruct-v1:0' } },
  'one that draws': { outputs: ['text', 'image'] },
  'one that lists others': { quirks: EVERY_QUIRK, endpoint: { supportedParameters: ['max_tokens', 'tools'] } },
  'one that refuses fields': { quirks: { ...EVERY_QUIRK, omit: ['seed', 'temperature'] } },
};

/** A call with something, and the same call without. */
export interface Sample {
  readonly request: ModelRequest;
  readonly without: ModelRequest;
  /** The target of `request`, where it differs. */
  readonly target?: Target;
  /** The target of `without`, where it differs. */
  readonly plainTarget?: Target;
  /** Where it is refused: the beginning of the error. */
  readonly path?: string;
}

export const f: FunctionTool = { type: 'function', name: 'f', inputSchema: { type: 'object' } };

const PLAIN = modelRequest({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxOutputTokens: 5,
  tools: [f],
});

export const sampleWith = (parts: Partial<ModelRequest>, others: Partial<ModelRequest> = {}): Sample => ({
  request: { ...PLAIN, ...others, ...parts },
  without: { ...PLAIN, ...others },
});
const sampling = (parts: ModelRequest['sampling']): Sample => sampleWith({ sampling: parts });

/** The least budget of a vendor's fits below. */
/** Closed, and with something required: every vendor that takes schemas has a form for it. */
const FORM = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const ROOM_TO_THINK = { maxOutputTokens: 4_000 } as const;

/** For each field, a call that sets it. */
export const FIELD_SAMPLES: Readonly<Record<RequestField, (parts: TargetParts) => Sample>> = {
  model: (parts) => ({
    request: PLAIN,
    without: PLAIN,
    target: targetOf({ ...parts, endpoint: { ...parts.endpoint, upstreamModel: 'us.anthropic.claude-haiku-4-6' } }),
  }),
  system: () => sampleWith({ system: [{ type: 'text', text: 'Be kind.' }] }),
  stream: () => sampleWith({ stream: true }),
  max_tokens: () => sampleWith({ maxOutputTokens: 50 }),
  temperature: () => sampling({ temperature: 0.5 }),
  top_p: () => sampling({ topP: 0.5 }),
  top_k: () => sampling({ topK: 3 }),
  top_a: () => sampling({ topA: 0.5 }),
  min_p: () => sampling({ minP: 0.5 }),
  frequency_penalty: () => sampling({ frequencyPenalty: 1 }),
  presence_penalty: () => sampling({ presencePenalty: 1 }),
  repetition_penalty: () => sampling({ repetitionPenalty: 1.5 }),
  seed: () => sampling({ seed: 7 }),
  logit_bias: () => sampling({ logitBias: { '1': 2 } }),
  logprobs: () => sampling({ logprobs: true }),
  top_logprobs: () => sampling({ topLogprobs: 2 }),
  stop: () => sampleWith({ stopSequences: ['END'] }),
  tools: () => sampleWith({ tools: [f, { ...f, name: 'g' }] }),
  tool_choice: () => sampleWith({ toolChoice: { type: 'any' } }),
  parallel_tool_calls: () => sampleWith({ parallelToolCalls: false }),
  reasoning: () => sampleWith({ thinking: { type: 'enabled', budgetTokens: 2_000 } }, ROOM_TO_THINK),
  reasoning_effort: () => sampleWith({ effort: 'high' }, ROOM_TO_THINK),
  reasoning_summary: () =>
    sampleWith({ reasoningSummary: 'auto' }, { ...ROOM_TO_THINK, thinking: { type: 'adaptive' } }),
  verbosity: () => sampleWith({ verbosity: 'high' }),
  // Cohere takes no form beside tools.
  structured_outputs: () => sampleWith({ outputFormat: { type: 'json-schema', schema: FORM } }, { tools: [] }),
  response_format: () => sampleWith({ outputFormat: { type: 'json-object' } }, { tools: [] }),
  modalities: () => sampleWith({ modalities: ['image'] }),
  image_config: () => sampleWith({ imageConfig: { size: '1024x1024', aspect_ratio: '1:1' } }),
  task_budget: () => sampleWith({ taskBudget: { totalTokens: 100 } }),
  context_management: () => sampleWith({ contextManagement: { vendor: 'anthropic', value: { edits: [] } } }),
  cache_control: () => sampleWith({ cacheMarker: {} }),
  user: () => sampleWith({ user: 'ann' }),
  metadata: () => sampleWith({ metadata: { vendor: 'anthropic', value: { team: 'x' } } }),
  prompt_cache_key: () => sampleWith({ promptCacheKey: 'one' }),
  service_tier: ({ tier, ...parts }) =>
    tier === undefined
      ? sampleWith({ serviceTier: 'standard_only' })
      : { ...sampleWith({ serviceTier: tier }), plainTarget: targetOf(parts) },
  inference_geo: (parts) => {
    const elsewhere = targetOf(parts).endpoint;
    const target = targetOf({ ...parts, endpoint: { ...parts.endpoint, geography: { word: 'us', elsewhere } } });
    return { ...sampleWith({ inferenceGeo: 'us' }), target };
  },
  betas: () => sampleWith({ betas: ['some-beta-2026-01-01'] }),
};
