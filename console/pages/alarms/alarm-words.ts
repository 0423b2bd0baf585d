import type { Names } from '../../api/names.js';
import type { Alarm, CreateAlarmBody } from '../../api/schema.js';
import { exactUsd } from '../../parts/money.js';
import { intervalWords } from '../../parts/intervals.js';

export type Kind = CreateAlarmBody['on']['kind'];
export type Rule = CreateAlarmBody['on'];

/** Labels of the kinds of alarms. */
export const KINDS: Readonly<Record<Kind, string>> = {
  limit: 'The limit of a key',
  budget: 'A budget',
  balance: 'The credits of the account',
  outage: 'Failures of a provider',
  credential: 'Refused provider credentials',
  operator_cost: 'Costs that no caller pays',
};

export const isKind = (word: string | undefined): word is Kind => word !== undefined && Object.hasOwn(KINDS, word);

export const ruleOf = ({ on }: Pick<Alarm, 'on'>): Rule => on as Rule;

/**
 * Subject of an alarm in words.
 * @param keys names of keys by hash
 */
export function ruleWords(rule: Rule, keys: Names): string {
  switch (rule.kind) {
    case 'limit':
      return rule.key === '*' ? 'the limit of each key' : `the limit of ${keys.get(rule.key) ?? rule.key.slice(0, 8)}`;
    case 'budget':
      return `budget of ${rule.scope}: ${rule.id === '*' ? 'each' : rule.id}, ${intervalWords(rule.interval)}`;
    case 'balance':
      return `fewer credits than ${exactUsd(rule.below_usd)}`;
    case 'outage':
      return `failures of ${rule.provider ?? 'any provider'}`;
    case 'credential':
      return 'refused provider credentials';
    case 'operator_cost':
      return `more than ${exactUsd(rule.usd_per_hour)} an hour that no caller pays`;
  }
}
