import type { Target } from '../../../core/provider.js';
import type { Condition, TranslationTable } from '../../../core/translation.js';
import {
  ABSENT,
  ACCEPTS_FILES,
  both,
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
import { familyOf, type Family } from './families.js';

const has = (words: string, test: (family: Family) => boolean): Condition<Target> => ({
  words,
  holds: (target) => test(familyOf(target)),
});
const CLAUDE = has('Claude', ({ takesOwnToolChoice }) => takesOwnToolChoice === true);
const KNOWS_TOP_K = has('Claude, Nova, Cohere, Mistral', ({ topK }) => topK !== undefined);
const REASONS = has('Claude, Nova 2, gpt-oss', ({ reasoning }) => reasoning !== undefined);
const TAKES_EFFORT = has('Claude from 4.6 on, Nova 2, gpt-oss', ({ takesEffort }) => takesEffort === true);
const CACHES: Condition<Target> = {
  words: 'Claude, Nova, an unknown author, ◆ `accepts_cache_markers`',
  holds: (target) => target.definition.quirks.acceptsCacheMarkers ?? familyOf(target).caching !== undefined,
};
const CACHES_TOOLS: Condition<Target> = {
  words: 'Claude, an unknown author',
  holds: (target) => CACHES.holds(target) && familyOf(target).caching?.tools !== false,
};
const CACHES_RESULTS: Condition<Target> = {
  words: 'Claude, an unknown author',
  holds: (target) => CACHES.holds(target) && familyOf(target).caching?.results !== false,
};
const READS_RESULTS = has('Claude', ({ takesSearchResults }) => takesSearchResults === true);

const TAKES_REASONING = taken('reasoning', 'reasoning_effort');

const CONFIG = { within: 'inferenceConfig' };
const NO_PLACE = field(dropped());
const NO_SIGNER = dropped('a signature holds at its signer');
const IN_RESULT = mapped('in it');

/** Bedrock's Converse (docs/translation/bedrock-converse.md). */
export const TABLE: TranslationTable<Target> = {
  fields: {
    model: field(mapped('in the address')),
    system: field(mapped('`system`')),
    stream: field(mapped('in the address')),
    max_tokens: sent('maxTokens', ({ maxOutputTokens }) => maxOutputTokens, undefined, CONFIG),
    temperature: sent('temperature', ({ sampling }) => sampling.temperature, taken('temperature'), CONFIG),
    top_p: sent('topP', ({ sampling }) => sampling.topP, taken('top_p'), CONFIG),
    stop: sent('stopSequences', readStopSequences, taken('stop'), CONFIG),
    top_k: field(where(both(KNOWS_TOP_K, taken('top_k')), mapped("in the model's own words"))),
    tools: field(mapped('`toolConfig.tools`')),
    tool_choice: field(mapped('`toolConfig.toolChoice`')),
    parallel_tool_calls: field(where(CLAUDE, mapped('`tool_choice`, where the choice is free'))),
    reasoning: field(where(both(REASONS, TAKES_REASONING), mapped("in the model's own words"))),
    reasoning_effort: field(where(both(TAKES_EFFORT, TAKES_REASONING), mapped("in the model's own words"))),
    reasoning_summary: field(
      where(both(CLAUDE, TAKES_REASONING), mapped('`thinking.display: summarized`, where thinking is asked for')),
    ),
    structured_outputs: field(mapped('`outputConfig.textFormat`')),
    cache_control: field(where(CACHES, mapped('a point behind the last part, unless the caller set four'))),
    service_tier: field(mapped('`serviceTier`; `fast`: `performanceConfig`')),
    response_format: field(dropped('who has it wants the prompt to ask for JSON too')),
    modalities: field(dropped('the model gives what it gives')),
    image_config: field(dropped()),
    top_a: NO_PLACE,
    min_p: NO_PLACE,
    frequency_penalty: NO_PLACE,
    presence_penalty: NO_PLACE,
    repetition_penalty: NO_PLACE,
    seed: NO_PLACE,
    logit_bias: NO_PLACE,
    logprobs: NO_PLACE,
    top_logprobs: NO_PLACE,
    verbosity: NO_PLACE,
    task_budget: NO_PLACE,
    context_management: NO_PLACE,
    user: NO_PLACE,
    metadata: NO_PLACE,
    prompt_cache_key: NO_PLACE,
    inference_geo: NO_PLACE,
    betas: NO_PLACE,
  },
  blocks: {
    ...FOREIGN_BLOCKS,
    text: mapped('`text`'),
    text_citations: dropped('they point into documents of another reply'),
    phase: dropped(),
    image_bytes: mapped('`image`: PNG, JPEG, GIF, WebP; others 400'),
    image_url: mapped('fetched, then as bytes'),
    image_detail: dropped(),
    drawn_image: mapped('a word in its place; behind, in the turn of the user'),
    document_bytes: mapped('`document`: PDF, Word, Excel, texts; others 400'),
    document_text_bytes: mapped('`document`'),
    document_url: mapped('fetched, then as bytes'),
    document_text: where(ACCEPTS_FILES, mapped('`document`'), mapped('text, headed')),
    document_blocks: mapped('its blocks, headed; texts to be cited: `document`'),
    document_file: STORED_FILE,
    document_citations: where(ACCEPTS_FILES, mapped('`citations`')),
    search_result: where(READS_RESULTS, mapped('`searchResult`'), mapped('text')),
    audio: refused('audio content'),
    video_bytes: mapped('`video`'),
    video_url: refused('a video by address', '.source.url'),
    tool_use: mapped('`toolUse`, arguments an object'),
    tool_result: mapped('`toolResult`'),
    tool_result_error: mapped('`status`; in words where the model has none'),
    tool_result_image: IN_RESULT,
    tool_result_document: IN_RESULT,
    tool_reference: mapped('text'),
    thinking_own: mapped('`reasoningContent`'),
    thinking_anthropic: where(CLAUDE, mapped('`reasoningContent`'), NO_SIGNER),
    thinking_other: NO_SIGNER,
    thinking_unsigned: dropped('the model does not read it again'),
    sealed_own: mapped('`reasoningContent`'),
    sealed_anthropic: where(CLAUDE, mapped('`reasoningContent`'), NO_SIGNER),
    sealed_other: NO_SIGNER,
    cache_control: where(CACHES, mapped('a `cachePoint` behind it')),
    tool_result_cache_control: where(CACHES_RESULTS, mapped('a `cachePoint` behind it')),
    speaker: dropped(),
  },
  tools: {
    function: mapped('`toolSpec`'),
    strict: mapped('`strict`'),
    cache_control: where(CACHES_TOOLS, mapped('a `cachePoint` behind it')),
    own: refused("the vendor's tool"),
    foreign: refused("the vendor's tool"),
    service: refused('the tool'),
    choice_auto: mapped('`auto`'),
    choice_any: mapped('`any`'),
    choice_none: mapped('Claude: its own word; else the tools are left out, unless the history has calls'),
    choice_tool: mapped('`tool`'),
  },
  replies: {
    text: mapped('`text`'),
    refusal: ABSENT,
    thinking: mapped('`reasoningText`'),
    signature: mapped('its signature'),
    sealed: mapped('`redactedContent`'),
    tool_call: mapped('`toolUse`'),
    argument_pieces: mapped('at once'),
    citations: mapped('`citation`, `citationsContent`'),
    logprobs: ABSENT,
    vendor_blocks: dropped('not asked for'),
    media: mapped('`image`; sounds dropped'),
  },
  stops: {
    unified: new Map([
      ['end_turn', 'end-turn'],
      ['tool_use', 'tool-use'],
      ['max_tokens', 'output-limit'],
      ['model_context_window_exceeded', 'context-limit'],
      ['stop_sequence', 'stop-sequence'],
      ['guardrail_intervened', 'content-filter'],
      ['content_filtered', 'content-filter'],
      ['refusal', 'refusal'],
      ['pause_turn', 'pause'],
    ]),
    // What the model made cannot be read, also not as far as it came.
    faults: new Map([
      ['malformed_model_output', 'malformed-reply'],
      ['malformed_tool_use', 'malformed-reply'],
    ]),
  },
  usage: {
    input: told(['inputTokens']),
    output: told(['outputTokens']),
    cache_read: told(['cacheReadInputTokens', 'cacheReadInputTokenCount']),
    cache_write: told(['cacheWriteInputTokens', 'cacheWriteInputTokenCount'], 'less those of an hour'),
    cache_write_1h: usage(mapped('`cacheDetails` of `1h`')),
    reasoning: UNTOLD,
    image_output: UNTOLD,
    web_searches: UNTOLD,
    web_fetches: UNTOLD,
    calls: UNTOLD,
    service_tier: usage(mapped('`serviceTier.type` of the reply')),
    speed: UNTOLD,
    inference_geo: UNTOLD,
  },
};
