import { ROUTER_STRATEGIES } from '../core/routing/plan.js';
import {
  flag,
  freeForm,
  integer,
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
      'Factors by which its bounds are widened, for its replies went beyond them of late.',
      object({ input: number(), output: number() }),
    ),
  ),
});

const refusal = object({ counter: text(), interval: text(), limit: text(), left: text() });

/** What a candidate may cost; absent where it was not asked. */
const forecastView = object({
  bound: optional(described('The most it can cost: exact decimal USD.', text())),
  byok_bound: optional(described('The same of what an own account at the provider pays.', text())),
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
  geography: described('Where it is asked to run, where that has a price of its own.', nullable(text())),
  credential: text(),
  is_byok: flag(),
  weight: described('Of the draw; null where there was none.', nullable(number())),
  price: described('Exact decimals: USD per million tokens, and per unit.', pricesView),
  price_per_million: described('Prompt and completion together.', number()),
  ...forecastView.properties,
  untranslatable: optional(
    described('Its provider has no form for this, and is passed over.', object({ field: text(), reason: text() })),
  ),
  set_back: nullable(text()),
  pinned: flag(),
  health: nullable(healthView),
  dropped: described(
    'What of the request it would not be sent: fields, betas and words with a price, by name.',
    rows(text()),
  ),
});

const exclusionView = object({
  model: text(),
  tag: nullable(text()),
  provider: nullable(text()),
  credential: optional(text()),
  reason: text(),
  detail: optional(text()),
  cooling_by: optional(text()),
  retry_at: optional(moment()),
});

const runsAt = described(
  'Who runs it where the vendor of an endpoint does not: `vendor` where no other does, `caller` also for what a vendor defines and leaves to him. Null: nobody, for no candidate has it.',
  nullable(oneOf(['gateway', 'caller', 'vendor'])),
);

const toolView = object({
  type: text(),
  runs_at: runsAt,
  function: described('The name that models know it by.', nullable(text())),
  engine: described('Who does the work for the gateway; null: there is no choice.', nullable(text())),
  model: described('Id of the model that is consulted.', nullable(text())),
  model_pricing: optional(
    described(
      'What the cheapest endpoint of that model charges that may be used, as `price` of a candidate: each use is a call of it. Null: nobody would be asked. Absent: no model is consulted.',
      nullable(pricesView),
    ),
  ),
  refusal: optional(described('Why that model would not be asked.', text())),
  price: optional(
    described(
      'The most that one use costs beside a model that is consulted: exact decimal USD. Absent where the gateway does not run it.',
      text(),
    ),
  ),
  uses_max: optional(described('Null for none but that of steps.', nullable(integer()))),
  native_at: described(
    'The candidates that have it of their vendors, who run it, or leave it to the caller, as it came; and the price of one use there: exact decimal USD; null: none of its own.',
    rows(
      object({
        tag: text(),
        price: nullable(text()),
        model_pricing: optional(described('What the model that is consulted charges there.', pricesView)),
      }),
    ),
  ),
});

const pluginView = object({
  id: text(),
  enabled: flag(),
  set_by: described(
    'Whose word is in force; `model`: the name that stands for it.',
    oneOf(['account', 'workspace', 'request', 'model']),
  ),
  override_prevented: described('The request has an entry of it, which the default did not give way to.', flag()),
});

const choiceView = object({
  by: described('Id of the plugin.', text()),
  summary: text(),
  told: described('What it was made from, and how many models were left out for which reason.', freeForm()),
  ranking: described(
    'The models that it was made among, the best first, with what each was ranked by.',
    rows(freeForm()),
  ),
});

const consultedView = object({
  type: described(
    'What it is asked for: `advisor_message`, or the `purpose` that `iterations` of a usage name.',
    text(),
  ),
  model: text(),
  bound: described(
    'The most that its first call costs: exact decimal USD; null: what others say is part of it, or nobody is asked.',
    nullable(text()),
  ),
  refusal: optional(described('Why nobody would be asked.', text())),
  tool_uses_max: described('Of its tools together; null for none but those of each.', nullable(integer())),
  tools: rows(
    object({
      type: text(),
      runs_at: runsAt,
      price: optional(described('The most that one use costs: exact decimal USD.', text())),
    }),
  ),
});

/** A plan as its reader sees it. */
export const planView = titled(
  'plan',
  object({
    requested: text(),
    strategy: oneOf(['direct', 'alias', 'fallback', ...ROUTER_STRATEGIES]),
    models: rows(text()),
    choice: optional(
      described(
        'What a router chose in the place of the model: by what, among which models, and why others were left out.',
        choiceView,
      ),
    ),
    ordering: described('What the order was made by.', text()),
    seed: described('Given again, it gives the same draw.', text()),
    catalog_hash: text(),
    session: object({ decides: flag(), pins: rows(object({ model: text(), tag: text() })) }),
    attempts_max: integer(),
    candidates: described('In the order in which they would be tried.', rows(candidateView)),
    excluded: rows(exclusionView),
    plugins: optional(
      described(
        'Those that the request, the name of its model or a default speaks of, in the order of their turns.',
        rows(pluginView),
      ),
    ),
    tools: optional(described('All but functions of the caller’s own, which he runs.', rows(toolView))),
    consulted: optional(described('Models that plugins would ask before the one that answers.', rows(consultedView))),
    warnings: optional(described('Lines of `X-Fairlead-Warning` that the reply would have.', rows(text()))),
    unknown_providers: optional(
      described(
        'Entries of lists that nobody knows: they match nothing.',
        rows(object({ field: text(), name: text(), nearest: rows(text()) })),
      ),
    ),
  }),
);
export type PlanView = Static<typeof planView>;
export type HealthView = Static<typeof healthView>;
export type ForecastView = Static<typeof forecastView>;
