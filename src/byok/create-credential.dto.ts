import { Secret } from '../core/secret.js';
import { shortText, workspaceReference } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { keyText } from './credential-fields.js';
import { CredentialTraitsDto } from './credential-traits.dto.js';
import type { CredentialTraits } from './provider-credential.entity.js';

/** Body of `POST /byok` (docs/operate/byok.md#fields). */
export class CreateCredentialDto extends CredentialTraitsDto {
  @Fits(keyText)
  key!: string;

  /** The catalog decides which slugs exist. */
  @Fits(shortText)
  provider!: string;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** The description of a credential to be made. */
export interface CredentialDescription {
  readonly provider: string;
  readonly key: Secret;
  readonly traits: Omit<CredentialTraits, 'sortOrder'>;
  /** Absent: behind all others of its workspace and provider. */
  readonly sortOrder: number | undefined;
  /** Id or slug; absent: the account's default workspace. */
  readonly workspace: string | undefined;
}

/** The credential that a valid body describes. */
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
    workspace: body.workspace_id,
  };
}
