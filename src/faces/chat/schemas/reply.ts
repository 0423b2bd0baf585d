import { Type } from '@sinclair/typebox';
import { costDetails, fileAnnotation, part, parts, routed } from '../../common/schemas/reply-parts.js';
import {
  flag,
  freeForm,
  integer,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  titled,
  described,
  variant,
  type Static,
} from '../../../shared/http/schema.js';

/* The responses of `POST /chat/completions` (docs/use/chat.md#reply). */

const usage = titled(
  'chat-usage',
  object({
    prompt_tokens: integer(),
    completion_tokens: integer(),
    total_tokens: integer(),
    cost: optional(described('What was charged, in USD; absent where it is not known.', number())),
    cost_details: optional(costDetails),
    is_byok: flag(),
    prompt_tokens_details: object({
      cached_tokens: integer(),
      cache_write_tokens: integer(),
      audio_tokens: integer(),
      video_tokens: integer(),
    }),
    completion_tokens_details: object({
      reasoning_tokens: integer(),
      audio_tokens: integer(),
      accepted_prediction_tokens: integer(),
      rejected_prediction_tokens: integer(),
    }),
    server_tool_use_details: optional(
      object({ tool_calls_requested: integer(), tool_calls_executed: integer(), web_search_requests: integer() }),
    ),
  }),
);

const reasoningDetail = object({
  type: text(),
  text: optional(text()),
  data: optional(text()),
  signature: optional(text()),
  summary: optional(text()),
  format: optional(text()),
  id: optional(text()),
  provider: optional(described('Slug of the provider that alone can read it again.', text())),
  index: integer(),
});

const annotation = variant('type', {
  url_citation: {
    url_citation: object({
      url: text(),
      title: text(),
      content: optional(text()),
      start_index: integer(),
      end_index: integer(),
    }),
  },
  file: fileAnnotation,
});

const toolCall = object({
  id: text(),
  type: literal('function'),
  index: integer(),
  function: object({ name: text(), arguments: text() }),
});

const image = object({
  type: literal('image_url'),
  index: integer(),
  image_url: object({ url: described('A data URL, or the address that the provider gives.', text()) }),
});

const message = titled(
  'chat-message',
  object({
    role: literal('assistant'),
    content: nullable(text()),
    refusal: nullable(text()),
    reasoning: nullable(text()),
    reasoning_details: optional(list(reasoningDetail)),
    tool_calls: optional(list(toolCall)),
    images: optional(list(image)),
    annotations: optional(list(annotation)),
    phase: optional(
      described('The phase of the model’s work that the text belongs to, where its vendor requires it back.', text()),
    ),
  }),
);

const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;

const choice = object({
  index: integer(),
  logprobs: nullable(freeForm()),
  finish_reason: oneOf(FINISH_REASONS),
  native_finish_reason: described('The provider’s own word for it.', nullable(text())),
  message,
});

const head = {
  id: described('Of the generation: `GET /generation` returns its record.', text()),
  created: described('Seconds of Unix time.', integer()),
  model: described('Which model answered.', text()),
  provider: described('Who answered.', text()),
};

/** The whole reply. */
export const chatReply = titled(
  'chat-completion',
  object({
    ...head,
    object: literal('chat.completion'),
    system_fingerprint: Type.Null(),
    choices: parts(choice),
    usage: part(usage),
    service_tier: optional(text()),
    ...routed,
  }),
);
export type ChatReplyBody = Omit<Static<typeof chatReply>, keyof typeof routed>;

const chunkChoice = object({
  index: integer(),
  delta: freeForm(),
  logprobs: optional(nullable(freeForm())),
  finish_reason: nullable(oneOf([...FINISH_REASONS, 'error'])),
  native_finish_reason: optional(nullable(text())),
});

/** The data of one event of the stream. */
export const chatChunk = titled(
  'chat-completion-chunk',
  described(
    'The data of one event. Behind the last one comes `[DONE]`; comments keep silent streams open.',
    object({
      ...head,
      object: literal('chat.completion.chunk'),
      choices: list(chunkChoice),
      usage: optional(usage),
      service_tier: optional(text()),
      error: optional(freeForm()),
      debug: optional(
        described(
          'In the first event, where the body’s `debug` requests it.',
          object({ echo_upstream_body: freeForm() }),
        ),
      ),
      ...routed,
    }),
  ),
);
