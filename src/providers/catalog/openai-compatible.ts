import type { ProviderDefinition } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';

/**
 * Reasoning is switched on and off, and comes back in the history: without it the next turn
 * after a tool call is refused.
 */
const RETURNED_THINKING: Quirks = { reasoningStyle: 'thinking_object', returnsReasoning: true };

/**
 * Providers of the chat format that one line tells apart. The fields are known ones of their own (the reference that
 * rules stands beside them), without what costs besides, keeps data or fetches. The lists are no complete reading of
 * the references: a field that is missing is dropped by name, and `passes_unknown_fields` lets it through.
 */
export const openaiCompatible: readonly ProviderDefinition[] = [
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
  // docs.deepinfra.com/api-reference/openai-chat-completions-1
  compatible('deepinfra', { reasoningStyle: 'reasoning_effort' }, ['chat_template_kwargs']),
  // api-docs.deepseek.com/api/create-chat-completion
  compatible('deepseek', RETURNED_THINKING, ['thinking']),
  compatible(
    'fireworks',
    { reasoningStyle: 'reasoning_effort' },
    // The request type of its own SDK, github.com/fw-ai-external/python-sdk
    [
      'context_length_exceeded_behavior', 'ignore_eos', 'mirostat_lr', 'mirostat_target', 'perf_metrics_in_response',
      'prompt_cache_isolation_key', 'prompt_cache_max_len', 'prompt_truncate_len', 'typical_p',
    ], // prettier-ignore
  ),
  compatible(
    'groq',
    {
      maxTokensField: 'max_completion_tokens',
      reasoningStyle: 'reasoning_effort',
      omit: ['logit_bias', 'logprobs', 'top_logprobs'],
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
  // Reasoning is counted beside what the limit holds for (docs/reasons/money.md#plausible-usage).
  compatible('xai', {
    reasoningStyle: 'reasoning_effort',
    countsReasoningApart: true,
    returnsReasoningDetails: false,
  }),
  // docs.z.ai/api-reference/llm/chat-completion
  compatible('z-ai', RETURNED_THINKING, ['do_sample', 'request_id', 'thinking', 'tool_stream', 'user_id']),
];

/** @param fields which no face declares, and it is sent nevertheless */
function compatible(slug: string, quirks: Quirks, fields: readonly string[] = []): ProviderDefinition {
  return { slug, credential: 'bearer', quirks, undeclared: { only: new Set(fields) } };
}
