import type { Target } from '../../../core/provider.js';
import type { Condition } from '../../../core/translation.js';
import { fitChat } from '../../model-rules/fit-chat.js';
import { fitSampling } from '../../model-rules/fit-sampling.js';
import { VERBOSITY_WORDS } from '../openai-fields.js';
import { tableOf } from '../base-table.js';
import {
  ACCEPTS_FILES,
  atMostStopSequences,
  both,
  GENERATES_IMAGES,
  dropped,
  field,
  listed,
  mapped,
  NAMES_ALLOWED_TOOLS,
  ONLY_ALLOWED,
  HAS_REGION_PRICE,
  readStopSequences,
  refused,
  reported,
  SELLS_TIERS,
  sent,
  taken,
  TAKES_REASONING,
  usage,
  where,
} from '../rules.js';

/** Maximum number of stop sequences of a chat request (docs/use/chat.md#request-fields). */
const STOP_SEQUENCES_MAX = 4;

const HAS_STYLE: Condition<Target> = {
  words: '◆ `reasoning_style`',
  holds: ({ definition }) => definition.quirks.reasoningStyle !== undefined,
};
const REASONS = both(HAS_STYLE, TAKES_REASONING);
const TAKES_OBJECT: Condition<Target> = {
  words: '◆ `reasoning_style: reasoning_object`, if supported',
  holds: (target) => target.definition.quirks.reasoningStyle === 'reasoning_object' && REASONS.holds(target),
};
const TAKES_MARKERS: Condition<Target> = {
  words: '◆ `accepts_cache_markers`',
  holds: ({ definition }) => definition.quirks.acceptsCacheMarkers === true,
};
/** The target takes reasoning back in a separate field. */
export const KNOWS_DETAILS: Condition<Target> = {
  words: '◆ `returns_reasoning_details` not false',
  holds: ({ definition }) => definition.quirks.returnsReasoningDetails !== false,
};
const RETURNS_DETAILS: Condition<Target> = {
  words: '◆ `returns_reasoning_details`',
  holds: ({ definition }) => definition.quirks.returnsReasoningDetails === true,
};
const RETURNS_REASONING: Condition<Target> = {
  words: '◆ `returns_reasoning`',
  holds: ({ definition }) => definition.quirks.returnsReasoning === true,
};

const IN_WORDS = where(RETURNS_REASONING, mapped('`reasoning_content`'));
const BEHIND = mapped('a placeholder; moved to the next user message');
const VIDEO = mapped('`video_url`');

