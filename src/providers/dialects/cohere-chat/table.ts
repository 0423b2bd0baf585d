import type { Target } from '../../../core/provider.js';
import type { TranslationTable } from '../../../core/translation.js';
import {
  ABSENT,
  atMostStopSequences,
  dropped,
  field,
  FOREIGN_BLOCKS,
  mapped,
  readStopSequences,
  refused,
  sent,
  STORED_FILE,
  taken,
  where,
  told,
  usage,
  UNTOLD,
} from '../rules.js';

// Bounds by docs.cohere.com/reference/chat, read 2026-11-23. A value beyond them would fail the call.
const STOP_SEQUENCES_MAX = 5;
const TOP_P_MIN = 0.01;
const TOP_P_MAX = 0.99;
const TOP_K_MAX = 500;

const within = (min: number, value: number | undefined, max: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, min), max);

/** The vendor knows none that reward repeating. */
const penalty = (value: number | undefined): number | undefined => within(0, value, 1);

const NO_PLACE = field(dropped());
const TAKES_REASONING = taken('reasoning', 'reasoning_effort');
const PENALTY_NOTE = { note: 'from 0 to 1' };
const SEALED_NOTHING = dropped('the vendor seals nothing');

/** Cohere's chat format, version 2 (docs/translation/cohere-chat.md). */
export const TABLE: TranslationTable<Target> = {
  fields: {
    model: field(mapped('`model`')),
    system: field(mapped('first message')),
    stream: field(mapped('`stream`')),
    max_tokens: field(mapped('`max_tokens`')),
    tools: field(mapped('`tools`')),
    tool_choice: field(mapped('`tool_choice`; dropped without tools')),
    temperature: sent('temperature', ({ sampling }) => sampling.temperature, taken('temperature')),
    top_p: sent('p', ({ sampling }) => within(TOP_P_MIN, sampling.topP, TOP_P_MAX), taken('top_p'), {
      note: `from ${TOP_P_MIN} to ${TOP_P_MAX}`,
    }),
    top_k: sent('k', ({ sampling }) => within(0, sampling.topK, TOP_K_MAX), taken('top_k'), {
      note: `at most ${TOP_K_MAX}`,
    }),
    frequency_penalty: sent(
      'frequency_penalty',
      ({ sampling }) => penalty(sampling.frequencyPenalty),
      taken('frequency_penalty'),
      PENALTY_NOTE,
    ),
    presence_penalty: sent(
      'presence_penalty',
      ({ sampling }) => penalty(sampling.presencePenalty),
      taken('presence_penalty'),
      PENALTY_NOTE,
    ),
    seed: sent('seed', ({ sampling }) => sampling.seed, taken('seed')),
    stop: sent(
      'stop_sequences',
      readStopSequences,
      taken('stop'),
      atMostStopSequences(STOP_SEQUENCES_MAX, 'the format'),
    ),
    logprobs: sent('logprobs', ({ sampling }) => sampling.logprobs, taken('logprobs')),
    reasoning: field(where(TAKES_REASONING, mapped('`thinking`'))),
    reasoning_effort: field(where(TAKES_REASONING, mapped('`thinking`, switched on'))),
    structured_outputs: field(mapped('`response_format`, the schema alone')),
    response_format: field(mapped('`response_format`')),
    modalities: field(dropped('the model gives what it gives')),
    image_config: field(dropped()),
    top_a: NO_PLACE,
    min_p: NO_PLACE,
    repetition_penalty: NO_PLACE,
    logit_bias: NO_PLACE,
    top_logprobs: NO_PLACE,
    verbosity: NO_PLACE,
    parallel_tool_calls: NO_PLACE,
    task_budget: NO_PLACE,
    context_management: NO_PLACE,
    cache_control: NO_PLACE,
    user: NO_PLACE,
    metadata: NO_PLACE,
    reasoning_summary: NO_PLACE,
    prompt_cache_key: NO_PLACE,
    service_tier: NO_PLACE,
    inference_geo: NO_PLACE,
    betas: NO_PLACE,
  },
  blocks: {
    ...FOREIGN_BLOCKS,
    text: mapped('text; beside calls `tool_plan` or `thinking`'),
    text_citations: dropped('they point into documents of another reply'),
    phase: dropped(),
    image_bytes: mapped('`image_url`, a data URL'),
    image_url: mapped('`image_url`'),
    image_detail: mapped('`detail`'),
    drawn_image: mapped('a word in its place; behind, in the turn of the user'),
    document_bytes: refused('a document', '.source'),
    document_text_bytes: mapped('text, headed'),
    document_url: refused('a document by address', '.source.url'),
    document_text: mapped('text, headed'),
    document_blocks: mapped('its blocks, headed'),
    document_file: STORED_FILE,
    document_citations: mapped('of texts: an entry of `documents`'),
    search_result: mapped('text; to be cited: an entry of `documents`'),
    audio: refused('audio content'),
    video_bytes: refused('video content'),
    video_url: refused('video content'),
    tool_use: mapped('`tool_calls`, arguments as text'),
    tool_result: mapped('`tool` message'),
    tool_result_error: mapped('prefix `Error: `'),
    tool_result_image: mapped('a placeholder, and in the user message behind'),
    tool_result_document: refused('a document', '.source'),
    tool_reference: mapped('text'),
    thinking_own: mapped('a `thinking` part'),
    thinking_anthropic: dropped('a signature holds at its signer'),
    thinking_other: dropped('of another model'),
    thinking_unsigned: dropped('nobody says whose it is'),
    sealed_own: SEALED_NOTHING,
    sealed_anthropic: SEALED_NOTHING,
    sealed_other: SEALED_NOTHING,
    cache_control: dropped(),
    tool_result_cache_control: dropped(),
    speaker: dropped(),
  },
  tools: {
    function: mapped('`function`'),
    strict: mapped('`strict_tools`, where each tool is'),
    cache_control: dropped(),
    own: refused("the vendor's tool"),
    foreign: refused("the vendor's tool"),
    service: refused('the tool'),
    choice_auto: dropped('what is not said is that'),
    choice_any: mapped('`REQUIRED`'),
    choice_none: mapped('`NONE`'),
    choice_tool: mapped('that tool alone, and `REQUIRED`'),
  },
  replies: {
    text: mapped('`text`, `tool_plan`'),
    refusal: ABSENT,
    thinking: mapped('`thinking`'),
    signature: ABSENT,
    sealed: ABSENT,
    tool_call: mapped('`tool_calls`'),
    argument_pieces: mapped('at once'),
    citations: mapped('`citations` of pages and of the documents'),
    logprobs: mapped('`logprobs`, where asked for'),
    vendor_blocks: ABSENT,
    media: ABSENT,
  },
  stops: {
    // docs.cohere.com/reference/chat, and the words of the version before, which some deployments still say.
    unified: new Map([
      ['COMPLETE', 'end-turn'],
      ['STOP_SEQUENCE', 'stop-sequence'],
      ['MAX_TOKENS', 'output-limit'],
      ['TOOL_CALL', 'tool-use'],
      ['ERROR_LIMIT', 'context-limit'],
      ['ERROR_TOXIC', 'content-filter'],
      ['USER_CANCEL', 'other'],
    ]),
    faults: new Map([
      ['ERROR', 'server-error'],
      ['TIMEOUT', 'timed-out'],
    ]),
  },
  usage: {
    input: told(['billed_units.input_tokens', 'tokens.input_tokens']),
    output: told(['billed_units.output_tokens', 'tokens.output_tokens']),
    cache_read: usage(dropped("a part of the vendor's template, not of what is billed")),
    cache_write: UNTOLD,
    cache_write_1h: UNTOLD,
    reasoning: told(['tokens.reasoning_tokens']),
    image_output: UNTOLD,
    web_searches: UNTOLD,
    web_fetches: UNTOLD,
    calls: UNTOLD,
    service_tier: UNTOLD,
    speed: UNTOLD,
    inference_geo: UNTOLD,
  },
};
