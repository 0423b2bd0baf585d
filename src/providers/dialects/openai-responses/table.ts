import { fitEffort } from '../../model-rules/fit-effort.js';
import { VERBOSITY_WORDS } from '../openai-fields.js';
import { tableOf } from '../base-table.js';
import {
  ABSENT,
  ACCEPTS_FILES,
  GENERATES_IMAGES,
  field,
  mapped,
  NAMES_ALLOWED_TOOLS,
  NOT_SUPPORTED,
  ONLY_ALLOWED,
  HAS_REGION_PRICE,
  refused,
  reported,
  SELLS_TIERS,
  sent,
  taken,
  TAKES_REASONING,
  usage,
  where,
} from '../rules.js';

/** Replies then contain the log probability of each piece of text. */
const LOGPROBS = 'message.output_text.logprobs';

/** OpenAI's responses format, stateless (docs/use/translation/openai-responses.md). */
export const TABLE = tableOf({
  fit: fitEffort,
  unsentThinkingField: () => 'budget',
  fields: {
    system: field(mapped('first item, ◆ `system_role`')),
    max_tokens: field(mapped('`max_output_tokens`, at least 16')),
    parallel_tool_calls: field(mapped('`parallel_tool_calls`; dropped without tools')),
    top_logprobs: sent('top_logprobs', ({ sampling }) => sampling.topLogprobs, taken('top_logprobs')),
    logprobs: sent(LOGPROBS, ({ sampling }) => sampling.logprobs || undefined, taken('logprobs'), {
      within: 'include',
    }),
    verbosity: sent('verbosity', ({ verbosity }) => verbosity && VERBOSITY_WORDS[verbosity], taken('verbosity'), {
      within: 'text',
      note: '`high` at most',
    }),
    reasoning: field(where(TAKES_REASONING, mapped('`reasoning.effort`, by its budget'))),
    reasoning_effort: field(where(TAKES_REASONING, mapped('`reasoning.effort`'))),
    reasoning_summary: field(where(TAKES_REASONING, mapped('`reasoning.summary`'))),
    structured_outputs: field(mapped('`text.format`')),
    response_format: field(mapped('`text.format`')),
    modalities: field(where(GENERATES_IMAGES, mapped('the tool `image_generation`, forced if no text is requested'))),
    image_config: field(where(GENERATES_IMAGES, mapped('fields of that tool; what it does not have is dropped'))),
    prompt_cache_key: field(mapped('`prompt_cache_key`')),
    user: field(mapped('`user`')),
    service_tier: field(where(SELLS_TIERS, mapped('`service_tier`'))),
    inference_geo: field(where(HAS_REGION_PRICE, mapped("the endpoint's region"))),
    top_k: NOT_SUPPORTED,
    stop: NOT_SUPPORTED,
  },
  blocks: {
    own_item: mapped('unchanged'),
    text: mapped('`input_text`, `output_text`'),
    phase: mapped('`phase` of the message'),
    image_bytes: mapped('`input_image`, a data URL'),
    image_url: mapped('`input_image`'),
    document_bytes: where(ACCEPTS_FILES, mapped('`input_file`'), refused('a document', '.source')),
    document_url: where(
      ACCEPTS_FILES,
      mapped('`input_file`: the vendor fetches it'),
      refused('a document by address', '.source'),
    ),
    tool_use: mapped('`function_call`, arguments as text'),
    tool_result: mapped('`function_call_output`'),
    tool_result_image: mapped('in the result'),
    tool_result_document: where(ACCEPTS_FILES, mapped('in the result'), refused('a document', '.source')),
    thinking_own: mapped('`reasoning`, with its `encrypted_content`'),
    sealed_own: mapped('`reasoning`; if its maker is unknown: ◆ `returns_reasoning_details`'),
  },
  tools: {
    strict: mapped('`strict`, always stated'),
    own: mapped('unchanged, except those that read the account'),
    choice_any: mapped('`required`'),
    choice_tool: mapped('the function, or the type of a tool of this format'),
    choice_allowed: where(NAMES_ALLOWED_TOOLS, mapped('`allowed_tools`'), ONLY_ALLOWED),
  },
  replies: {
    text: mapped('a text for each part'),
    refusal: mapped('`refusal`: a text of its own'),
    thinking: mapped('`summary`, `content`'),
    signature: ABSENT,
    sealed: mapped('`encrypted_content`'),
    tool_call: mapped('`function_call`'),
    citations: mapped('`url_citation`; those of stored files dropped'),
    vendor_blocks: mapped("blocks of the vendor's own"),
    media: mapped('`image_generation_call`'),
  },
  stops: {
    // The keys are values of `status` and `incomplete_details.reason`.
    unified: new Map([
      ['completed', 'end-turn'],
      ['max_output_tokens', 'output-limit'],
      ['max_tokens', 'output-limit'],
      ['length', 'output-limit'],
      ['content_filter', 'content-filter'],
    ]),
    faults: new Map(),
  },
  usage: {
    input: reported(['input_tokens'], 'less what was cached and written'),
    output: reported(['output_tokens']),
    cache_read: reported([
      'input_tokens_details.cached_tokens',
      'input_tokens_details.cache_read_input_tokens',
      'cache_read_input_tokens',
    ]),
    // OpenAI's name first; then those of chat completions, which gateways in front of other vendors use.
    cache_write: reported(
      [
        'input_tokens_details.cache_write_tokens',
        'input_tokens_details.cache_creation_tokens',
        'input_tokens_details.cache_creation_input_tokens',
        'cache_write_tokens',
        'cache_creation_input_tokens',
      ],
      'less those of an hour',
    ),
    cache_write_1h: reported([
      'input_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens',
      'input_tokens_details.cache_creation.ephemeral_1h_input_tokens',
      'cache_creation.ephemeral_1h_input_tokens',
    ]),
    reasoning: reported(['output_tokens_details.reasoning_tokens']),
    image_output: usage(mapped('`image_gen` of `tool_usage`, which is added to input and output')),
    // OpenRouter's count, and xAI's by the unit that it charges for.
    web_searches: reported(
      ['server_tool_use_details.web_search_requests', 'server_side_tool_usage_details.web_search_calls'],
      'else `web_search_call` items',
    ),
    service_tier: usage(mapped('`service_tier` of the reply')),
  },
});
