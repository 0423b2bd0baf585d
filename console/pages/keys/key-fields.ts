import type { Field } from '../../parts/form-fields.js';

/** Intervals after which a limit is reset. */
export const RESETS = [
  { value: '', label: 'never: in all' },
  { value: 'daily', label: 'each day (UTC)' },
  { value: 'weekly', label: 'each week, from Monday' },
  { value: 'monthly', label: 'each month' },
];

const NAME: Field = {
  name: 'name',
  label: 'Name',
  kind: 'text',
  description: 'Lists show it in place of the id.',
  placeholder: 'Support assistant',
};

const LIMITS: readonly Field[] = [
  {
    name: 'limit',
    label: 'Limit',
    kind: 'money',
    unit: 'USD',
    description: 'Without one, only the credits of the account end its spending.',
    placeholder: '25.00',
  },
  { name: 'limit_reset', label: 'The limit begins anew', kind: 'choice', options: RESETS },
  {
    name: 'include_byok_in_limit',
    label: 'Count calls with own provider credentials',
    kind: 'toggle',
    description: 'Their list price counts toward the limit too.',
  },
];

/** Fields that restrict inference, which management keys cannot have. */
const RESTRICTIONS: readonly Field[] = [
  {
    name: 'rate_limits.requests_per_minute',
    label: 'Requests a minute',
    kind: 'number',
    description: 'Empty: no limit of its own.',
  },
  { name: 'rate_limits.tokens_per_minute', label: 'Tokens a minute', kind: 'number' },
  {
    name: 'allowed_models',
    label: 'Allowed models',
    kind: 'lines',
    description: 'One a line: an id, or a pattern such as anthropic/*. Empty: all.',
    placeholder: 'anthropic/*',
  },
];

const REACH: readonly Field[] = [
  {
    name: 'egress.allowed_domains',
    label: 'Allowed addresses',
    kind: 'lines',
    emptyWord: 'nowhere',
    description:
      'Where tools and media may lead: a domain a line. Empty: everywhere. The one word “nowhere” allows none.',
    placeholder: 'docs.example.com',
  },
  {
    name: 'egress.blocked_domains',
    label: 'Blocked addresses',
    kind: 'lines',
    description: 'They win over what is allowed.',
  },
  {
    name: 'metadata.tags',
    label: 'Tags',
    kind: 'pairs',
    description: 'name=value, one a line. Its requests have them unless they name others.',
    placeholder: 'team=support',
  },
];

/** Fields of the form that changes a key of this kind. */
export const changeableFields = (kind: 'inference' | 'management'): readonly Field[] => [
  NAME,
  ...LIMITS,
  ...(kind === 'inference' ? RESTRICTIONS : []),
  ...REACH,
];

/** Fields of the form of a new key. */
export const NEW_FIELDS: readonly Field[] = [
  { ...NAME, isRequired: true },
  {
    name: 'kind',
    label: 'Kind',
    kind: 'choice',
    options: [
      { value: 'inference', label: 'inference: calls models' },
      { value: 'management', label: 'management: administers the account' },
    ],
  },
  ...LIMITS,
  {
    name: 'creator_user_id',
    label: 'Owner',
    kind: 'text',
    description: 'The user whose key it is, by the id that your own system has.',
    placeholder: 'user-1',
  },
  {
    name: 'workspace_id',
    label: 'Workspace',
    kind: 'text',
    description: 'Id or slug. A management key that names one manages nothing beyond it.',
    placeholder: 'default',
  },
  { name: 'expires_at', label: 'Expires', kind: 'time', unit: 'UTC', description: 'Empty: never.' },
  ...RESTRICTIONS,
  ...REACH,
];

export const RAISE_FIELDS: readonly Field[] = [
  {
    name: 'amount_usd',
    label: 'Raise by',
    kind: 'money',
    unit: 'USD',
    description: 'It replaces an earlier raise.',
    isRequired: true,
  },
  { name: 'until', label: 'Until', kind: 'time', unit: 'UTC', isRequired: true },
];
