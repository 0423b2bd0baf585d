import type { Target } from '../../../core/provider.js';
import type { Condition } from '../../../core/translation.js';
import { fitEffort } from '../../model-rules/fit-effort.js';
import { leftByClaude } from '../../model-rules/claude-request.js';
import { withTemperatureUpTo } from '../../model-rules/fit-sampling.js';
import { fitToModel } from '../../model-rules/fit-to-model.js';
import { tableOf } from '../base-table.js';
import {
  ABSENT,
  ACCEPTS_FILES,
  both,
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
  TAKES_FORCED_CHOICE,
  TAKES_REASONING,
  usage,
  where,
} from '../rules.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import { takesSchemasAtBedrock } from '../../model-rules/strict-tools.js';
import { familyOf, type Family } from './families.js';

const has = (words: string, test: (family: Family) => boolean): Condition<Target> => ({
  words,
  holds: (target) => test(familyOf(target)),
});
const CLAUDE = has('Claude', ({ takesOwnToolChoice }) => takesOwnToolChoice === true);
const KNOWS_TOP_K = has('Claude, Nova, Cohere, Mistral', ({ topK }) => topK !== undefined);
const REASONS = has('Claude, Nova 2, gpt-oss', ({ reasoning }) => reasoning !== undefined);
const TAKES_SCHEMAS: Condition<Target> = {
  words: 'models that enforce schemas',
  holds: takesSchemasAtBedrock,
};
const CACHES: Condition<Target> = {
  words: 'Claude, Nova, unknown authors, ◆ `accepts_cache_markers`',
  holds: (target) => target.definition.quirks.acceptsCacheMarkers ?? familyOf(target).caching !== undefined,
};
const CACHES_TOOLS: Condition<Target> = {
  words: 'Claude, unknown authors',
  holds: (target) => CACHES.holds(target) && familyOf(target).caching?.tools !== false,
};
const CACHES_RESULTS: Condition<Target> = {
  words: 'Claude, unknown authors',
  holds: (target) => CACHES.holds(target) && familyOf(target).caching?.results !== false,
};
const TAKES_RESULT_IMAGES = has('Claude, Nova', ({ takesResultImages }) => takesResultImages === true);
const READS_RESULTS = has('Claude', ({ takesSearchResults }) => takesSearchResults === true);

const CONFIG = { within: 'inferenceConfig' };
/** Maximum of any model: InferenceConfiguration in the API reference of Amazon Bedrock's runtime, read 2026-11-29. */
const TEMPERATURE_MAX = 1;

const NO_SIGNER = dropped('a signature holds at its signer');
const IN_RESULT_BUT_ERRORS = mapped('in the result; of failed calls to Claude after all results');

