import {
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  text,
  titled,
  described,
  freeForm,
} from '../../shared/http/schema.js';

/*
 * What replies of every face have in common.
 */

/** As `viewCostDetails` prints it. */
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

/** As `routerMetadata` prints it. */
const routerMetadata = titled(
  'router-metadata',
  described(
    'How the request was routed. Only where the header `X-Router-Metadata` or its like asks for it.',
    object({
      requested: text(),
      strategy: text(),
      region: nullable(text()),
      summary: text(),
      attempt: integer(),
      is_byok: flag(),
      endpoints: object({ total: integer(), available: list(endpoint) }),
      attempts: optional(list(object({ provider: text(), model: text(), status: integer() }))),
      pipeline: optional(list(freeForm())),
      generation_time: optional(integer()),
    }),
  ),
);

/** Keys of `viewRouterMetadata`. */
export const routed = { router_metadata: optional(routerMetadata), openrouter_metadata: optional(routerMetadata) };
