import type { Target } from '../../../core/provider.js';
import type { Condition } from '../../../core/translation.js';
import { tableOf } from '../base-table.js';
import {
  atMostStopSequences,
  both,
  GENERATES_IMAGES,
  dropped,
  field,
  mapped,
  NOT_SUPPORTED,
  NOT_REPORTED,
  readStopSequences,
  reported,
  SELLS_TIERS,
  sent,
  taken,
  usage,
  where,
} from '../rules.js';
import { generationOf } from './generation.js';

/** Source: ai.google.dev/api/generate-content, GenerationConfig. */
const STOP_SEQUENCES_MAX = 5;

const THINKS: Condition<Target> = {
  words: 'from 2.5 on',
  holds: (target) => generationOf(target).thinking !== 'none',
};

const THINKING = field(
  where(
    both(THINKS, taken('reasoning', 'reasoning_effort', 'include_reasoning')),
    mapped('`generationConfig.thinkingConfig`'),
  ),
);
const CONFIG = { within: 'generationConfig' };
const BY_ADDRESS = mapped('fetched, then as bytes; YouTube `fileData`');
const IN_RESULT = mapped('Gemini 3 and later: inside the result; earlier: after the results');

/** Google's `generateContent` (docs/use/translation/google-gemini.md). */
export const TABLE = tableOf({
  unsentThinkingField: (target) => (generationOf(target).thinking === 'level' ? 'budget' : 'effort'),
  fields: {
    model: field(mapped('in the URL')),
    system: field(mapped('`systemInstruction`')),
    stream: field(mapped('in the URL')),
    max_tokens: sent('maxOutputTokens', ({ maxOutputTokens }) => maxOutputTokens, undefined, CONFIG),
    temperature: sent('temperature', ({ sampling }) => sampling.temperature, taken('temperature'), CONFIG),
    top_p: sent('topP', ({ sampling }) => sampling.topP, taken('top_p'), CONFIG),
    // Below one it limits nothing at other vendors.
    top_k: sent('topK', ({ sampling: { topK = 0 } }) => (topK < 1 ? undefined : topK), taken('top_k'), CONFIG),
    stop: sent('stopSequences', readStopSequences, taken('stop'), {
      ...CONFIG,
      ...atMostStopSequences(STOP_SEQUENCES_MAX, 'the Gemini format'),
    }),
    seed: sent('seed', ({ sampling }) => sampling.seed, taken('seed'), CONFIG),
    presence_penalty: sent(
      'presencePenalty',
      ({ sampling }) => sampling.presencePenalty,
      taken('presence_penalty'),
      CONFIG,
    ),
    frequency_penalty: sent(
      'frequencyPenalty',
      ({ sampling }) => sampling.frequencyPenalty,
      taken('frequency_penalty'),
      CONFIG,
    ),
    logprobs: sent('responseLogprobs', ({ sampling }) => sampling.logprobs, taken('logprobs'), CONFIG),
    top_logprobs: sent('logprobs', ({ sampling }) => sampling.topLogprobs, taken('top_logprobs'), CONFIG),
    tools: field(mapped('`functionDeclarations`')),
    tool_choice: field(mapped('`functionCallingConfig`; dropped without tools')),
    reasoning: THINKING,
    reasoning_effort: THINKING,
    structured_outputs: field(mapped('`responseJsonSchema`, reduced')),
    response_format: field(mapped('`responseMimeType`')),
    modalities: field(
      where(GENERATES_IMAGES, mapped('`generationConfig.responseModalities`, else all that the model gives')),
    ),
    image_config: field(
      where(GENERATES_IMAGES, mapped('`generationConfig.imageConfig`: `aspect_ratio`, `image_size`; the rest dropped')),
    ),
    service_tier: field(where(SELLS_TIERS, mapped('`serviceTier`'))),
    reasoning_summary: NOT_SUPPORTED,
    parallel_tool_calls: NOT_SUPPORTED,
  },
  blocks: {
    text: mapped('`text`'),
    image_bytes: mapped('`inlineData`'),
    image_url: BY_ADDRESS,
    image_detail: dropped(),
    drawn_image: mapped('`inlineData`, if the model reads images; else replaced by `[Image]`'),
    document_bytes: mapped('`inlineData`, with title'),
    document_url: BY_ADDRESS,
    audio: mapped('`inlineData`'),
    video_bytes: mapped('`inlineData`'),
    video_url: mapped('YouTube `fileData`; any other: 400'),
    tool_use: mapped('`functionCall`, arguments an object'),
    tool_result: mapped('`functionResponse`; of no call: 400'),
    tool_result_error: mapped('`error` instead of `output`'),
    tool_result_image: IN_RESULT,
    tool_result_document: IN_RESULT,
    thinking_own: mapped('a part marked `thought`'),
    sealed_own: mapped('`thoughtSignature` of its part'),
  },
  tools: {
    function: mapped('`functionDeclarations`, the schema reduced'),
    strict: dropped(),
    own: mapped('unchanged'),
    choice_auto: mapped('`AUTO`'),
    choice_any: mapped('`ANY`'),
    choice_none: mapped('`NONE`'),
    choice_tool: mapped('`ANY`, `allowedFunctionNames`'),
  },
  replies: {
    text: mapped('`text`'),
    thinking: mapped('parts with `thought`'),
    signature: mapped('`thoughtSignature` of a thought'),
    sealed: mapped('`thoughtSignature` of anything else'),
    tool_call: mapped('`functionCall`'),
    argument_pieces: mapped('`partialArgs`, put together first'),
    citations: mapped('`groundingMetadata`, `citationMetadata`, `urlContextMetadata`'),
    logprobs: mapped('`logprobsResult`, where requested'),
    vendor_blocks: mapped('sealed reasoning, which goes back unchanged'),
    media: mapped('`inlineData` that is an image; drafts among the thoughts, sounds: dropped'),
  },
  stops: {
    // ai.google.dev/api/generate-content, FinishReason.
    unified: new Map([
      ['STOP', 'end-turn'],
      ['MAX_TOKENS', 'output-limit'],
      ['SAFETY', 'content-filter'],
      ['RECITATION', 'content-filter'],
      ['LANGUAGE', 'content-filter'],
      ['BLOCKLIST', 'content-filter'],
      ['PROHIBITED_CONTENT', 'content-filter'],
      ['SPII', 'content-filter'],
      ['MODEL_ARMOR', 'content-filter'],
      ['IMAGE_SAFETY', 'content-filter'],
      ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
      ['IMAGE_RECITATION', 'content-filter'],
      // The calls are emitted, even of undeclared tools: the caller can correct the model.
      ['UNEXPECTED_TOOL_CALL', 'other'],
      ['TOO_MANY_TOOL_CALLS', 'other'],
      ['NO_IMAGE', 'other'],
      ['IMAGE_OTHER', 'other'],
      ['OTHER', 'other'],
    ]),
    // The model's output could not be read, and another attempt may succeed.
    faults: new Map([
      ['MALFORMED_FUNCTION_CALL', 'malformed-reply'],
      ['MALFORMED_RESPONSE', 'malformed-reply'],
      ['MISSING_THOUGHT_SIGNATURE', 'rejected-request'],
    ]),
  },
  usage: {
    input: reported(['promptTokenCount'], 'less what was cached, and `toolUsePromptTokenCount`'),
    output: reported(['candidatesTokenCount'], 'and `thoughtsTokenCount`'),
    cache_read: reported(['cachedContentTokenCount']),
    cache_write: NOT_REPORTED,
    cache_write_1h: NOT_REPORTED,
    reasoning: reported(['thoughtsTokenCount']),
    image_output: usage(mapped('`candidatesTokensDetails` of `IMAGE`')),
    web_searches: usage(mapped('queries of `groundingMetadata`')),
    web_fetches: usage(mapped('pages of `urlContextMetadata`')),
    service_tier: usage(mapped('`serviceTier`, else `trafficType`')),
  },
});
