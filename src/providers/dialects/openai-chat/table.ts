import type { Target } from '../../../core/provider.js';
import type { Condition, TranslationTable } from '../../../core/translation.js';
import { VERBOSITY_WORDS } from '../openai-fields.js';
import {
  atMostStopSequences,
  ACCEPTS_FILES,
  both,
  dropped,
  field,
  FOREIGN_BLOCKS,
  listed,
  mapped,
  PRICES_PLACE,
  readStopSequences,
  refused,
  SELLS_TIERS,
  sent,
  STORED_FILE,
  taken,
  where,
  told,
  usage,
  UNTOLD,
  DRAWS,
} from '../rules.js';

/** Most stop sequences a chat request holds (docs/wire/chat.md#request-fields). */
const STOP_SEQUENCES_MAX = 4;

const HAS_STYLE: Condition<Target> = {
  words: '◆ `reasoning_style`',
  holds: ({ definition }) => definition.quirks.reasoningStyle !== undefined,
};
const TAKES_REASONING = both(HAS_STYLE, taken('reasoning', 'reasoning_effort'));
const TAKES_OBJECT: Condition<Target> = {
  words: '◆ `reasoning_style: reasoning_object`, taken',
  holds: (target) => target.definition.quirks.reasoningStyle === 'reasoning_object' && TAKES_REASONING.holds(target),
};
const TAKES_MARKERS: Condition<Target> = {
  words: '◆ `accepts_cache_markers`',
  holds: ({ definition }) => definition.quirks.acceptsCacheMarkers === true,
};
/** Reasoning goes back to it in a field of its own. */
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
const BEHIND = mapped('a placeholder, and in the user message behind');
const VIDEO = mapped('`video_url`');

