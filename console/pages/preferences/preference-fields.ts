import type { Field } from '../../parts/form-fields.js';
import { PROVIDER_FIELDS } from '../../parts/policy-fields.js';

const PLUGINS_EXAMPLE = '[{ "id": "web", "enabled": false, "prevent_overrides": true }]';

/** Fields that preferences of accounts and of workspaces have in common. */
export const POLICY_FIELDS: readonly Field[] = [
  ...PROVIDER_FIELDS,
  {
    name: 'plugins',
    label: 'Defaults of plugins (JSON)',
    kind: 'json',
    description: `What plugins do where a request does not specify it; prevent_overrides fixes it. Such as ${PLUGINS_EXAMPLE}`,
    absent: [],
  },
];

/** Fields of the preferences of the account. */
export const ACCOUNT_FIELDS: readonly Field[] = [
  ...POLICY_FIELDS,
  {
    name: 'egress.allowed_domains',
    label: 'Domains that tools and media may reach',
    kind: 'lines',
    description: 'A domain a line, with its subdomains. Empty: all. The word none: nowhere.',
    emptyWord: 'none',
  },
  {
    name: 'egress.blocked_domains',
    label: 'Domains that they may not reach',
    kind: 'lines',
    description: 'They win over what is allowed.',
  },
];
