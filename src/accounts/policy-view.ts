import { viewExposed } from '../shared/http/exposed.js';
import { flag, nullable, object, oneOf, rows, text, type Static } from '../shared/http/schema.js';
import { AccountEntity } from './account.entity.js';
import type { PolicyColumns } from './policy-columns.js';

/** What an account or a workspace allows of routing, as the API shows it. */
export const policyFields = object({
  allowed_providers: nullable(rows(text())),
  ignored_providers: nullable(rows(text())),
  data_collection: oneOf(['allow', 'deny']),
  enforce_zdr: flag(),
});
export type PolicyView = Static<typeof policyFields>;

/** Of an account: of all its columns only these are shown. */
export const viewPolicy = (account: PolicyColumns): PolicyView => viewExposed<PolicyView>(AccountEntity, account);