/** The chat-completions format (docs/translation.md). */
export const TABLE: TranslationTable<Target> = {
  fields: {
    model: field(mapped('`model`')),
    system: field(mapped('first message, ◆ `system_role`')),
    stream: field(mapped('`stream`, `stream_options`')),
    max_tokens: field(mapped('◆ `max_tokens_field`')),
    tools: field(mapped('`tools`')),
    tool_choice: field(mapped('`tool_choice`; dropped without tools')),
    parallel_tool_calls: field(mapped('`parallel_tool_calls`; dropped without tools')),
    temperature: sent('temperature', ({ sampling }) => sampling.temperature, taken('temperature')),
    top_p: sent('top_p', ({ sampling }) => sampling.topP, taken('top_p')),
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
    // Not of the format itself: who has not listed it may refuse it.
    top_k: sent('top_k', ({ sampling }) => sampling.topK, listed('top_k')),
    top_a: sent('top_a', ({ sampling }) => sampling.topA, listed('top_a')),
    min_p: sent('min_p', ({ sampling }) => sampling.minP, listed('min_p')),
    repetition_penalty: sent(
      'repetition_penalty',
      ({ sampling }) => sampling.repetitionPenalty,
      listed('repetition_penalty'),
    ),
    reasoning: field(where(TAKES_REASONING, mapped('see [Reasoning](#reasoning-openai-chat)'))),
    reasoning_effort: field(where(TAKES_REASONING, mapped('see [Reasoning](#reasoning-openai-chat)'))),
    reasoning_summary: field(where(TAKES_OBJECT, mapped('`reasoning.summary`'))),
    structured_outputs: field(mapped('`response_format`')),
    response_format: field(mapped('`response_format`')),
    modalities: field(where(DRAWS, mapped('`modalities`, else all that the model gives'))),
    image_config: field(where(DRAWS, mapped('`image_config`'))),
    task_budget: field(dropped("advice to one vendor's models")),
    context_management: field(dropped("one vendor's editing of its own context")),
    cache_control: field(
      where(
        TAKES_MARKERS,
        mapped('on the last text that says something, unless the caller set four'),
        dropped('these upstreams cache by themselves'),
      ),
    ),
    prompt_cache_key: field(mapped('`prompt_cache_key`')),
    user: field(mapped('`user`')),
    metadata: field(dropped()),
    service_tier: field(where(SELLS_TIERS, mapped('`service_tier`'))),
    inference_geo: field(where(PRICES_PLACE, mapped("the leg's place"))),
    betas: field(dropped()),
  },
  blocks: {
    ...FOREIGN_BLOCKS,
    text: mapped('text'),
    text_citations: dropped('they point into documents of another reply'),
    phase: dropped(),
    image_bytes: mapped('`image_url`, a data URL'),
    image_url: mapped('`image_url`'),
    image_detail: mapped('`detail`'),
    drawn_image: mapped('a word in its place; behind, in the turn of the user'),
    document_bytes: where(ACCEPTS_FILES, mapped('`file`'), refused('a document', '.source')),
    document_text_bytes: mapped('text, headed'),
    document_url: mapped('fetched, then as bytes'),
    document_text: mapped('text, headed'),
    document_blocks: mapped('its blocks, headed'),
    document_file: STORED_FILE,
    document_citations: dropped(),
    search_result: mapped('text'),
    audio: mapped('`input_audio`'),
    video_bytes: VIDEO,
    video_url: VIDEO,
    tool_use: mapped('`tool_calls`, arguments as text'),
    tool_result: mapped('`tool` message'),
    tool_result_error: mapped('prefix `Error: `'),
    tool_result_image: BEHIND,
    tool_result_document: where(ACCEPTS_FILES, BEHIND, refused('a document', '.source')),
    tool_reference: mapped('text'),
    thinking_own: where(KNOWS_DETAILS, mapped('`reasoning_details`'), IN_WORDS),
    thinking_anthropic: where(RETURNS_DETAILS, mapped('`reasoning_details`')),
    thinking_other: dropped('of another model'),
    thinking_unsigned: IN_WORDS,
    sealed_own: where(KNOWS_DETAILS, mapped('`reasoning_details`')),
    sealed_anthropic: where(RETURNS_DETAILS, mapped('`reasoning_details`')),
    sealed_other: dropped('nobody else opens it'),
    cache_control: where(TAKES_MARKERS, mapped('on its last part, with `ttl`')),
    tool_result_cache_control: where(TAKES_MARKERS, mapped('on the `tool` message')),
    speaker: mapped('`name`'),
  },
  tools: {
    function: mapped('`function`'),
    strict: mapped('`strict`'),
    cache_control: where(TAKES_MARKERS, mapped('`cache_control`')),
    own: mapped('as they came'),
    foreign: refused("the vendor's tool"),
    service: refused('the tool'),
    choice_auto: mapped('`auto`'),
    choice_any: mapped('`required`'),
    choice_none: mapped('`none`'),
    choice_tool: mapped('the function'),
  },
  replies: {
    text: mapped('`content`'),
    refusal: mapped('`refusal`: a text of its own'),
    thinking: mapped('`reasoning_content`, `reasoning`, `reasoning_details`'),
    signature: mapped('of `reasoning_details`'),
    sealed: mapped('`reasoning.encrypted`'),
    tool_call: mapped('`tool_calls`'),
    argument_pieces: mapped('at once'),
    citations: mapped('`annotations`, `citations`, `search_results`'),
    logprobs: mapped('`logprobs`, where asked for'),
    vendor_blocks: dropped('not asked for'),
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
    // The reply is cut, whatever the status says (docs/reasons/streams.md#cut-replies).
    faults: new Map([
      ['error', 'server-error'],
      ['network_error', 'server-error'],
      ['insufficient_system_resource', 'unavailable'],
    ]),
  },
  usage: {
    input: told(['prompt_tokens'], 'less what was cached and written'),
    output: told(['completion_tokens'], 'and what only the total tells'),
    // DeepSeek counts cache hits beside the prompt, Mistral and Moonshot at the top level.
    cache_read: told([
      'prompt_tokens_details.cached_tokens',
      'prompt_cache_hit_tokens',
      'num_cached_tokens',
      'cached_tokens',
    ]),
    cache_write: told(['prompt_tokens_details.cache_write_tokens']),
    cache_write_1h: UNTOLD,
    reasoning: told(['completion_tokens_details.reasoning_tokens']),
    image_output: told(['completion_tokens_details.image_tokens']),
    // OpenRouter counts them under either name, Perplexity as queries, xAI as the pages that were used, each by what
    // it charges for (docs/reasons/money.md#searches-that-are-not-counted).
    web_searches: told([
      'server_tool_use_details.web_search_requests',
      'server_tool_use.web_search_requests',
      'num_search_queries',
      'num_sources_used',
    ]),
    web_fetches: UNTOLD,
    calls: UNTOLD,
    service_tier: usage(mapped('`service_tier` of the reply')),
    speed: UNTOLD,
    inference_geo: UNTOLD,
  },
};
