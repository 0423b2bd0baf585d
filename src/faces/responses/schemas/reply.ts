import { Type } from '@sinclair/typebox';
import { fileAnnotation, part, parts, routed } from '../../common/schemas/reply-parts.js';
import {
  anything,
  described,
  flag,
  freeForm,
  integer,
  list,
  literal,
  map,
  nullable,
  number,
  object,
  oneOf,
  objectAndOthers,
  openObject,
  optional,
  text,
  titled,
  variant,
  type Static,
} from '../../../shared/http/schema.js';

/* The responses of `POST /responses` (docs/use/responses.md#reply). */

const usage = titled(
  'response-usage',
  object({
    input_tokens: described('Cached and written tokens are among them.', integer()),
    input_tokens_details: object({ cached_tokens: integer(), cache_write_tokens: integer() }),
    output_tokens: integer(),
    output_tokens_details: object({ reasoning_tokens: integer() }),
    total_tokens: integer(),
    cost: optional(described('What was charged, in USD; absent where it is not known.', number())),
    cost_details: optional(
      object({
        upstream_inference_cost: nullable(number()),
        upstream_inference_input_cost: number(),
        upstream_inference_output_cost: number(),
        server_tool_cost: number(),
      }),
    ),
    is_byok: flag(),
    server_tool_use_details: optional(
      object({ tool_calls_requested: integer(), tool_calls_executed: integer(), web_search_requests: integer() }),
    ),
  }),
);

const annotation = variant('type', {
  url_citation: {
    url: text(),
    title: text(),
    content: optional(text()),
    start_index: integer(),
    end_index: integer(),
  },
  // Only vendors of this format cite files that they keep.
  file_citation: { file_id: text(), filename: text(), index: integer() },
  container_file_citation: {
    container_id: text(),
    file_id: text(),
    filename: text(),
    start_index: integer(),
    end_index: integer(),
  },
  file_path: { file_id: text(), index: integer() },
});

const messagePart = variant('type', {
  output_text: { text: text(), annotations: list(annotation), logprobs: list(freeForm()) },
  refusal: { refusal: text() },
});

const status = oneOf(['in_progress', 'completed', 'incomplete']);
const call = { id: text(), call_id: text(), status };
const named = { name: text(), namespace: optional(text()) };

const item = titled(
  'response-item',
  described(
    'One of the kinds below, an item of the vendor’s own as it came, or a use of one of the gateway’s tools.',
    objectAndOthers(
      {
        type: described('Kind of the item, such as `message`, `reasoning` or `function_call`.', text()),
        id: optional(text()),
        status: optional(text()),
        role: optional(literal('assistant')),
        content: optional(anything()),
        phase: optional(text()),
        summary: optional(list(object({ type: literal('summary_text'), text: text() }))),
        encrypted_content: optional(text()),
        format: optional(text()),
        call_id: optional(text()),
        name: optional(text()),
        namespace: optional(text()),
        arguments: optional(text()),
        input: optional(text()),
        action: optional(freeForm()),
        operation: optional(freeForm()),
        result: optional(nullable(text())),
      },
      anything(),
    ),
  ),
);

/** Exact forms of items, by which tests judge what is printed. */
export const KNOWN_ITEMS = variant('type', {
  message: {
    id: text(),
    role: literal('assistant'),
    status,
    content: list(messagePart),
    phase: optional(text()),
  },
  reasoning: {
    id: text(),
    status: optional(status),
    summary: list(object({ type: literal('summary_text'), text: text() })),
    content: optional(list(object({ type: literal('reasoning_text'), text: text() }))),
    encrypted_content: optional(text()),
    format: optional(text()),
  },
  function_call: { ...call, ...named, arguments: text() },
  custom_tool_call: { ...call, ...named, input: text() },
  shell_call: { ...call, action: freeForm() },
  local_shell_call: { ...call, action: freeForm() },
  apply_patch_call: { ...call, operation: freeForm() },
  web_search_call: { id: text(), status: text(), action: freeForm() },
  image_generation_call: { id: text(), status: text(), result: nullable(text()) },
});

/** The whole reply; also in the first two events of a stream and in its last. */
export const responseReply = titled(
  'response',
  object({
    id: described('Of the generation: `GET /generation` returns its record.', text()),
    object: literal('response'),
    created_at: described('Seconds of Unix time.', integer()),
    completed_at: nullable(integer()),
    status: oneOf(['in_progress', 'completed', 'incomplete', 'failed']),
    model: described('Which model answered.', text()),
    output: parts(item),
    error: nullable(object({ code: text(), message: text() })),
    error_type: optional(described('The exact kind of the failure.', text())),
    error_metadata: optional(freeForm()),
    incomplete_details: nullable(object({ reason: oneOf(['max_output_tokens', 'content_filter']) })),
    annotations: optional(list(object({ type: literal('file'), ...fileAnnotation }))),
    usage: optional(part(usage)),
    service_tier: optional(text()),
    instructions: nullable(text()),
    metadata: map(text()),
    tools: list(freeForm()),
    tool_choice: anything(),
    parallel_tool_calls: flag(),
    temperature: nullable(number()),
    top_p: nullable(number()),
    frequency_penalty: nullable(number()),
    presence_penalty: nullable(number()),
    max_output_tokens: nullable(integer()),
    max_tool_calls: nullable(integer()),
    previous_response_id: Type.Null(),
    reasoning: object({ effort: nullable(text()), summary: nullable(text()) }),
    text: freeForm(),
    truncation: text(),
    store: flag(),
    background: flag(),
    top_logprobs: optional(integer()),
    user: optional(text()),
    safety_identifier: optional(text()),
    prompt_cache_key: optional(text()),
    ...routed,
  }),
);
export type ResponseBody = Omit<Static<typeof responseReply>, keyof typeof routed>;

/** The data of one event of the stream. */
export const responseEvent = titled(
  'response-event',
  described(
    'The data of one event. Behind the last one comes `[DONE]`; comments keep silent streams open.',
    openObject({
      type: described('`response.created`, `response.output_text.delta`, …, also the name of the event.', text()),
      sequence_number: described('From 0, without gaps.', integer()),
      response: optional(responseReply),
      item: optional(item),
      item_id: optional(text()),
      output_index: optional(integer()),
      content_index: optional(integer()),
      summary_index: optional(integer()),
      part: optional(freeForm()),
      delta: optional(text()),
      text: optional(text()),
      logprobs: optional(list(freeForm())),
      annotation: optional(annotation),
      annotation_index: optional(integer()),
      arguments: optional(text()),
      name: optional(text()),
      input: optional(text()),
      refusal: optional(text()),
      debug: optional(object({ echo_upstream_body: freeForm() })),
    }),
  ),
);
