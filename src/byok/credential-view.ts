import type { CredentialStatus } from './credential-opener.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';

/** A credential as administrators see it (Scope 2.6, WIRE 1.24): the keys that every client version wants. */
export interface CredentialView {
  id: string;
  provider: string;
  name: string | null;
  label: string;
  disabled: boolean;
  is_fallback: boolean;
  sort_order: number;
  workspace_id: string;
  created_at: string;
  allowed_models: string[] | null;
  allowed_user_ids: string[] | null;
  allowed_api_key_hashes: string[] | null;
  is_required: boolean;
  is_byok_only: boolean;
  declared_zdr: boolean | null;
}

/** The same in a reply. */
export interface CredentialReply extends CredentialView {
  /** Whether this process can read it now. Not in scope; chosen: a credential that cannot be used must be seen (DESIGN 12). */
  status: CredentialStatus;
}

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
