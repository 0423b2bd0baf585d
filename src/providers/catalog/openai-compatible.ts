import type { ProviderDefinition } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';

/**
 * Reasoning is switched on and off, and the history must contain it: without it the next turn after a tool call is
 * refused.
 */
const RETURNED_THINKING: Quirks = { reasoningStyle: 'thinking_object', returnsReasoning: true };
const BY_EFFORT: Quirks = { reasoningStyle: 'reasoning_effort' };

/**
 * Providers of the chat format of which only the address is known (`catalog/providers.yaml`): their references add
 * nothing to the format, or were not available.
 */
const PLAIN = [
  'ai21', 'akashml', 'amazon-nova', 'ambient', 'arcee-ai', 'assemblyai', 'atlas-cloud', 'avian', 'baidu', 'byteplus',
  'clarifai', 'crusoe', 'darkbloom', 'featherless', 'gmicloud', 'inceptron', 'inference-net', 'infermatic', 'mancer',
  'meta', 'minimax', 'modular', 'morph', 'ncompass', 'nextbit', 'nvidia', 'phala', 'poolside', 'primeintellect',
  'relace', 'sakana', 'sambanova', 'streamlake', 'venice',
] as const; // oxfmt-ignore

/**
 * Providers of the chat format whose differences fit in one line. The listed fields are each provider's own; the
 * reference is in the comment of its rule. Fields that cost besides tokens, keep data or fetch are left out. The lists
 * are not a complete reading of the references: a missing field is dropped by name, and `passes_unknown_fields` lets it
 * through.
 */
export const openaiCompatible: readonly ProviderDefinition[] = [
  ...PLAIN.map((slug) => compatible(slug, {})),
  // api.aionlabs.ai/docs/api-reference, read 2026-11-24
  compatible('aion-labs', {}, ['reasoning_split']),
  compatible(
    'cerebras',
    {
      maxTokensField: 'max_completion_tokens',
      reasoningStyle: 'reasoning_effort',
      omit: ['frequency_penalty', 'presence_penalty', 'logit_bias'],
    },
    // inference-docs.cerebras.ai/api-reference/chat-completions
    ['clear_thinking', 'disable_reasoning', 'prediction', 'reasoning_format'],
  ),
  // docs.deepinfra.com/api-reference/openai-chat-completions-1; efforts: docs.deepinfra.com/chat/reasoning, as below
  compatible('deepinfra', { ...BY_EFFORT, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] }, [
    'chat_template_kwargs',
  ]),
  // api-docs.deepseek.com/api/create-chat-completion; efforts: api-docs.deepseek.com/guides/thinking_mode, which maps
  // these words to its own; read 2026-11-29
  compatible('deepseek', { ...RETURNED_THINKING, efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] }, [
    'thinking',
  ]),
  compatible(
    'fireworks',
    { reasoningStyle: 'reasoning_effort' },
    // The request type of its own SDK, github.com/fw-ai-external/python-sdk
    [
      'context_length_exceeded_behavior', 'ignore_eos', 'mirostat_lr', 'mirostat_target', 'perf_metrics_in_response',
      'prompt_cache_isolation_key', 'prompt_cache_max_len', 'prompt_truncate_len', 'typical_p',
    ], // oxfmt-ignore
  ),
  compatible(
    'groq',
    {
      maxTokensField: 'max_completion_tokens',
      reasoningStyle: 'reasoning_effort',
      omit: ['logit_bias', 'logprobs', 'top_logprobs'],
      // "additionalProperties:false must be set on every object": Meridiona/meridian, pull request 811; other keywords:
      // i-am-bee/beeai-framework, issue 1215; read 2026-11-29.
      checksStrictSchemas: true,
    },
    // console.groq.com/docs/api-reference#chat-create
    ['citation_options', 'disable_tool_validation', 'documents', 'reasoning_format'],
  ),
  // platform.moonshot.ai/docs/api/chat
  compatible('moonshotai', RETURNED_THINKING, ['safety_identifier', 'thinking']),
  // docs.together.ai/reference/chat-completions-1
  compatible('together', { reasoningStyle: 'reasoning_effort' }, [
    'chat_template_kwargs',
    'context_length_exceeded_behavior',
  ]),
  // The output limit does not bound reasoning (docs/contribute/reasons/money.md#plausible-usage).
  compatible('xai', {
    reasoningStyle: 'reasoning_effort',
    countsReasoningApart: true,
    returnsReasoningDetails: false,
  }),
  // docs.z.ai/api-reference/llm/chat-completion
  compatible('z-ai', RETURNED_THINKING, ['do_sample', 'request_id', 'thinking', 'tool_stream', 'user_id']),
  // The type of its own SDK, github.com/perceptron-ai-inc/perceptron, src/perceptron/_providers.py; read 2026-11-24
  compatible('perceptron', { ...BY_EFFORT, efforts: ['none', 'minimal', 'low', 'medium', 'high'] }),
  // The provider's OpenAPI document, of which github.com/api-evangelist/sail has a copy; read 2026-11-24
  compatible('sail-research', {
    ...BY_EFFORT,
    maxTokensField: 'max_completion_tokens',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  }),
  // The rows below follow the vendors' references as noted in github.com/anomalyco/models.dev,
  // providers/*/provider.toml, each of which names its page; read 2026-11-24. Efforts that only some models know are
  // left out.
  compatible('alibaba', { acceptsCacheMarkers: true }, ['enable_thinking', 'thinking_budget']),
  compatible('baseten', {}, ['chat_template_args']),
  compatible('chutes', {}, ['chat_template_kwargs']),
  compatible('digitalocean', { ...BY_EFFORT, efforts: ['none', 'low', 'medium', 'high', 'max'] }),
  compatible('friendli', BY_EFFORT, ['chat_template_kwargs', 'reasoning_budget']),
  compatible('inception', BY_EFFORT),
  compatible('io-net', BY_EFFORT),
  compatible('makora', { ...BY_EFFORT, efforts: ['high', 'max'] }),
  compatible('near-ai', {}, ['chat_template_kwargs']),
  compatible('nebius', BY_EFFORT),
  compatible('novita', {}, ['enable_thinking', 'separate_reasoning']),
  compatible('ollama', { ...BY_EFFORT, efforts: ['none', 'low', 'medium', 'high', 'max'] }),
  compatible('parasail', BY_EFFORT),
  compatible('perplexity', { ...BY_EFFORT, efforts: ['minimal', 'low', 'medium', 'high'] }),
  compatible('siliconflow', {}, ['enable_thinking', 'thinking_budget']),
  compatible('stepfun', BY_EFFORT, ['reasoning_format']),
  compatible('tencent', BY_EFFORT, ['thinking']),
  compatible('upstage', BY_EFFORT),
  compatible('wafer', { ...BY_EFFORT, efforts: ['none', 'low', 'medium', 'high', 'max'] }, [
    'enable_thinking',
    'thinking',
  ]),
  compatible('wandb', {}, ['chat_template_kwargs']),
  compatible('xiaomi', { reasoningStyle: 'thinking_object' }, ['thinking']),
];

/** @param fields sent although no face declares them */
function compatible(slug: string, quirks: Quirks, fields: readonly string[] = []): ProviderDefinition {
  return { slug, credential: 'bearer', quirks, undeclared: { only: new Set(fields) } };
}
