import { Type } from '@sinclair/typebox';
import type { PluginEntry } from '../core/conversation/request.js';
import { viewExposed } from '../shared/http/column-exposure.js';
import { described, flag, nullable, object, oneOf, optional, rows, text, type Static } from '../shared/http/schema.js';
import { AccountEntity } from './account.entity.js';
import type { PolicyColumns } from './policy-columns.js';

/** A stored default of a plugin: its options are beside these fields. */
const pluginDefault = Type.Unsafe<PluginEntry>({
  ...object({ id: text(), enabled: optional(flag()), prevent_overrides: optional(flag()) }),
  additionalProperties: true,
});

/** Settings of an account or a workspace for routing and plugins, in the form of the API. */
export const policyFields = object({
  allowed_providers: nullable(rows(text())),
  ignored_providers: nullable(rows(text())),
  data_collection: oneOf(['allow', 'deny']),
  enforce_zdr: flag(),
  plugins: described('Options of plugins for requests that do not set them.', rows(pluginDefault)),
});
export type PolicyView = Static<typeof policyFields>;

/** Policy of an account: only these of its columns are shown. */
export const viewPolicy = (account: PolicyColumns): PolicyView => ({
  ...viewExposed<PolicyView>(AccountEntity, account),
  plugins: account.plugins,
});