/** Bedrock's Converse (docs/use/translation/bedrock-converse.md). */
export const TABLE = tableOf({
  fit: (request, target) =>
    modelFamilyOf(target) === 'gpt-oss'
      ? fitEffort(withTemperatureUpTo(TEMPERATURE_MAX, request), target)
      : fitToModel(withTemperatureUpTo(TEMPERATURE_MAX, request), target),
  unsentThinkingField: (target) => (modelFamilyOf(target) === 'claude' ? leftByClaude(target) : 'budget'),
  fields: {
    model: field(mapped('in the URL')),
    system: field(mapped('`system`')),
    stream: field(mapped('in the URL')),
    max_tokens: sent('maxTokens', ({ maxOutputTokens }) => maxOutputTokens, undefined, CONFIG),
    temperature: sent('temperature', ({ sampling }) => sampling.temperature, taken('temperature'), CONFIG),
    top_p: sent('topP', ({ sampling }) => sampling.topP, taken('top_p'), CONFIG),
    stop: sent('stopSequences', readStopSequences, taken('stop'), CONFIG),
    top_k: field(where(both(KNOWS_TOP_K, taken('top_k')), mapped("in the model's own form"))),
    tools: field(mapped('`toolConfig.tools`')),
    tool_choice: field(mapped('`toolConfig.toolChoice`')),
    parallel_tool_calls: field(where(CLAUDE, mapped('`tool_choice`, if the choice is free'))),
    reasoning: field(where(both(REASONS, TAKES_REASONING), mapped("in the model's own form"))),
    reasoning_effort: field(where(both(REASONS, TAKES_REASONING), mapped("in the model's own form"))),
    reasoning_summary: field(
      where(both(CLAUDE, TAKES_REASONING), mapped('`thinking.display: summarized`, if thinking is requested')),
    ),
    structured_outputs: field(
      where(
        TAKES_SCHEMAS,
        mapped('`outputConfig.textFormat`, or [instructions](../translation.md#schemas-of-answers)'),
      ),
    ),
    cache_control: field(where(CACHES, mapped('a `cachePoint` after the last part, unless the caller set four'))),
    service_tier: field(mapped('`serviceTier`; `fast`: `performanceConfig`')),
    response_format: field(dropped('not supported without a schema; ask for JSON in the prompt')),
    logprobs: NOT_SUPPORTED,
  },
  blocks: {
    text: mapped('`text`'),
    image_bytes: mapped('`image`: PNG, JPEG, GIF, WebP; others 400'),
    image_url: mapped('fetched, then as bytes'),
    image_detail: dropped(),
    document_bytes: mapped('`document`: PDF, Word, Excel, texts; others 400'),
    document_text_bytes: mapped('`document`'),
    document_url: mapped('fetched, then as bytes'),
    document_text: where(ACCEPTS_FILES, mapped('`document`'), mapped('text, with title')),
    document_blocks: mapped('its blocks, with title; texts to be cited: `document`'),
    document_citations: where(ACCEPTS_FILES, mapped('`citations`')),
    search_result: where(READS_RESULTS, mapped('`searchResult`'), mapped('text')),
    video_bytes: mapped('`video`'),
    video_url: refused('a video by address', '.source.url'),
    tool_use: mapped('`toolUse`, arguments an object'),
    tool_result: mapped('`toolResult`'),
    tool_result_error: mapped('`status`; as text if the model has none'),
    tool_result_image: where(
      TAKES_RESULT_IMAGES,
      IN_RESULT_BUT_ERRORS,
      mapped('after all results; the result names the image'),
    ),
    tool_result_document: IN_RESULT_BUT_ERRORS,
    thinking_own: mapped('`reasoningContent`'),
    thinking_anthropic: where(CLAUDE, mapped('`reasoningContent`'), NO_SIGNER),
    sealed_own: mapped('`reasoningContent`'),
    sealed_anthropic: where(CLAUDE, mapped('`reasoningContent`'), NO_SIGNER),
    cache_control: where(CACHES, mapped('a `cachePoint` after it')),
    tool_result_cache_control: where(CACHES_RESULTS, mapped('a `cachePoint` after it')),
  },
  tools: {
    function: mapped('`toolSpec`'),
    strict: where(TAKES_SCHEMAS, mapped('`strict`, of Claude within its limits')),
    cache_control: where(CACHES_TOOLS, mapped('a `cachePoint` after it')),
    own: refused("the vendor's tool"),
    choice_any: where(TAKES_FORCED_CHOICE, mapped('`any`')),
    choice_none: mapped('the same to Claude; for other models the tools are left out, unless the history has calls'),
    choice_tool: where(TAKES_FORCED_CHOICE, mapped('`tool`')),
  },
  replies: {
    text: mapped('`text`'),
    thinking: mapped('`reasoningText`'),
    signature: mapped('its signature'),
    sealed: mapped('`redactedContent`'),
    tool_call: mapped('`toolUse`'),
    citations: mapped('`citation`, `citationsContent`'),
    logprobs: ABSENT,
    vendor_blocks: dropped('not requested'),
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
    // The model's output cannot be read, not even in part.
    faults: new Map([
      ['malformed_model_output', 'malformed-reply'],
      ['malformed_tool_use', 'malformed-reply'],
    ]),
  },
  usage: {
    input: reported(['inputTokens']),
    output: reported(['outputTokens']),
    cache_read: reported(['cacheReadInputTokens', 'cacheReadInputTokenCount']),
    cache_write: reported(['cacheWriteInputTokens', 'cacheWriteInputTokenCount'], 'less those of an hour'),
    cache_write_1h: usage(mapped('`cacheDetails` of `1h`')),
    reasoning: NOT_REPORTED,
    web_searches: NOT_REPORTED,
    service_tier: usage(mapped('`serviceTier.type` of the reply')),
  },
});
