import type { Field } from '../../parts/form-fields.js';

const NAME: Field = { name: 'name', label: 'Name', kind: 'text', placeholder: 'Our account' };

const USE: readonly Field[] = [
  {
    name: 'is_fallback',
    label: 'Only as a fallback',
    kind: 'toggle',
    description: 'Used after the credential of the operator has failed.',
  },
  {
    name: 'is_required',
    label: 'Required',
    kind: 'toggle',
    description: 'Where it fits a request, the credential of the operator is not used for that provider.',
  },
  {
    name: 'is_byok_only',
    label: 'BYOK only',
    kind: 'toggle',
    description: 'As “Required”; it cannot be a fallback.',
  },
  {
    name: 'allowed_models',
    label: 'Models',
    kind: 'lines',
    description: 'One a line: an id, or a pattern. Empty: all.',
    placeholder: 'anthropic/*',
  },
  {
    name: 'allowed_user_ids',
    label: 'Users',
    kind: 'lines',
    description: 'Owners of calling keys, one a line. Empty: all.',
  },
  {
    name: 'allowed_api_key_hashes',
    label: 'Keys',
    kind: 'lines',
    description: 'Ids of calling keys, one a line. Empty: all.',
  },
  {
    name: 'declared_zdr',
    label: 'Zero data retention is agreed',
    kind: 'flag',
    description: 'By the contract of this account with the provider.',
  },
];

/** Fields of the form that changes a credential. The API never returns the secret: an empty field keeps it. */
export const CHANGEABLE_FIELDS: readonly Field[] = [
  NAME,
  {
    name: 'key',
    label: 'Another secret',
    kind: 'secret',
    description: 'Paste it to replace the stored one, which is never shown. Empty: it stays.',
  },
  ...USE,
];

export const NEW_FIELDS: readonly Field[] = [
  {
    name: 'provider',
    label: 'Provider',
    kind: 'text',
    description: 'Its slug, as the page of providers lists it.',
    placeholder: 'anthropic',
    isRequired: true,
  },
  {
    name: 'key',
    label: 'Secret',
    kind: 'secret',
    description: 'Paste it. It is kept encrypted, and never shown again.',
    isRequired: true,
  },
  NAME,
  {
    name: 'workspace_id',
    label: 'Workspace',
    kind: 'text',
    description: 'Id or slug. Empty: the default one.',
    placeholder: 'default',
  },
  ...USE,
];
