import { Type, type TProperties } from '@sinclair/typebox';
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
  unknown,
  variant,
  when,
  type Static,
} from '../../../shared/http/schema.js';

/*
 * The responses of `POST /messages` (docs/use/messages.md#reply, docs/use/streaming.md#events-of-messages). Vendors add
 * keys of their own to every part of them.
 */

const call = { id: text(), name: text(), input: freeForm() };

/** An object of a type that is not known here, with any keys of its vendor. */
const vendorsOwn = Type.Object({ type: text() }, { additionalProperties: true });

/** Objects of known types, and any others that a vendor sends. */
const orVendorsOwn = (name: string, cases: Readonly<Record<string, TProperties>>, words: string) =>
  titled(
    name,
    when(
      object({ type: oneOf(Object.keys(cases)) }),
      titled(`known-${name}`, variant('type', cases)),
      described(words, vendorsOwn),
    ),
  );

const knownBlocks = {
  text: { text: text(), citations: list(freeForm()), phase: optional(text()) },
  thinking: { thinking: text(), signature: text() },
  redacted_thinking: { data: text() },
  image: {
    source: described(
      'What the model drew.',
      variant('type', { base64: { media_type: text(), data: text() }, url: { url: text() } }),
    ),
  },
  tool_use: call,
  server_tool_use: call,
};

const block = orVendorsOwn('reply-block', knownBlocks, 'A block of a vendor’s own, as it came.');

const cacheCreation = object({ ephemeral_5m_input_tokens: integer(), ephemeral_1h_input_tokens: integer() });

const usage = titled(
  'message-usage',
  object({
    input_tokens: integer(),
    output_tokens: integer(),
    cache_creation: nullable(cacheCreation),
    cache_creation_input_tokens: nullable(integer()),
    cache_read_input_tokens: nullable(integer()),
    inference_geo: nullable(text()),
    server_tool_use: nullable(object({ web_search_requests: integer(), web_fetch_requests: integer() })),
    service_tier: nullable(text()),
    output_tokens_details: nullable(object({ thinking_tokens: integer() })),
    cost: described('What was charged, in USD; null while it is not known.', nullable(number())),
    cost_details: nullable(costDetails),
    is_byok: flag(),
    iterations: list(freeForm()),
    speed: text(),
  }),
);

const ending = {
  stop_reason: described('Null at the start of a stream only.', nullable(text())),
  stop_sequence: nullable(text()),
  stop_details: unknown(),
  container: unknown(),
};

const annotations = optional(
  described(
    'Files that were turned into words: handed back with the message, they are not read again.',
    parts(variant('type', { file: fileAnnotation })),
  ),
);

/** The whole reply. */
export const messageReply = titled(
  'message',
  object({
    id: described('Of the generation: `GET /generation` returns its record.', text()),
    type: literal('message'),
    role: literal('assistant'),
    model: described('Which model answered.', text()),
    content: parts(block),
    ...ending,
    usage: part(usage),
    context_management: unknown(),
    provider: described('Who answered.', text()),
    annotations,
    ...routed,
  }),
);
export type MessageReply = Omit<Static<typeof messageReply>, keyof typeof routed>;

const knownDeltas = {
  text_delta: { text: text() },
  thinking_delta: { thinking: text() },
  signature_delta: { signature: text() },
  input_json_delta: { partial_json: text() },
  citations_delta: { citation: freeForm() },
};

const delta = orVendorsOwn('block-delta', knownDeltas, 'A delta of a vendor’s own, as it came.');

/** The data of one event of the stream. */
export const messageEvent = titled(
  'message-event',
  described(
    'The data of one event, whose name is its `type`. Behind the last one comes `[DONE]`; comments keep silent streams open.',
    variant('type', {
      message_start: { message: messageReply },
      content_block_start: { index: integer(), content_block: block },
      content_block_delta: { index: integer(), delta },
      content_block_stop: { index: integer() },
      message_delta: { delta: object(ending), usage, context_management: optional(unknown()), annotations },
      message_stop: routed,
      ping: {},
      error: {
        error: object({ type: text(), code: integer(), message: text(), error_type: text() }),
        request_id: nullable(text()),
        ...routed,
      },
    }),
  ),
);
