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
  told,
  type Static,
} from '../shared/http/schema.js';
import { CREDENTIAL_STATUSES } from './credential-opener.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';

const fields = object({
  id: text(),
  provider: text(),
  name: nullable(text()),
  label: told('The beginning and the end of the credential.', text()),
  disabled: flag(),
  is_fallback: told('Used only when the operator’s own credential has failed.', flag()),
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

/** A credential as administrators see it (Scope 2.6, WIRE 1.24): the keys that every client version wants. */
export type CredentialView = Static<typeof fields>;

/** The same in a reply. */
export const credentialReply = titled(
  'credential',
  object({
    ...fields.properties,
    // Not in scope; chosen: a credential that cannot be used must be seen (DESIGN 12).
    status: told('Whether this process can read it now.', oneOf(CREDENTIAL_STATUSES)),
  }),
);
export type CredentialReply = Static<typeof credentialReply>;

export function viewCredential(row: ProviderCredentialEntity): CredentialView {
  return {
    id: row.id,
    provider: row.provider,
    name: row.name,
    label: row.label,
    disabled: row.disabled,
    is_fallback: row.isFallback,
    sort_order: row.sortOrder,
    workspace_id: row.workspaceId,
    created_at: row.createdAt.toISOString(),
    allowed_models: row.allowedModels,
    allowed_user_ids: row.allowedUserIds,
    allowed_api_key_hashes: row.allowedApiKeyHashes,
    is_required: row.isRequired,
    is_byok_only: row.isByokOnly,
    declared_zdr: row.declaredZdr,
  };
}
