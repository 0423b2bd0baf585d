import {
  flag,
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
  told,
  type Static,
} from '../shared/http/schema.js';
import { pricesView } from './view-prices.js';

const percentiles = object({ p50: number(), p75: number(), p90: number(), p99: number() });

const healthView = object({
  latency: told('Seconds to the first word.', nullable(percentiles)),
  throughput: told('Tokens per second.', nullable(percentiles)),
  fault_share: nullable(number()),
  out: flag(),
});

const refusal = object({ counter: text(), interval: text(), limit: text(), left: text() });

/** What a candidate may cost; absent where it was not asked. */
const outlookView = object({
  bound: optional(told('The most it can cost: exact decimal USD.', text())),
  byok_bound: optional(told('The same of what an own account at the provider pays.', text())),
  would_be_granted: optional(flag()),
  refused_by: optional(told('The first counter without room for it.', nullable(refusal))),
});

const candidateView = object({
  position: integer(),
  model: text(),
  provider: text(),
  provider_name: text(),
  tag: text(),
  tier: text(),
  credential: text(),
  is_byok: flag(),
  weight: told('Of the draw; null where there was none.', nullable(number())),
  price: told('Exact decimals: USD per million tokens, and per unit.', pricesView),
  price_per_million: told('Prompt and completion together.', number()),
  ...outlookView.properties,
  set_back: nullable(text()),
  pinned: flag(),
  health: nullable(healthView),
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

/** A plan as its reader sees it. */
export const planView = titled(
  'plan',
  object({
    requested: text(),
    strategy: oneOf(['direct', 'fallback']),
    models: rows(text()),
    ordering: told('What the order was made by.', text()),
    seed: told('Given again, it gives the same draw.', text()),
    catalog_hash: text(),
    session: object({ decides: flag(), pins: rows(object({ model: text(), tag: text() })) }),
    attempts_max: integer(),
    candidates: told('In the order in which they would be tried.', rows(candidateView)),
    excluded: rows(exclusionView),
  }),
);
export type PlanView = Static<typeof planView>;
export type HealthView = Static<typeof healthView>;
export type OutlookView = Static<typeof outlookView>;
