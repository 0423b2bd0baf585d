import { Closed } from '../shared/http/closed.decorator.js';
import { yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { entries, keyHashes, credentialName, sortOrder } from './credential-fields.js';

/** The fields that are the same when a credential is made and changed (docs/operate/byok.md#fields). */
@Closed()
export abstract class CredentialTraitsDto {
  @MayOmit()
  @MayBeNull()
  @Fits(credentialName)
  name?: string | null;

  @MayOmit()
  @MayBeNull()
  @Fits(entries)
  allowed_models?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(entries)
  allowed_user_ids?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(keyHashes)
  allowed_api_key_hashes?: string[] | null;

  @MayOmit()
  @Fits(yesOrNo)
  disabled?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  is_fallback?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  is_required?: boolean;

  @MayOmit()
  @Fits(yesOrNo)
  is_byok_only?: boolean;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  declared_zdr?: boolean | null;

  @MayOmit()
  @Fits(sortOrder)
  sort_order?: number;
}
