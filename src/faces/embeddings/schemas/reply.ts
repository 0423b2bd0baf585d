import {
  described,
  either,
  flag,
  integer,
  list,
  literal,
  number,
  object,
  optional,
  rows,
  text,
  titled,
  freeForm,
  type Static,
} from '../../../shared/http/schema.js';

const embedding = object({
  object: literal('embedding'),
  embedding: described(
    'Numbers, or the base64 of little-endian float32 where `encoding_format` is `base64`.',
    either(list(number()), text()),
  ),
  index: described('The place of its input.', integer({ min: 0 })),
});

/** The reply of `POST /embeddings` (docs/use/embeddings.md#reply). */
export const embeddingsReply = titled(
  'embeddings',
  object({
    object: literal('list'),
    data: rows(embedding),
    model: text(),
    id: described('The id of the generation.', text()),
    provider: text(),
    usage: object({
      prompt_tokens: integer({ min: 0 }),
      total_tokens: integer({ min: 0 }),
      cost: optional(number({ min: 0 })),
      cost_details: optional(freeForm()),
      is_byok: flag(),
    }),
    router_metadata: optional(freeForm()),
    openrouter_metadata: optional(freeForm()),
  }),
);
export type EmbeddingsBody = Static<typeof embeddingsReply>;
