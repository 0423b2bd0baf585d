import { egressBody } from '../shared/http/egress-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import { noAllowList, noRateLimits } from '../shared/http/unsupported-fields.js';

/** What a key may be held to. Of limits and models it is not yet: refused by name, unless it asks for nothing. */
export abstract class KeyRestrictionsDto {
  @MayOmit()
  @Fits(noRateLimits)
  rate_limits?: unknown;

  @MayOmit()
  @Fits(noAllowList)
  allowed_models?: unknown;

  @MayOmit()
  @MayBeNull()
  @Fits(egressBody)
  egress?: Of<typeof egressBody> | null;
}
