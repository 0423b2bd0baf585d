import { subjectIdText } from '../accounts/budget-subject-ids.js';
import { INTERVALS } from '../core/time.js';
import { nameText } from '../shared/http/shared-fields.js';
import { KEY_HASH } from '../shared/http/field-patterns.js';
import {
  closedThroughout,
  compile,
  described,
  integer,
  list,
  number,
  oneOf,
  optional,
  text,
  variant,
  type Of,
} from '../shared/http/schema.js';
import { BUDGET_SCOPE_NAMES } from './budget-scopes.js';

// Limits of one alarm. Chosen.
const PERCENTS_MAX = 10;
const DESTINATIONS_MAX = 10;
const USD_MAX = 1e12;
const USD_MIN = 0.000001;

const usd = number({ min: USD_MIN, max: USD_MAX });

/** The rule of an alarm: its subject and its limit. */
export const alarmRule = compile(
  closedThroughout(
    variant('kind', {
      limit: {
        key: text({
          pattern: `${KEY_HASH.pattern}|^\\*$`,
          reason: 'must be the hash of an API key, or * for every key with a limit',
        }),
      },
      budget: {
        scope: oneOf(BUDGET_SCOPE_NAMES),
        id: described(
          'Id of its owner, `name=value` of a tag, or * for every one; `default`: those without a budget of their own.',
          subjectIdText,
        ),
        interval: oneOf(INTERVALS),
      },
      balance: { below_usd: described('Reported once, and again after the balance rose clearly above it.', usd) },
      outage: { provider: optional(described('Slug; absent: any provider.', nameText)) },
      credential: {},
      operator_cost: { usd_per_hour: usd },
    }),
  ),
);
export type AlarmRule = Of<typeof alarmRule>;
export type AlarmKind = AlarmRule['kind'];
export type RuleOf<Kind extends AlarmKind> = Extract<AlarmRule, { readonly kind: Kind }>;

export const percents = compile(list(integer({ min: 1, max: 100 }), { min: 1, max: PERCENTS_MAX }));
/** The default of `percents`. */
export const PERCENTS: readonly number[] = [80, 100];
export const destinationIds = compile(list(nameText, { max: DESTINATIONS_MAX }));
