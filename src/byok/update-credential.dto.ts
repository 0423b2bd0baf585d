import { Secret } from '../core/secret.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { fixed, keyText } from './credential-fields.js';
import { CredentialTraitsDto } from './credential-traits.dto.js';
import type { CredentialTraits } from './provider-credential.entity.js';

/**
 * Body of `PATCH /byok/{id}`: absent fields stay as they are, null clears, `key` replaces the credential's text
 * (docs/operate/byok.md#the-interface).
 */
export class UpdateCredentialDto extends CredentialTraitsDto {
  @MayOmit()
  @Fits(keyText)
  key?: string;

  @MayOmit()
  @Fits(fixed)
  provider?: never;

  @MayOmit()
  @Fits(fixed)
  workspace_id?: never;
}

/** The changes of a credential. */
export interface CredentialChanges {
  /** Absent: its text stays. */
  readonly key: Secret | undefined;
  readonly traits: Partial<CredentialTraits>;
}

/** The changes that a valid body requests. */
export function readCredentialChanges(body: UpdateCredentialDto): CredentialChanges {
  const traits: { readonly [Trait in keyof CredentialTraits]: CredentialTraits[Trait] | undefined } = {
    name: body.name,
    disabled: body.disabled,
    isFallback: body.is_fallback,
    isRequired: body.is_required,
    isByokOnly: body.is_byok_only,
    declaredZdr: body.declared_zdr,
    allowedModels: body.allowed_models,
    allowedUserIds: body.allowed_user_ids,
    allowedApiKeyHashes: body.allowed_api_key_hashes,
    sortOrder: body.sort_order,
  };
  return {
    key: body.key === undefined ? undefined : new Secret(body.key),
    traits: Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined)),
  };
}
