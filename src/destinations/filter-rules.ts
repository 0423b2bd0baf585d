import type { Json } from '../core/json/json.js';
import {
  closed,
  comparedNumber,
  compile,
  either,
  flag,
  list,
  oneOf,
  optional,
  text,
  type Of,
} from '../shared/http/schema.js';

/** Fields of a generation that rules compare. Texts and figures; never content, which is not kept. */
const FIELDS = [
  'model', 'provider', 'session_id', 'user_id', 'api_key_name', 'finish_reason',
  'total_cost', 'total_tokens', 'prompt_tokens', 'completion_tokens',
] as const; // oxfmt-ignore
export type FilterField = (typeof FIELDS)[number];

const OPERATORS = [
  'equals', 'not_equals', 'contains', 'not_contains', 'starts_with', 'ends_with', 'exists', 'not_exists',
  'gt', 'gte', 'lt', 'lte',
] as const; // oxfmt-ignore
type Operator = (typeof OPERATORS)[number];

// Limits of the rules of one destination. Chosen.
const GROUPS_MAX = 10;
const RULES_MAX = 20;
const VALUE_MAX = 500;

/** Rules that select the generations that a destination receives. */
export const filterRules = compile(
  closed({
    enabled: optional(flag()),
    groups: list(
      closed({
        logic: optional(oneOf(['and', 'or'])),
        rules: list(
          closed({
            field: oneOf(FIELDS),
            operator: oneOf(OPERATORS),
            value: optional(either(text({ max: VALUE_MAX }), comparedNumber())),
          }),
          { min: 1, max: RULES_MAX },
        ),
      }),
      { max: GROUPS_MAX },
    ),
  }),
);
export type FilterRules = Of<typeof filterRules>;

type Value = string | number | null;
/** The fields of one generation. */
export type FilteredFields = Readonly<Record<FilterField, Value>>;

type Test = (actual: string | number, wanted: string | number) => boolean;

const asText =
  (test: (actual: string, wanted: string) => boolean): Test =>
  (actual, wanted) =>
    test(String(actual), String(wanted));
const asNumber =
  (test: (actual: number, wanted: number) => boolean): Test =>
  (actual, wanted) =>
    test(Number(actual), Number(wanted));

/** The test of each operator on a field that has a value. */
const TESTS: Readonly<Record<Operator, Test>> = {
  equals: asText((actual, wanted) => actual === wanted),
  not_equals: asText((actual, wanted) => actual !== wanted),
  contains: asText((actual, wanted) => actual.includes(wanted)),
  not_contains: asText((actual, wanted) => !actual.includes(wanted)),
  starts_with: asText((actual, wanted) => actual.startsWith(wanted)),
  ends_with: asText((actual, wanted) => actual.endsWith(wanted)),
  exists: () => true,
  not_exists: () => false,
  gt: asNumber((actual, wanted) => actual > wanted),
  gte: asNumber((actual, wanted) => actual >= wanted),
  lt: asNumber((actual, wanted) => actual < wanted),
  lte: asNumber((actual, wanted) => actual <= wanted),
};

/** Operators that a field without a value meets. */
const MET_BY_NOTHING: ReadonlySet<Operator> = new Set(['not_equals', 'not_contains', 'not_exists']);

/** Whether a generation meets the rules: all groups, and in each all rules or, with `or`, one. */
export function passes(rules: FilterRules | null, fields: FilteredFields): boolean {
  if (!rules || rules.enabled === false) return true;
  return rules.groups.every(({ logic, rules: all }) => {
    const meets = ({ field, operator, value = '' }: (typeof all)[number]): boolean => {
      const actual = fields[field];
      return actual === null ? MET_BY_NOTHING.has(operator) : TESTS[operator](actual, value);
    };
    return logic === 'or' ? all.some(meets) : all.every(meets);
  });
}

/** A value of a record, as rules compare it. */
export const comparable = (value: Json | undefined): Value =>
  typeof value === 'string' || typeof value === 'number' ? value : null;