/** The chat-completions format (docs/use/translation.md). */
export const TABLE = tableOf({
  fit: (request, target) =>
    target.definition.quirks.reasoningStyle === 'reasoning_effort'
      ? fitChat(request, target)
      : fitSampling(request, target),
  unsentThinkingField: ({ definition: { quirks } }) =>
    quirks.reasoningStyle === 'thinking_object' && quirks.efforts === undefined ? 'both' : 'budget',
  fields: {
    system: field(mapped('first message, ◆ `system_role`')),
    stream: field(mapped('`stream`, `stream_options`')),
    max_tokens: field(mapped('◆ `max_tokens_field`')),
    parallel_tool_calls: field(mapped('`parallel_tool_calls`; dropped without tools')),
    frequency_penalty: sent(
      'frequency_penalty',
      ({ sampling }) => sampling.frequencyPenalty,
      taken('frequency_penalty'),
    ),
    presence_penalty: sent('presence_penalty', ({ sampling }) => sampling.presencePenalty, taken('presence_penalty')),
    seed: sent('seed', ({ sampling }) => sampling.seed, taken('seed')),
    stop: sent(
      'stop',
      readStopSequences,
      taken('stop'),
      atMostStopSequences(STOP_SEQUENCES_MAX, 'the chat-completions format'),
    ),
    logit_bias: sent('logit_bias', ({ sampling }) => sampling.logitBias, taken('logit_bias')),
    logprobs: sent('logprobs', ({ sampling }) => sampling.logprobs, taken('logprobs')),
    top_logprobs: sent('top_logprobs', ({ sampling }) => sampling.topLogprobs, taken('top_logprobs')),
    verbosity: sent('verbosity', ({ verbosity }) => verbosity && VERBOSITY_WORDS[verbosity], taken('verbosity'), {
      note: '`high` at most',
    }),
    // Not part of the format: an endpoint that does not list it may refuse it.
    top_k: sent('top_k', ({ sampling }) => sampling.topK, listed('top_k')),
    top_a: sent('top_a', ({ sampling }) => sampling.topA, listed('top_a')),
    min_p: sent('min_p', ({ sampling }) => sampling.minP, listed('min_p')),
    repetition_penalty: sent(
      'repetition_penalty',
      ({ sampling }) => sampling.repetitionPenalty,
      listed('repetition_penalty'),
    ),
    reasoning: field(where(REASONS, mapped('see [Reasoning](#reasoning-openai-chat)'))),
    reasoning_effort: field(where(REASONS, mapped('see [Reasoning](#reasoning-openai-chat)'))),
    reasoning_summary: field(where(TAKES_OBJECT, mapped('`reasoning.summary`'))),
    structured_outputs: field(mapped('`response_format`')),
    response_format: field(mapped('`response_format`')),
    modalities: field(where(GENERATES_IMAGES, mapped('`modalities`, else all that the model gives'))),
    image_config: field(where(GENERATES_IMAGES, mapped('`image_config`'))),
    cache_control: field(
      where(
        TAKES_MARKERS,
        mapped('on the last text that is not blank, unless the caller set four'),
        dropped('these upstreams cache by themselves'),
      ),
    ),
    prompt_cache_key: field(mapped('`prompt_cache_key`')),
    user: field(mapped('`user`')),
    service_tier: field(where(SELLS_TIERS, mapped('`service_tier`'))),
    inference_geo: field(where(HAS_REGION_PRICE, mapped("the endpoint's region"))),
  },
  blocks: {
    text: mapped('text'),
    image_bytes: mapped('`image_url`, a data URL'),
    image_url: mapped('`image_url`'),
    document_bytes: where(ACCEPTS_FILES, mapped('`file`'), refused('a document', '.source')),
    document_url: mapped('fetched, then as bytes'),
    audio: mapped('`input_audio`'),
    video_bytes: VIDEO,
    video_url: VIDEO,
    tool_use: mapped('`tool_calls`, arguments as text'),
    tool_result: mapped('`tool` message'),
    tool_result_image: BEHIND,
    tool_result_document: where(ACCEPTS_FILES, BEHIND, refused('a document', '.source')),
    thinking_own: where(KNOWS_DETAILS, mapped('`reasoning_details`'), IN_WORDS),
    thinking_anthropic: where(RETURNS_DETAILS, mapped('`reasoning_details`')),
    thinking_unsigned: IN_WORDS,
    sealed_own: where(KNOWS_DETAILS, mapped('`reasoning_details`')),
    sealed_anthropic: where(RETURNS_DETAILS, mapped('`reasoning_details`')),
    cache_control: where(TAKES_MARKERS, mapped('on its last part, with `ttl`')),
    tool_result_cache_control: where(TAKES_MARKERS, mapped('on the `tool` message')),
    speaker: mapped('`name`'),
  },
  tools: {
    strict: mapped('`strict`'),
    cache_control: where(TAKES_MARKERS, mapped('`cache_control`')),
    own: mapped('unchanged'),
    choice_any: mapped('`required`'),
    choice_tool: mapped('the function'),
    choice_allowed: where(NAMES_ALLOWED_TOOLS, mapped('`allowed_tools`'), ONLY_ALLOWED),
  },
  replies: {
    text: mapped('`content`'),
    refusal: mapped('`refusal`: a text of its own'),
    thinking: mapped('`reasoning_content`, `reasoning`, `reasoning_details`'),
    signature: mapped('of `reasoning_details`'),
    sealed: mapped('`reasoning.encrypted`'),
    tool_call: mapped('`tool_calls`'),
    citations: mapped('`annotations`, `citations`, `search_results`'),
    vendor_blocks: dropped('not requested'),
    media: mapped('`images`; sounds dropped'),
  },
  stops: {
    unified: new Map([
      ['stop', 'end-turn'],
      ['eos', 'end-turn'],
      ['end_turn', 'end-turn'],
      ['length', 'output-limit'],
      ['max_tokens', 'output-limit'],
      ['model_length', 'context-limit'],
      ['tool_calls', 'tool-use'],
      ['function_call', 'tool-use'],
      ['tool_use', 'tool-use'],
      ['content_filter', 'content-filter'],
      ['sensitive', 'content-filter'],
      ['refusal', 'refusal'],
    ]),
    // The reply is cut, whatever its status (docs/use/streaming.md#failures-in-mid-stream).
    faults: new Map([
      ['error', 'server-error'],
      ['network_error', 'server-error'],
      ['insufficient_system_resource', 'unavailable'],
    ]),
  },
  usage: {
    input: reported(['prompt_tokens'], 'less what was cached and written'),
    output: reported(['completion_tokens'], 'and what only the total shows'),
    // Names besides OpenAI's: those of DeepSeek, Mistral, Moonshot; LiteLLM passes Anthropic's own figures on.
    cache_read: reported([
      'prompt_tokens_details.cached_tokens',
      'prompt_cache_hit_tokens',
      'num_cached_tokens',
      'cached_tokens',
      'prompt_tokens_details.cache_read_input_tokens',
      'cache_read_input_tokens',
    ]),
    // OpenAI's and OpenRouter's name; that of LiteLLM; that of Alibaba's Model Studio; Anthropic's own.
    cache_write: reported(
      [
        'prompt_tokens_details.cache_write_tokens',
        'prompt_tokens_details.cache_creation_tokens',
        'prompt_tokens_details.cache_creation_input_tokens',
        'cache_write_tokens',
        'cache_creation_input_tokens',
      ],
      'less those of an hour',
    ),
    cache_write_1h: reported([
      'prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens',
      'prompt_tokens_details.cache_creation.ephemeral_1h_input_tokens',
      'cache_creation.ephemeral_1h_input_tokens',
    ]),
    reasoning: reported(['completion_tokens_details.reasoning_tokens']),
    image_output: reported(['completion_tokens_details.image_tokens']),
    // OpenRouter counts searches under either name, Perplexity as queries, xAI as the pages that were used. Each counts
    // the unit that it charges for (docs/contribute/reasons/money.md#searches-that-are-not-counted).
    web_searches: reported([
      'server_tool_use_details.web_search_requests',
      'server_tool_use.web_search_requests',
      'num_search_queries',
      'num_sources_used',
    ]),
    service_tier: usage(mapped('`service_tier` of the reply')),
  },
});
