import { Closed } from '../../shared/http/closed.decorator.js';
import { STORABLE } from '../../shared/http/field-patterns.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { MayOmit } from '../../shared/http/may-omit.decorator.js';
import {
  closed,
  comparedNumber,
  compile,
  described,
  either,
  flag,
  integer,
  list,
  oneOf,
  optional,
  text,
  type Static,
} from '../../shared/http/schema.js';
import { GRANULARITIES, OPERATORS, type Granularity } from '../figures/figures-query.js';
import { METRIC_NAMES } from '../figures/metrics.js';

/** Bounds of the contract, and chosen ones: characters of names and values, values of `in`, rows, groups. */
const DIMENSIONS_MAX = 2;
const FILTERS_MAX = 20;
const NAME_MAX = 128;
const VALUE_MAX = 1_024;
const VALUES_MAX = 100;
const ROWS_MAX = 10_000;
const GROUPS_MAX = 1_000;
const MOMENT_MAX = 35;

const name = text({ min: 1, max: NAME_MAX, ...STORABLE });
const value = either(text({ max: VALUE_MAX, ...STORABLE }), comparedNumber());

const filter = closed({
  field: described('A dimension or a metric.', name),
  operator: described('How the value is compared.', oneOf(OPERATORS)),
  value: described(
    'What is compared with; a list for `in` and `not_in`.',
    either(list(value, { min: 1, max: VALUES_MAX }), value),
  ),
  include_unset: optional(described('Whether generations without a value fit too.', flag())),
});
const timeRange = closed({
  start: described('Inclusive; ISO 8601, UTC, with seconds.', text({ max: MOMENT_MAX })),
  end: described('Exclusive.', text({ max: MOMENT_MAX })),
});
const orderBy = closed({
  field: described('A metric or dimension of the query, or `date`.', name),
  direction: described('Ascending or descending.', oneOf(['asc', 'desc'])),
});

const metrics = compile(described('What is summed up.', list(name, { min: 1, max: METRIC_NAMES.length })));
const dimensions = compile(described('By what it is grouped.', list(name, { max: DIMENSIONS_MAX })));
const filters = compile(described('All have to hold.', list(filter, { max: FILTERS_MAX })));
const granularity = compile(described('A row for each of these spans of time.', oneOf(GRANULARITIES)));
const range = compile(described('The last thirty days where it is absent.', timeRange));
const order = compile(described('By time, else by the first metric, where it is absent.', orderBy));
const limit = compile(described('Rows at most; 1,000 where it is absent.', integer({ min: 1, max: ROWS_MAX })));
const groupLimit = compile(
  described('Groups at most: those with the most of the first metric.', integer({ min: 1, max: GROUPS_MAX })),
);

/** Body of `POST /analytics/query` (docs/use/activity.md#analytics). */
@Closed()
export class AnalyticsQueryDto {
  @Fits(metrics)
  metrics!: readonly string[];

  @MayOmit()
  @Fits(dimensions)
  dimensions?: readonly string[];

  @MayOmit()
  @Fits(filters)
  filters?: readonly Static<typeof filter>[];

  @MayOmit()
  @Fits(granularity)
  granularity?: Granularity;

  @MayOmit()
  @Fits(range)
  time_range?: Static<typeof timeRange>;

  @MayOmit()
  @Fits(order)
  order_by?: Static<typeof orderBy>;

  @MayOmit()
  @Fits(limit)
  limit?: number;

  @MayOmit()
  @Fits(groupLimit)
  group_limit?: number;
}
