import type { KeyKind } from '../core/caller.js';
import { readUsdNumber } from '../ledger/usd-amount.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import type { LimitReset } from './api-key.entity.js';
import { external, IsUsd, IsUtcTime, kindOfKey, limitReset, shortText, workspaceId, yesOrNo } from './key-fields.js';
import type { KeyDescription } from './new-key.js';
import { readUtcTime } from './utc-time.js';

/** Body of `POST /keys` (WIRE 1.27). */
export class CreateKeyDto {
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
  @Fits(limitReset)
  limit_reset?: LimitReset | null;

  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_limit?: boolean;

  @MayOmit()
  @MayBeNull()
  @IsUtcTime()
  expires_at?: string | null;

  @MayOmit()
  @MayBeNull()
  @Fits(shortText)
  creator_user_id?: string | null;

  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;

  @MayOmit()
  @Fits(external)
  external?: Of<typeof external>;
}

/** The key that a valid body asks for. */
export function readKeyDescription(body: CreateKeyDto): KeyDescription {
  return {
    name: body.name,
    kind: body.kind ?? 'inference',
    limitUsd: readUsdNumber(body.limit) ?? null,
    limitReset: body.limit_reset ?? null,
    includeByokInLimit: body.include_byok_in_limit ?? false,
    creatorUserId: body.creator_user_id ?? null,
    externalUser: body.external?.user ?? null,
    expiresAt: readUtcTime(body.expires_at) ?? null,
  };
}
