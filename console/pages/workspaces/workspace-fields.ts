import type { Guardrail, Workspace } from '../../api/schema.js';
import type { Field } from '../../parts/form-fields.js';
import { PROVIDER_FIELDS } from '../../parts/policy-fields.js';

const NAMES: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', placeholder: 'Research', isRequired: true },
  {
    name: 'slug',
    label: 'Slug',
    kind: 'text',
    description: 'Its name in addresses and bodies: lower-case letters, digits and hyphens.',
    placeholder: 'research',
    isRequired: true,
  },
  { name: 'description', label: 'Description', kind: 'text' },
];

const RULES: readonly Field[] = [
  ...PROVIDER_FIELDS,
  {
    name: 'default_provider_sort',
    label: 'Order of endpoints',
    kind: 'choice',
    options: [
      { value: '', label: 'by price and health' },
      { value: 'price', label: 'cheapest first' },
      { value: 'throughput', label: 'fastest output first' },
      { value: 'latency', label: 'fastest first word first' },
      { value: 'exacto', label: 'best at tools first' },
    ],
  },
  {
    name: 'tags',
    label: 'Tags',
    kind: 'pairs',
    description: 'name=value, one a line. Its requests have them unless they or their keys name others.',
    placeholder: 'team=research',
    absent: {},
  },
  {
    name: 'required_tags',
    label: 'Tags that requests must have',
    kind: 'lines',
    description: 'A name a line.',
    placeholder: 'project',
    absent: [],
  },
  {
    name: 'include_byok_in_budgets',
    label: 'Budgets count calls with own provider credentials',
    kind: 'toggle',
    description: 'By their list price.',
  },
];

/** Fields of the form of a new workspace. */
export const NEW_FIELDS: readonly Field[] = [...NAMES, ...RULES];

/**
 * Fields of the form that changes a workspace.
 * @param guardrails choices of its default guardrail
 */
export const changeableFields = (guardrails: readonly Guardrail[]): readonly Field[] => [
  ...NAMES,
  {
    name: 'default_guardrail_id',
    label: 'Guardrail of all its keys',
    kind: 'choice',
    options: [{ value: '', label: 'none' }, ...guardrails.map(({ id, name }) => ({ value: id, label: name }))],
  },
  ...RULES,
];

/** A workspace as its form shows it: without a guardrail the API answers an id that no guardrail has. */
export const formOf = (workspace: Workspace, guardrails: readonly Guardrail[]): object => ({
  ...workspace,
  default_guardrail_id: guardrails.some(({ id }) => id === workspace.default_guardrail_id)
    ? workspace.default_guardrail_id
    : null,
});
