import {
  described,
  flag,
  freeForm,
  integer,
  number,
  object,
  optional,
  rows,
  text,
  titled,
  type Static,
} from '../../../shared/http/schema.js';

const ranked = object({
  index: described('The place of the document in the request.', integer({ min: 0 })),
  relevance_score: number(),
  document: described('As it was sent.', object({ text: optional(text()), image: optional(text()) })),
});

/** The reply of `POST /rerank` (docs/use/embeddings.md#rerank). */
export const rerankReply = titled(
  'rerank',
  object({
    id: described('The id of the generation.', text()),
    model: text(),
    provider: text(),
    results: described('The best first.', rows(ranked)),
    usage: object({
      total_tokens: integer({ min: 0 }),
      search_units: optional(integer({ min: 0 })),
      cost: optional(number({ min: 0 })),
      cost_details: optional(freeForm()),
      is_byok: flag(),
    }),
    router_metadata: optional(freeForm()),
    openrouter_metadata: optional(freeForm()),
  }),
);
export type RerankBody = Static<typeof rerankReply>;
