import { Secret } from '../core/secret.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { keyText, slugText, workspaceId } from './credential-fields.js';
import { CredentialTraitsDto } from './credential-traits.dto.js';
import type { CredentialTraits } from './provider-credential.entity.js';

/** Body of `POST /byok` (Scope 2.6, WIRE 1.24). */
export class CreateCredentialDto extends CredentialTraitsDto {
  @Fits(keyText)
  key!: string;

  @Fits(slugText)
  provider!: string;

  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;
}

/** What a credential is to be. */
export interface CredentialDescription {
  readonly provider: string;
  readonly key: Secret;
  readonly traits: Omit<CredentialTraits, 'sortOrder'>;
  /** Absent: behind all others of its workspace and provider. */
  readonly sortOrder: number | undefined;
  /** As the store prints ids; absent: the account's default workspace. */
  readonly workspaceId: string | undefined;
}

/** The credential that a valid body asks for. */
export function readCredentialDescription(body: CreateCredentialDto): CredentialDescription {
  return {
    provider: body.provider,
    key: new Secret(body.key),
    traits: {
      name: body.name ?? null,
      disabled: body.disabled ?? false,
      isFallback: body.is_fallback ?? false,
      isRequired: body.is_required ?? false,
      isByokOnly: body.is_byok_only ?? false,
      declaredZdr: body.declared_zdr ?? null,
      allowedModels: body.allowed_models ?? null,
      allowedUserIds: body.allowed_user_ids ?? null,
      allowedApiKeyHashes: body.allowed_api_key_hashes ?? null,
    },
    sortOrder: body.sort_order,
    // The ciphertext is bound to the id as it will be read back.
    workspaceId: body.workspace_id?.toLowerCase(),
  };
}
