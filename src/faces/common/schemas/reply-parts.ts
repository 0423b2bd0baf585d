import { Type } from '@sinclair/typebox';
import type { JsonObject } from '../../../core/json/json.js';
import {
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  titled,
  described,
  freeForm,
  type TSchema,
} from '../../../shared/http/schema.js';

/** Parts of the replies of every face. */

/** Views of parts are built key by key; tests check them against these schemas. */
export const part = (schema: TSchema) => Type.Unsafe<JsonObject>(schema);
export const parts = (schema: TSchema) => Type.Unsafe<readonly JsonObject[]>(list(schema));

/** A file that was converted to text, as `viewParsedFile` prints it. */
export const fileAnnotation = {
  file: object({
    hash: described('SHA-256 of the bytes of the file.', text()),
    name: text(),
    content: list(
      object({
        type: oneOf(['text', 'image_url']),
        text: optional(text()),
        image_url: optional(object({ url: text() })),
      }),
    ),
  }),
};

/** The object that `viewCostDetails` makes. */
export const costDetails = titled(
  'cost-details',
  object({
    upstream_inference_cost: described('Paid by the caller’s own account at the provider.', nullable(number())),
    upstream_inference_prompt_cost: number(),
    upstream_inference_completions_cost: number(),
    server_tool_cost: number(),
  }),
);

const endpoint = object({ provider: text(), model: text(), selected: flag() });

const attempt = object({
  provider: text(),
  model: text(),
  status: integer(),
  is_byok: optional(described('True through a credential of the caller’s own.', flag())),
  credential_refused: optional(described('True where the provider refused that credential.', flag())),
  dropped: optional(
    described('What of the request it was not sent: fields, betas and words with a price, by name.', list(text())),
  ),
});

/** The object that `routerMetadata` makes. */
const routerMetadata = titled(
  'router-metadata',
  described(
    'How the request was routed. Only where the header `X-Router-Metadata` or its like requests it.',
    object({
      requested: text(),
      strategy: text(),
      region: nullable(text()),
      summary: text(),
      attempt: integer(),
      is_byok: flag(),
      endpoints: object({ total: integer(), available: list(endpoint) }),
      attempts: optional(list(attempt)),
      pipeline: optional(list(freeForm())),
      generation_time: optional(integer()),
    }),
  ),
);

/** Keys of `viewRouterMetadata`. */
export const routed = { router_metadata: optional(routerMetadata), openrouter_metadata: optional(routerMetadata) };
