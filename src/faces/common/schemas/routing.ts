import { QUANTIZATIONS, SORTS } from '../../../core/routing/preferences.js';
import {
  closed,
  either,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  type Static,
} from '../../../shared/http/schema.js';
import { name, optionList, providerNames } from '../../../shared/http/maxima.js';
import { USD_MAX } from './options.js';

const FALLBACKS_MAX = 3;

/** docs/use/choosing-providers.md#models-and-fallbacks: an entry takes `model` and nothing else. */
export const fallbacks = nullable(list(closed({ model: name() }), { max: FALLBACKS_MAX }));

const optionalFlag = optional(nullable(flag()));
const slugs = optional(nullable(providerNames()));

/** Characters: fifteen digits, the point, twelve decimals. */
const DECIMAL_MAX = 28;

/** Some clients send text, others numbers (docs/use/choosing-providers.md#price-caps). */
const price = optional(
  either(
    text({
      max: DECIMAL_MAX,
      pattern: '^\\d{1,15}(\\.\\d{1,12})?$',
      reason: 'must be a decimal number of at least 0 with at most 15 digits and 12 decimals',
    }),
    number({ min: 0, max: USD_MAX }),
  ),
);

/** Seconds, or tokens a second. */
const figure = number({ min: 0, max: Number.MAX_SAFE_INTEGER });
const cutoff = optional(nullable(figure));

/** docs/use/choosing-providers.md#cut-offs: a number means p50. */
const cutoffs = optional(nullable(either(figure, object({ p50: cutoff, p75: cutoff, p90: cutoff, p99: cutoff }))));

const sort = oneOf(SORTS);
const sortConfig = object({
  by: optional(nullable(sort)),
  partition: optional(nullable(oneOf(['model', 'none']))),
});

/**
 * Limits on the providers that may answer (docs/use/choosing-providers.md#provider-preferences): no properties beyond
 * these.
 */
export const provider = nullable(
  closed({
    allow_fallbacks: optionalFlag,
    data_collection: optional(nullable(oneOf(['allow', 'deny']))),
    enforce_distillable_text: optionalFlag,
    ignore: slugs,
    only: slugs,
    order: slugs,
    max_price: optional(object({ prompt: price, completion: price, image: price, audio: price, request: price })),
    quantizations: optional(nullable(optionList(oneOf(QUANTIZATIONS)))),
    require_parameters: optionalFlag,
    sort: optional(nullable(either(sort, sortConfig))),
    zdr: optional(flag()),
    preferred_max_latency: cutoffs,
    preferred_min_throughput: cutoffs,
  }),
);

/** Deprecated, an alias of `provider.sort.partition` (docs/use/choosing-providers.md#route). */
export const route = nullable(oneOf(['fallback', 'sort']));

export type WirePreferences = NonNullable<Static<typeof provider>>;
export type WireRoute = Static<typeof route>;
