import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { noAllowList, noEgress, noRateLimits } from '../shared/http/unsupported-fields.js';

/** What clients may say of keys and this gateway does not act on yet: refused by name, unless it asks for nothing. */
export abstract class KeyRestrictionsDto {
  @MayOmit()
  @Fits(noRateLimits)
  rate_limits?: unknown;

  @MayOmit()
  @Fits(noAllowList)
  allowed_models?: unknown;

  @MayOmit()
  @Fits(noEgress)
  egress?: unknown;
}
