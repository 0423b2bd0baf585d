import { readUsdNumber } from '../ledger/usd-amount.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { LimitReset } from './api-key.entity.js';
import { IsUsd, limitReset, shortText, yesOrNo } from './key-fields.js';
import type { KeyChanges } from './keys.repository.js';

/** Body of `PATCH /keys/{hash}`: what is left out stays as it is, null clears. */
export class UpdateKeyDto {
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
  @Fits(limitReset)
  limit_reset?: LimitReset | null;

  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_limit?: boolean;
}

/** The changes that a valid body asks for. */
export function readKeyChanges(body: UpdateKeyDto): KeyChanges {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.disabled !== undefined && { disabled: body.disabled }),
    ...(body.limit !== undefined && { limitUsd: readUsdNumber(body.limit) ?? null }),
    ...(body.limit_reset !== undefined && { limitReset: body.limit_reset }),
    ...(body.include_byok_in_limit !== undefined && { includeByokInLimit: body.include_byok_in_limit }),
  };
}
