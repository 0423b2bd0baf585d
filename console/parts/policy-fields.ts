import type { Field } from './form-fields.js';

/** The limits on providers that account and workspaces specify alike. */
export const PROVIDER_FIELDS: readonly Field[] = [
  {
    name: 'allowed_providers',
    label: 'Allowed providers',
    kind: 'lines',
    description: 'A slug a line. Empty: all.',
    placeholder: 'anthropic',
  },
  {
    name: 'ignored_providers',
    label: 'Refused providers',
    kind: 'lines',
    description: 'They win over what is allowed.',
  },
  {
    name: 'data_collection',
    label: 'Providers that collect data',
    kind: 'choice',
    options: [
      { value: 'allow', label: 'allowed' },
      { value: 'deny', label: 'refused' },
    ],
  },
  { name: 'enforce_zdr', label: 'Only endpoints without data retention', kind: 'toggle' },
];
