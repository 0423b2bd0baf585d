import { budgetLeftView } from '../ledger/budgets-left.js';
import { ROUTER_STRATEGIES } from '../core/routing/plan.js';
import {
  flag,
  freeForm,
  integer,
  map,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { pricesView } from './view-prices.js';

const percentiles = object({ p50: number(), p75: number(), p90: number(), p99: number() });

const healthView = object({
  latency: described('Seconds to the first token.', nullable(percentiles)),
  throughput: described('Tokens per second.', nullable(percentiles)),
  fault_share: nullable(number()),
  out: flag(),
  widening: optional(
    described(
      'Factors by which its bounds are widened, because recent replies exceeded them.',
      object({ input: number(), output: number() }),
    ),
  ),
});

const refusal = object({ counter: text(), interval: text(), limit: text(), left: text() });

/** The highest cost of a candidate; absent where no forecast was requested. */
const forecastView = object({
  bound: optional(described('The most it can cost: exact decimal USD.', text())),
  byok_bound: optional(described('The same, paid by the caller’s own account at the provider.', text())),
  would_be_granted: optional(flag()),
  refused_by: optional(described('The first counter that cannot cover it.', nullable(refusal))),
});

const candidateView = object({
  position: integer(),
  model: text(),
  provider: text(),
  provider_name: text(),
  tag: text(),
  tier: text(),
  geography: described('The region it is requested in, where that has a price of its own.', nullable(text())),
  credential: text(),
  is_byok: flag(),
  weight: described('Of the draw; null where there was none.', nullable(number())),
  price: described('Exact decimals: USD per million tokens, and per unit.', pricesView),
  price_per_million: described('Prompt and completion together.', number()),
  ...forecastView.properties,
  untranslatable: optional(
    described('Its provider has no form for this request; it is skipped.', object({ field: text(), reason: text() })),
  ),
  set_back: nullable(text()),
  pinned: flag(),
  health: nullable(healthView),
  dropped: described('Fields, betas and words with a price that it would not be sent, by name.', rows(text())),
});

const exclusionView = object({
  model: text(),
  tag: nullable(text()),
  provider: nullable(text()),
  credential: optional(text()),
  reason: text(),
  words: described('The reason in words, with the endpoint or the model as their subject.', text()),
  detail: optional(text()),
  cooling_by: optional(text()),
  retry_at: optional(moment()),
});

const runsAt = described(
  'Who runs it if the vendor of an endpoint does not: `gateway`, `caller` (also of tools that a vendor defines and leaves to the caller), or `vendor` if only vendors do. Null: no candidate has it.',
  nullable(oneOf(['gateway', 'caller', 'vendor'])),
);

const toolView = object({
  type: text(),
  runs_at: runsAt,
  function: described('The name that models see.', nullable(text())),
  engine: described('The engine that the gateway uses; null: there is no choice.', nullable(text())),
  model: described('Id of the model that is consulted.', nullable(text())),
  model_pricing: optional(
    described(
      'Prices of the cheapest usable endpoint of that model, as `price` of a candidate: each use is a call of it. Null: no endpoint would be called. Absent: no model is consulted.',
      nullable(pricesView),
    ),
  ),
  refusal: optional(described('Why that model would not be called.', text())),
  price: optional(
    described(
      'The most that one use costs beside a model that is consulted: exact decimal USD. Absent where the gateway does not run it.',
      text(),
    ),
  ),
  uses_max: optional(described('Null: only the number of steps limits it.', nullable(integer()))),
  native_at: described(
    'The candidates whose vendor receives the tool unchanged, and the price of one use there: exact decimal USD; null: it has no price of its own.',
    rows(
      object({
        tag: text(),
        price: nullable(text()),
        model_pricing: optional(described('Prices of the consulted model there.', pricesView)),
      }),
    ),
  ),
});

const pluginView = object({
  id: text(),
  enabled: flag(),
  set_by: described(
    'The level that sets it; `model`: the requested model is its name.',
    oneOf(['account', 'workspace', 'request', 'model']),
  ),
  override_prevented: described('The request has an entry of it, which the fixed default overrides.', flag()),
});

const choiceView = object({
  by: described('Id of the plugin.', text()),
  summary: text(),
  details: described('The figures that decided, and the number of models left out for each reason.', freeForm()),
  ranking: described(
    'The models that it was made from, best first, each with the figures of its rank.',
    rows(freeForm()),
  ),
});

const consultedView = object({
  type: described('Its purpose: `advisor_message`, or the `purpose` that `iterations` of a usage name.', text()),
  model: text(),
  bound: described(
    'The most that its first call costs: exact decimal USD; null: it contains the answers of others, or no model is called.',
    nullable(text()),
  ),
  refusal: optional(described('Why no model would be called.', text())),
  tool_uses_max: described(
    'Uses of its tools together; null: only the limit of each tool applies.',
    nullable(integer()),
  ),
  tools: rows(
    object({
      type: text(),
      runs_at: runsAt,
      price: optional(described('The most that one use costs: exact decimal USD.', text())),
    }),
  ),
});

/** A plan in the form of the API. */
export const planView = titled(
  'plan',
  object({
    requested: text(),
    strategy: oneOf(['direct', 'alias', 'fallback', ...ROUTER_STRATEGIES]),
    models: rows(text()),
    choice: optional(
      described(
        'The choice of a router: its basis, the models it chose among, and why others were left out.',
        choiceView,
      ),
    ),
    ordering: described('The basis of the order.', text()),
    seed: described('The same seed gives the same draw.', text()),
    catalog_hash: text(),
    session: object({ decides: flag(), pins: rows(object({ model: text(), tag: text() })) }),
    attempts_max: integer(),
    candidates: described('In the order in which they would be tried.', rows(candidateView)),
    excluded: rows(exclusionView),
    preset: optional(
      described('The preset that completed the request.', object({ id: text(), slug: text(), version: integer() })),
    ),
    tags: optional(described('Of the request, its key and its workspace; absent: none.', map(text()))),
    budgets: optional(
      described(
        'The remaining amount of budgets of users, members and tags; absent: none applies.',
        rows(budgetLeftView),
      ),
    ),
    plugins: optional(
      described(
        'Those that the request, the name of its model or a default speaks of, in the order of their turns.',
        rows(pluginView),
      ),
    ),
    tools: optional(described('All tools but the caller’s own functions.', rows(toolView))),
    consulted: optional(described('Models that plugins would call before the one that answers.', rows(consultedView))),
    warnings: optional(described('Lines of `X-Fairlead-Warning` in the reply.', rows(text()))),
    unknown_providers: optional(
      described(
        'Unknown entries of lists: they match nothing.',
        rows(object({ field: text(), name: text(), nearest: rows(text()) })),
      ),
    ),
  }),
);
export type PlanView = Static<typeof planView>;
export type HealthView = Static<typeof healthView>;
export type ForecastView = Static<typeof forecastView>;
