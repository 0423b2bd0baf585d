import type { Names } from '../../api/names.js';
import type { Alarm, UpdateAlarmBody } from '../../api/schema.js';
import { INTERVALS } from '../../parts/intervals.js';
import type { Field } from '../../parts/form-fields.js';
import type { Kind, Rule } from './alarm-words.js';

const PERCENTS = '80, 100';
/** Form fields of the destinations, by id. */
const MEMBER = 'destinations';

const SCOPES = ['workspaces', 'guardrails', 'users', 'members', 'tags'].map((value) => ({ value, label: value }));

/** Kinds that watch a limit, of which shares are reported. */
const LIMITED: readonly Kind[] = ['limit', 'budget'];

const NAME: Field = {
  name: 'name',
  label: 'Name',
  kind: 'text',
  placeholder: 'Keys near their limits',
  isRequired: true,
};

const ON: Readonly<Record<Kind, (keys: Names) => readonly Field[]>> = {
  limit: (keys) => [
    {
      name: 'on.key',
      label: 'Key',
      kind: 'choice',
      options: [{ value: '*', label: 'each key with a limit' }, ...[...keys].map(([value, label]) => ({ value, label }))],
    },
  ],
  budget: () => [
    { name: 'on.scope', label: 'Budget of', kind: 'choice', options: SCOPES },
    {
      name: 'on.id',
      label: 'Id',
      kind: 'text',
      description: 'Of its owner, or name=value of a tag. * is each one; “default”: those without one of their own.',
      placeholder: '*',
      isRequired: true,
    },
    { name: 'on.interval', label: 'Interval', kind: 'choice', options: INTERVALS },
  ],
  balance: () => [
    { name: 'on.below_usd', label: 'Report fewer credits than', kind: 'money', unit: 'USD', isRequired: true },
  ],
  outage: () => [
    { name: 'on.provider', label: 'Provider', kind: 'text', description: 'A slug. Empty: any.', placeholder: 'anthropic' },
  ],
  credential: () => [],
  operator_cost: () => [
    { name: 'on.usd_per_hour', label: 'Report more than', kind: 'money', unit: 'USD an hour', isRequired: true },
  ],
}; // oxfmt-ignore

/** First values of the form of a new alarm, by kind. */
export const BEGINS: Readonly<Record<Kind, object>> = {
  limit: { on: { key: '*' }, percents: PERCENTS },
  budget: { on: { scope: 'workspaces', interval: 'monthly' }, percents: PERCENTS },
  balance: {},
  outage: {},
  credential: {},
  operator_cost: {},
};

/** The fields of alarms of a kind. @param destinations names by ids, of those that take alarms */
export const fieldsOf = (kind: Kind, keys: Names, destinations: Names): readonly Field[] => [
  NAME,
  ...ON[kind](keys),
  ...(LIMITED.includes(kind) ? SHARES : []),
  ...[...destinations].map(([id, name]): Field => ({
    name: `${MEMBER}.${id}`,
    label: `Report to ${name}`,
    kind: 'toggle',
  })),
];

const SHARES: readonly Field[] = [
  {
    name: 'percents',
    label: 'Report at',
    kind: 'text',
    unit: '%',
    description: 'Shares of the limit, with commas. A jump over several reports each.',
    absent: PERCENTS,
  },
  {
    name: 'forecast',
    label: 'Report also what will be reached this month',
    kind: 'toggle',
    description: 'Once a month, of monthly limits, by what was spent up to then.',
  },
];

/** Only of an alarm that exists. */
export const ENABLED: Field = { name: 'enabled', label: 'In use', kind: 'toggle' };

/** An alarm as its form shows it. */
export const formOf = (alarm: Alarm): object => ({
  ...alarm,
  percents: alarm.percents?.join(', ') ?? null,
  [MEMBER]: Object.fromEntries(alarm.destination_ids.map((id) => [id, true])),
});

type FormBody = Readonly<Record<string, unknown>> & {
  readonly on?: Readonly<Record<string, unknown>>;
  readonly percents?: string;
  readonly [MEMBER]?: Readonly<Record<string, boolean>>;
};

/** Body of a request of the API, from the values of the form. */
export function bodyOf(kind: Kind, { on, percents, [MEMBER]: destinations, ...terms }: FormBody): UpdateAlarmBody {
  return {
    ...terms,
    ...(on && { on: { kind, ...withoutNulls(on) } as Rule }),
    ...(percents !== undefined && { percents: percents.split(/[\s,]+/).filter(Boolean).map(numberOf) }),
    ...(destinations && { destination_ids: Object.keys(destinations).filter((id) => destinations[id]) }),
  };
} // oxfmt-ignore

/** A text that is not a number is sent unchanged: the API refuses it with its own message. */
const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : (text as unknown as number));

const withoutNulls = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
