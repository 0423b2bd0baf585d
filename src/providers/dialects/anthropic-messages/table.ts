import type { Target } from '../../../core/provider.js';
import type { Condition } from '../../../core/translation.js';
import { leftByClaude } from '../../model-rules/claude-request.js';
import { fitToModel } from '../../model-rules/fit-to-model.js';
import { takesAnswerSchemas, takesStrictTools } from '../../model-rules/strict-tools.js';
import { tableOf } from '../base-table.js';
import {
  ABSENT,
  dropped,
  field,
  mapped,
  NOT_SUPPORTED,
  reported,
  sent,
  STORED_FILE,
  taken,
  TAKES_FORCED_CHOICE,
  TAKES_REASONING,
  usage,
  where,
} from '../rules.js';

const AS_IT_CAME = mapped('unchanged');
const OF_NO_ERROR = mapped('unchanged; of failed calls after all results');

/** Other vendors' platforms have no store of this vendor's files (docs/operate/platforms.md). */
const KEEPS_FILES: Condition<Target> = {
  words: 'except at Bedrock and Vertex',
  holds: ({ endpoint: { provider } }) => provider.platform !== 'bedrock' && provider.platform !== 'vertex',
};

const TAKES_STRICT_TOOLS: Condition<Target> = {
  words: 'except at Bedrock for models that refuse it',
  holds: takesStrictTools,
};
const TAKES_ANSWER_SCHEMAS: Condition<Target> = {
  words: 'except for models that refuse it',
  holds: takesAnswerSchemas,
};

const NO_FLEX: Condition<Target> = { words: 'any tier but `flex`', holds: ({ tier }) => tier !== 'flex' };

/** Anthropic's Messages format, which this gateway's Messages face uses too (docs/use/translation.md). */
export const TABLE = tableOf({
  fit: fitToModel,
  unsentThinkingField: leftByClaude,
  fields: {
    max_tokens: field(
      mapped('`max_tokens`; if absent, the maximum of endpoint or model, or above the thinking budget'),
    ),
    top_k: sent('top_k', ({ sampling }) => sampling.topK, taken('top_k')),
    stop: sent('stop_sequences', ({ stopSequences }) => stopSequences, taken('stop'), {
      note: 'except blank ones',
    }),
    reasoning: field(where(TAKES_REASONING, mapped('`thinking`, in a form that the model has'))),
    reasoning_effort: field(
      where(TAKES_REASONING, mapped('`output_config.effort`, or `thinking` if the model has no effort')),
    ),
    reasoning_summary: field(
      where(TAKES_REASONING, mapped('`thinking.display: summarized`, if thinking is requested')),
    ),
    verbosity: field(where(taken('verbosity'), mapped('`output_config.effort`, if no effort is requested'))),
    structured_outputs: field(
      where(
        TAKES_ANSWER_SCHEMAS,
        mapped('`output_config.format`, or [instructions](../translation.md#schemas-of-answers)'),
      ),
    ),
    response_format: field(dropped('not supported without a schema; ask for JSON in the prompt')),
    task_budget: field(mapped('`output_config.task_budget`')),
    context_management: field(AS_IT_CAME),
    cache_control: field(mapped('on the last cacheable block, unless the caller set four')),
    user: field(mapped('`metadata.user_id`, if the caller set none')),
    metadata: field(AS_IT_CAME),
    service_tier: field(
      where(NO_FLEX, mapped('`speed`; `service_tier` `auto`, `standard_only`; other values dropped')),
    ),
    inference_geo: field(mapped("the endpoint's region; `global` unchanged; else dropped")),
    tool_choice: field(mapped('`tool_choice`')),
    parallel_tool_calls: field(mapped('`tool_choice.disable_parallel_tool_use`')),
    system: field(mapped('`system`')),
    betas: field(mapped('`anthropic-beta`')),
    logprobs: NOT_SUPPORTED,
  },
  blocks: {
    text: AS_IT_CAME,
    text_citations: mapped('unchanged, except pages that another provider found'),
    image_bytes: AS_IT_CAME,
    image_url: AS_IT_CAME,
    image_detail: dropped('the vendor scales by its own rule'),
    document_bytes: AS_IT_CAME,
    document_text_bytes: AS_IT_CAME,
    document_url: mapped('unchanged: the vendor fetches it'),
    document_text: AS_IT_CAME,
    document_blocks: AS_IT_CAME,
    document_file: where(KEEPS_FILES, AS_IT_CAME, STORED_FILE),
    document_citations: AS_IT_CAME,
    search_result: AS_IT_CAME,
    tool_use: mapped('unchanged, arguments an object'),
    tool_result: AS_IT_CAME,
    tool_result_error: AS_IT_CAME,
    tool_result_image: OF_NO_ERROR,
    tool_result_document: OF_NO_ERROR,
    tool_reference: AS_IT_CAME,
    thinking_own: AS_IT_CAME,
    thinking_anthropic: AS_IT_CAME,
    sealed_own: AS_IT_CAME,
    sealed_anthropic: AS_IT_CAME,
    server_tool_use: AS_IT_CAME,
    web_search_tool_result: AS_IT_CAME,
    web_fetch_tool_result: AS_IT_CAME,
    server_tool_result: AS_IT_CAME,
    compaction: AS_IT_CAME,
    other: AS_IT_CAME,
    own_item: AS_IT_CAME,
    cache_control: AS_IT_CAME,
    tool_result_cache_control: AS_IT_CAME,
  },
  tools: {
    function: AS_IT_CAME,
    strict: where(TAKES_STRICT_TOOLS, mapped('unchanged, within the limits of Claude')),
    cache_control: AS_IT_CAME,
    own: AS_IT_CAME,
    choice_any: where(TAKES_FORCED_CHOICE, mapped('`any`')),
    choice_tool: where(TAKES_FORCED_CHOICE, mapped('`tool`')),
  },
  replies: {
    text: mapped('a text'),
    thinking: mapped('reasoning'),
    signature: mapped('its signature'),
    sealed: mapped('`redacted_thinking`'),
    tool_call: mapped('a call'),
    citations: mapped('unchanged'),
    logprobs: ABSENT,
    vendor_blocks: mapped('unchanged'),
    media: mapped('`image`'),
  },
  stops: {
    unified: new Map([
      ['end_turn', 'end-turn'],
      ['max_tokens', 'output-limit'],
      ['stop_sequence', 'stop-sequence'],
      ['tool_use', 'tool-use'],
      ['pause_turn', 'pause'],
      ['refusal', 'refusal'],
      ['compaction', 'compaction'],
      ['model_context_window_exceeded', 'context-limit'],
    ]),
    faults: new Map(),
  },
  usage: {
    input: reported(['input_tokens']),
    output: reported(['output_tokens']),
    cache_read: reported(['cache_read_input_tokens']),
    cache_write: reported(['cache_creation_input_tokens'], 'less those of an hour'),
    cache_write_1h: reported(['cache_creation.ephemeral_1h_input_tokens']),
    reasoning: reported(['output_tokens_details.thinking_tokens']),
    web_searches: reported(['server_tool_use.web_search_requests']),
    web_fetches: reported(['server_tool_use.web_fetch_requests']),
    calls: usage(mapped('`iterations`')),
    service_tier: usage(mapped('`service_tier`')),
    speed: usage(mapped('`speed`')),
    inference_geo: usage(mapped('`inference_geo`')),
  },
});
