import { tableOf } from '../base-table.js';
import {
  ABSENT,
  atMostStopSequences,
  dropped,
  field,
  mapped,
  NOT_SUPPORTED,
  NOT_REPORTED,
  readStopSequences,
  refused,
  reported,
  sent,
  taken,
  TAKES_REASONING,
  usage,
  where,
} from '../rules.js';

// Bounds by docs.cohere.com/reference/chat, read 2026-11-23. A value outside them would fail the call.
const STOP_SEQUENCES_MAX = 5;
const TOP_P_MIN = 0.01;
const TOP_P_MAX = 0.99;
const TOP_K_MAX = 500;

const within = (min: number, value: number | undefined, max: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, min), max);

/** The vendor has no negative penalties, which reward repetition. */
const penalty = (value: number | undefined): number | undefined => within(0, value, 1);

const PENALTY_NOTE = { note: 'from 0 to 1' };

/** Cohere's chat format, version 2 (docs/use/translation/cohere-chat.md). */
export const TABLE = tableOf({
  unsentThinkingField: () => 'effort',
  fields: {
    system: field(mapped('first message')),
    max_tokens: field(mapped('`max_tokens`')),
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
    structured_outputs: field(
      mapped('`response_format`, the schema alone, or [instructions](../translation.md#schemas-of-answers)'),
    ),
    response_format: field(mapped('`response_format`, but not beside tools')),
    parallel_tool_calls: NOT_SUPPORTED,
    reasoning_summary: NOT_SUPPORTED,
    service_tier: NOT_SUPPORTED,
  },
  blocks: {
    text: mapped('text; beside calls `tool_plan` or `thinking`'),
    image_bytes: mapped('`image_url`, a data URL'),
    image_url: mapped('`image_url`'),
    document_bytes: refused('a document', '.source'),
    document_url: refused('a document by address', '.source.url'),
    document_citations: mapped('of texts: an entry of `documents`'),
    search_result: mapped('text; to be cited: an entry of `documents`'),
    tool_use: mapped('`tool_calls`, arguments as text'),
    tool_result: mapped('`tool` message'),
    tool_result_image: mapped('a placeholder; moved to the next user message'),
    tool_result_document: refused('a document', '.source'),
    thinking_own: mapped('a `thinking` part'),
    sealed_own: dropped('the vendor seals nothing'),
  },
  tools: {
    strict: mapped('`strict_tools`, if every tool is strict'),
    own: refused("the vendor's tool"),
    choice_auto: dropped('it is the default'),
    choice_any: mapped('`REQUIRED`'),
    choice_none: mapped('`NONE`'),
    choice_tool: mapped('that tool alone, and `REQUIRED`'),
  },
  replies: {
    text: mapped('`text`, `tool_plan`'),
    thinking: mapped('`thinking`'),
    signature: ABSENT,
    sealed: ABSENT,
    tool_call: mapped('`tool_calls`'),
    citations: mapped('`citations` of pages and of the documents'),
    vendor_blocks: ABSENT,
    media: ABSENT,
  },
  stops: {
    // docs.cohere.com/reference/chat, and the values of the previous version, which some deployments still send.
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
    input: reported(['billed_units.input_tokens', 'tokens.input_tokens']),
    output: reported(['billed_units.output_tokens', 'tokens.output_tokens']),
    cache_read: usage(dropped("a part of the vendor's template, not of what is billed")),
    cache_write: NOT_REPORTED,
    cache_write_1h: NOT_REPORTED,
    reasoning: reported(['tokens.reasoning_tokens']),
    web_searches: NOT_REPORTED,
    service_tier: NOT_REPORTED,
  },
});
