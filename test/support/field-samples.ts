import type { ModelRequest } from '../../src/core/conversation/request.js';
import type { FunctionTool } from '../../src/core/conversation/tools.js';
import type { Target } from '../../src/core/provider.js';
import type { Quirks } from '../../src/core/quirks.js';
import type { Endpoint, Model, PlatformId } from '../../src/core/routing/catalog.js';
import type { ServiceTier } from '../../src/core/routing/plan.js';
import type { RequestField } from '../../src/core/translation.js';
import { modelRequest } from './model-request.js';
import { endpoint, model } from './route-inputs.js';

// Requests that say one field each, and targets that rules about fields tell apart.

export const PROVIDER = 'p';

/** What a target differs in from a plain one. */
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
};

/** Whatever a rule may ask of a target, in some of them and not in others. */
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
  /** Where `request` goes to another target. */
  readonly target?: Target;
  /** Where `without` does. */
  readonly plainTarget?: Target;
  /** Where it is refused: how the error begins. */
  readonly path?: string;
}

export const f: FunctionTool = { type: 'function', name: 'f', inputSchema: { type: 'object' } };

const PLAIN = modelRequest({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxOutputTokens: 5,
  tools: [f],
});

export const saying = (parts: Partial<ModelRequest>, others: Partial<ModelRequest> = {}): Sample => ({
  request: { ...PLAIN, ...others, ...parts },
  without: { ...PLAIN, ...others },
});
const sampling = (parts: ModelRequest['sampling']): Sample => saying({ sampling: parts });

/** A call that says a field, for each of them. */
export const FIELD_SAMPLES: Readonly<Record<RequestField, (parts: TargetParts) => Sample>> = {
  model: (parts) => ({
    request: PLAIN,
    without: PLAIN,
    target: targetOf({ ...parts, endpoint: { ...parts.endpoint, upstreamModel: 'us.anthropic.claude-haiku-4-6' } }),
  }),
  system: () => saying({ system: [{ type: 'text', text: 'Be kind.' }] }),
  stream: () => saying({ stream: true }),
  max_tokens: () => saying({ maxOutputTokens: 50 }),
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
  stop: () => saying({ stopSequences: ['END'] }),
  tools: () => saying({ tools: [f, { ...f, name: 'g' }] }),
  tool_choice: () => saying({ toolChoice: { type: 'any' } }),
  parallel_tool_calls: () => saying({ parallelToolCalls: false }),
  reasoning: () => saying({ thinking: { type: 'enabled', budgetTokens: 2_000 } }),
  reasoning_effort: () => saying({ effort: 'high' }),
  reasoning_summary: () => saying({ reasoningSummary: 'auto' }, { thinking: { type: 'adaptive' } }),
  verbosity: () => saying({ verbosity: 'high' }),
  structured_outputs: () => saying({ outputFormat: { type: 'json-schema', schema: { type: 'object' } } }),
  response_format: () => saying({ outputFormat: { type: 'json-object' } }),
  modalities: () => saying({ modalities: ['image'] }),
  image_config: () => saying({ imageConfig: { size: '1024x1024', aspect_ratio: '1:1' } }),
  task_budget: () => saying({ taskBudget: { totalTokens: 100 } }),
  context_management: () => saying({ contextManagement: { vendor: 'anthropic', value: { edits: [] } } }),
  cache_control: () => saying({ cacheMarker: {} }),
  user: () => saying({ user: 'ann' }),
  metadata: () => saying({ metadata: { vendor: 'anthropic', value: { team: 'x' } } }),
  prompt_cache_key: () => saying({ promptCacheKey: 'one' }),
  service_tier: ({ tier, ...parts }) =>
    tier === undefined
      ? saying({ serviceTier: 'standard_only' })
      : { ...saying({ serviceTier: tier }), plainTarget: targetOf(parts) },
  inference_geo: (parts) => {
    const elsewhere = targetOf(parts).endpoint;
    const target = targetOf({ ...parts, endpoint: { ...parts.endpoint, geography: { word: 'us', elsewhere } } });
    return { ...saying({ inferenceGeo: 'us' }), target };
  },
  betas: () => saying({ betas: ['some-beta-2026-01-01'] }),
};
