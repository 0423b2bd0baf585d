import type { KeyKind } from '../core/caller.js';
import { Closed } from '../shared/http/closed.decorator.js';
import { resetInterval, shortText, workspaceReference, yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import { readUsdNumber } from '../shared/http/usd-amount.js';
import { IsUsd } from '../shared/http/usd-validators.js';
import { IsUtcTime, readUtcTime } from '../shared/http/utc-time.js';
import type { LimitReset } from './api-key.entity.js';
import { external, keyMetadata, kindOfKey } from './key-fields.js';
import { KeyRestrictionsDto, readRestrictions } from './key-restrictions.dto.js';
import { UNRESTRICTED, type KeyDescription } from './new-key.js';

/** Body of `POST /keys` (docs/operate/keys.md#administration). */
@Closed()
export class CreateKeyDto extends KeyRestrictionsDto {
  @Fits(shortText)
  name!: string;

  @MayOmit()
  @Fits(kindOfKey)
  kind?: KeyKind;

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
  @MayBeNull()
  @IsUtcTime()
  expires_at?: string | null;

  @MayOmit()
  @MayBeNull()
  @Fits(shortText)
  creator_user_id?: string | null;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  @MayOmit()
  @Fits(external)
  external?: Of<typeof external>;
}

/** The key that a valid body describes. */
export function readKeyDescription(body: CreateKeyDto): KeyDescription {
  return {
    name: body.name,
    kind: body.kind ?? 'inference',
    limitUsd: readUsdNumber(body.limit) ?? null,
    limitReset: body.limit_reset ?? null,
    includeByokInLimit: body.include_byok_in_limit ?? false,
    ...UNRESTRICTED,
    ...readRestrictions(body),
    tags: body.metadata?.tags ?? null,
    creatorUserId: body.creator_user_id ?? null,
    externalUser: body.external?.user ?? null,
    expiresAt: readUtcTime(body.expires_at) ?? null,
  };
}
