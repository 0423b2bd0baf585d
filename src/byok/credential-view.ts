import { routabilityFields } from '../providers/routability.js';
import { viewExposed } from '../shared/http/exposed.js';
import {
  flag,
  integer,
  moment,
  nullable,
  object,
  oneOf,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { CREDENTIAL_STATUSES } from './credential-opener.js';
import { ProviderCredentialEntity } from './provider-credential.entity.js';

const fields = object({
  id: text(),
  provider: text(),
  name: nullable(text()),
  label: described('The beginning and the end of the credential.', text()),
  disabled: flag(),
  is_fallback: described('Used only when the operator’s own credential has failed.', flag()),
  sort_order: integer(),
  workspace_id: text(),
  created_at: moment(),
  allowed_models: nullable(rows(text())),
  allowed_user_ids: nullable(rows(text())),
  allowed_api_key_hashes: nullable(rows(text())),
  is_required: flag(),
  is_byok_only: flag(),
  declared_zdr: nullable(flag()),
});

/** A credential as administrators see it (docs/byok.md#fields): the keys that every client version wants. */
export type CredentialView = Static<typeof fields>;

/** The same in a reply. */
export const credentialReply = titled(
  'credential',
  object({
    ...fields.properties,
    // Chosen: a credential that cannot be used must be seen (docs/reasons/security.md#unreadable-credentials-are-seen).
    status: described('Whether this process can read it now.', oneOf(CREDENTIAL_STATUSES)),
    ...routabilityFields,
  }),
);
export type CredentialReply = Static<typeof credentialReply>;

/** As the audit log keeps it too. */
export const viewCredential = (row: ProviderCredentialEntity): CredentialView =>
  viewExposed<CredentialView>(ProviderCredentialEntity, row);
