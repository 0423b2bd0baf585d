import { REQUEST_FIELD_NAMES } from '../../src/core/translation.js';
import { plugins } from '../../src/faces/common/schemas/plugins.js';
import { provider } from '../../src/faces/common/schemas/routing.js';
import { FAULT_POLICIES } from '../../src/core/fault-policies.js';
import {
  closed,
  compile,
  flag,
  freeForm,
  integer,
  list,
  number,
  oneOf,
  optional,
  text,
  type Static,
} from '../../src/shared/http/schema.js';
import { AFFINITIES } from './scenario.js';

/** Bounds of a scenario: a larger one takes too long to simulate. */
const DECISIONS_MAX = 9_999_999;
const RULES_MAX = 1_000;
const NAME_CHARACTERS_MAX = 100;
const TOKENS_MAX = 10_000_000;
const TURNS_MAX = 10_000;
const DRIFT_MAX = 1_000;

const name = text({ min: 1, max: NAME_CHARACTERS_MAX });
const names = list(name, { max: RULES_MAX });
const share = number({ min: 0, max: 1 });
const time = text({ pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$', reason: 'must be a time of day such as "09:30"' });
const duration = text({ pattern: '^\\d{1,7}(ms|s)$', reason: 'must be a duration such as "500ms" or "60s"' });
const durations = list(duration, { min: 2, max: 2 });
const tokens = list(integer({ min: 0, max: TOKENS_MAX }), { min: 2, max: 2 });

const faultKinds = Object.keys(FAULT_POLICIES);
const faults = closed(Object.fromEntries(faultKinds.map((kind) => [kind, optional(share)])));

const trafficKind = closed({
  name,
  weight: number({ min: 0 }),
  model: name,
  fallbacks: optional(names),
  session: optional(oneOf(AFFINITIES)),
  turns: optional(list(integer({ min: 1, max: TURNS_MAX }), { min: 2, max: 2 })),
  pause: optional(durations),
  prompt_tokens: tokens,
  growth_tokens: optional(tokens),
  answer_tokens: tokens,
  cached: optional(share),
  parameters: optional(list(oneOf(REQUEST_FIELD_NAMES), { max: RULES_MAX })),
  max_tokens: optional(integer({ min: 1, max: TOKENS_MAX })),
  provider: optional(provider),
  plugins: optional(plugins),
  prompts: optional(text({ min: 1 })),
});

const worldRule = closed({
  provider: optional(name),
  model: optional(name),
  from: optional(time),
  to: optional(time),
  first_token: optional(duration),
  tokens_per_second: optional(number({ min: 0.1 })),
  spread: optional(number({ min: 0, max: 3 })),
  drift: optional(number({ min: 0.01, max: DRIFT_MAX })),
  faults: optional(faults),
  retry_after: optional(duration),
});

const policy = closed({
  credentials: optional(names),
  provider: optional(provider),
  account: optional(
    closed({
      only: optional(names),
      ignore: optional(names),
      deny_data_collection: optional(flag()),
      zdr: optional(flag()),
    }),
  ),
  cooldown: optional(text()),
  timeouts: optional(text()),
});

const schema = closed({
  version: integer({ min: 1, max: 1 }),
  extends: optional(name),
  catalog: optional(text({ min: 1 })),
  seed: optional(name),
  decisions: optional(integer({ min: 1, max: DECISIONS_MAX })),
  load: optional(list(closed({ at: time, weight: number({ min: 0 }) }), { min: 1, max: RULES_MAX })),
  traffic: optional(list(trafficKind, { min: 1, max: RULES_MAX })),
  world: optional(list(worldRule, { max: RULES_MAX })),
  // The catalog's own exact reader reads the prices.
  prices: optional(
    list(closed({ at: time, provider: name, model: optional(name), pricing: freeForm() }), { max: RULES_MAX }),
  ),
  policy: optional(policy),
});

/** A scenario file as written (`scripts/simulation/day.yaml` explains each field). */
export type WireScenario = Static<typeof schema>;
export type WireTrafficKind = Static<typeof trafficKind>;
export type WireWorldRule = Static<typeof worldRule>;
export type WirePolicy = Static<typeof policy>;

export const scenarioShape = compile(schema);
