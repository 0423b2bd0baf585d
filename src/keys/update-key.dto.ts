import { Closed } from '../shared/http/closed.decorator.js';
import { resetInterval, shortText, yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import { readUsdNumber } from '../shared/http/usd-amount.js';
import { IsUsd } from '../shared/http/usd-validators.js';
import type { LimitReset } from './api-key.entity.js';
import { fixed, keyMetadata } from './key-fields.js';
import { KeyRestrictionsDto, readRestrictions } from './key-restrictions.dto.js';
import type { KeyChanges } from './keys.repository.js';

/** Body of `PATCH /keys/{hash}`: absent fields stay as they are, null clears. */
@Closed()
export class UpdateKeyDto extends KeyRestrictionsDto {
  @MayOmit()
  @Fits(shortText)
  name?: string;

  @MayOmit()
  @Fits(yesOrNo)
  disabled?: boolean;

  @MayOmit()
  @MayBeNull()
  @IsUsd()
  limit?: number | null;

  @MayOmit()
  @MayBeNull()
  @Fits(resetInterval)
  limit_reset?: LimitReset | null;

  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_limit?: boolean;

  @MayOmit()
  @MayBeNull()
  @Fits(keyMetadata)
  metadata?: Of<typeof keyMetadata> | null;

  @MayOmit()
  @Fits(fixed)
  kind?: never;

  @MayOmit()
  @Fits(fixed)
  is_workspace_bound?: never;

  @MayOmit()
  @Fits(fixed)
  expires_at?: never;

  @MayOmit()
  @Fits(fixed)
  creator_user_id?: never;

  @MayOmit()
  @Fits(fixed)
  workspace_id?: never;

  @MayOmit()
  @Fits(fixed)
  external?: never;
}

/** The changes that a valid body requests. */
export function readKeyChanges(body: UpdateKeyDto): KeyChanges {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.disabled !== undefined && { disabled: body.disabled }),
    ...(body.limit !== undefined && { limitUsd: readUsdNumber(body.limit) ?? null }),
    ...(body.limit_reset !== undefined && { limitReset: body.limit_reset }),
    ...(body.include_byok_in_limit !== undefined && { includeByokInLimit: body.include_byok_in_limit }),
    ...readRestrictions(body),
    ...(body.metadata?.tags !== undefined && { tags: body.metadata.tags }),
    ...(body.metadata === null && { tags: null }),
  };
}
