import type { Guardrail, UpdateGuardrailBody } from '../../api/schema.js';
import type { Field } from '../../parts/form-fields.js';

/** The filters that ship with the gateway, as a reader knows them. */
const BUILTINS = [
  ['email', 'Mail addresses'],
  ['phone', 'Phone numbers'],
  ['ssn', 'Social security numbers (US)'],
  ['credit-card', 'Card numbers'],
  ['ip-address', 'IP addresses'],
  ['person-name', 'Names of persons'],
  ['address', 'Postal addresses'],
  ['regex-prompt-injection', 'Prompt injection'],
] as const;

type Builtin = NonNullable<UpdateGuardrailBody['content_filter_builtins']>[number];

const INJECTION = 'regex-prompt-injection';
/** Form fields of the filters, by slug; of the injection filter also whose texts it reads. */
const MEMBER = 'builtins';

/** Label of a matched pattern: the words of a built-in filter, or the own label of another. */
export const patternWords = (name: string): string => BUILTINS.find(([slug]) => slug === name)?.[1] ?? name;

/** Actions of a content filter on a match. */
export const ACTIONS = [
  { value: 'redact', label: 'cut it' },
  { value: 'block', label: 'block the request' },
  { value: 'flag', label: 'only report it' },
];

export const actionWords = (action: string): string => ACTIONS.find(({ value }) => value === action)?.label ?? action;

const NAME: Field = { name: 'name', label: 'Name', kind: 'text', placeholder: 'No personal data', isRequired: true };

const decided = (name: string, label: string, yes: string, no: string): Field => ({
  name,
  label,
  kind: 'choice',
  options: [
    { value: '', label: 'not decided here' },
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ],
});

/** Authors whose models have a rule of their own. */
const RETENTION = [
  ['anthropic', 'Anthropic'],
  ['openai', 'OpenAI'],
  ['google', 'Google'],
  ['xai', 'xAI'],
  ['other', 'others'],
] as const;

const TERMS: readonly Field[] = [
  { name: 'description', label: 'Description', kind: 'text' },
  {
    name: 'limit_usd',
    label: 'Limit',
    kind: 'money',
    unit: 'USD',
    description: 'Of each key, member and workspace that it is for.',
  },
  {
    name: 'reset_interval',
    label: 'The limit begins anew',
    kind: 'choice',
    options: [
      { value: '', label: 'never: in all' },
      { value: 'daily', label: 'each day (UTC)' },
      { value: 'weekly', label: 'each week, from Monday' },
      { value: 'monthly', label: 'each month' },
    ],
  },
  { name: 'include_byok_in_budgets', label: 'Count calls with own provider credentials', kind: 'toggle' },
  {
    name: 'allowed_models',
    label: 'Allowed models',
    kind: 'lines',
    description: 'One a line: an id, or a pattern such as anthropic/*. Empty: all.',
    placeholder: 'anthropic/*',
  },
  { name: 'ignored_models', label: 'Refused models', kind: 'lines' },
  { name: 'allowed_providers', label: 'Allowed providers', kind: 'lines', description: 'A slug a line.' },
  { name: 'ignored_providers', label: 'Refused providers', kind: 'lines' },
  decided('collects', 'Providers that collect data', 'allowed', 'refused'),
  decided('enforce_zdr', 'Only endpoints without data retention', 'yes', 'no'),
  ...RETENTION.map(([author, label]) =>
    decided(`enforce_zdr_${author}`, `The same for models of ${label}`, 'yes', 'no'),
  ),
];

const FILTERS: readonly Field[] = [
  ...BUILTINS.map(([slug, label]): Field => ({
    name: `${MEMBER}.${slug}`,
    label,
    kind: 'choice',
    options: [
      { value: '', label: 'not searched' },
      ...ACTIONS.filter(({ value }) => value !== 'flag' || slug === INJECTION),
    ],
  })),
  {
    name: `${MEMBER}.scope`,
    label: 'Prompt injection is searched in',
    kind: 'choice',
    options: [
      { value: '', label: 'all turns and results of tools' },
      { value: 'user_only', label: 'texts of users alone' },
    ],
  },
];

/** Fields of the form that changes a guardrail; its own patterns are edited in a separate list. */
export const CHANGEABLE: readonly Field[] = [NAME, ...TERMS, ...FILTERS];

export const NEW_FIELDS: readonly Field[] = [
  NAME,
  {
    name: 'workspace_id',
    label: 'Workspace',
    kind: 'text',
    description: 'Where it is kept: id or slug. It cannot be changed later.',
    placeholder: 'default',
  },
  ...TERMS,
  ...FILTERS,
];

/** The gateway knows whether a provider collects data, and not for what: any of these refuses it, so they are one. */
const COLLECTING = [
  'enable_paid_model_training',
  'enable_free_model_training',
  'enable_free_model_publication',
] as const;

/** A guardrail as its form shows it. */
export function formOf(guardrail: Guardrail): object {
  const builtins = guardrail.content_filter_builtins ?? [];
  const scope = builtins.find(({ slug }) => slug === INJECTION)?.scan_scope;
  const collected = COLLECTING.map((name) => guardrail[name]);
  return {
    ...guardrail,
    collects: collected.includes(false) ? false : collected.every((one) => one === null) ? null : true,
    [MEMBER]: {
      ...Object.fromEntries(builtins.map(({ slug, action }) => [slug, action])),
      scope: scope === 'user_only' ? scope : null,
    },
  };
}

type FormBody = Readonly<Record<string, unknown>> & { readonly [MEMBER]?: Readonly<Record<string, string | null>> };

/** Value of a choice in the form, which has words for true, false and null. */
const decision = (word: unknown): boolean | null => (word === null ? null : word === 'true');

/** Body of a request of the API, from the values of the form. */
export function bodyOf({ [MEMBER]: builtins, collects, ...terms }: FormBody): UpdateGuardrailBody {
  const retention = Object.keys(terms).filter((name) => name.startsWith('enforce_zdr'));
  return {
    ...terms,
    ...Object.fromEntries(retention.map((name) => [name, decision(terms[name])])),
    ...(collects !== undefined && Object.fromEntries(COLLECTING.map((name) => [name, decision(collects)]))),
    ...(builtins && { content_filter_builtins: entriesOf(builtins) }),
  };
}

function entriesOf(builtins: Readonly<Record<string, string | null>>): readonly Builtin[] | null {
  const entries = BUILTINS.filter(([slug]) => builtins[slug]).map(([slug]) => ({
    slug,
    action: builtins[slug] as Builtin['action'],
    ...(slug === INJECTION && builtins['scope'] && { scan_scope: builtins['scope'] as 'user_only' }),
  }));
  return entries.length === 0 ? null : entries;
}
