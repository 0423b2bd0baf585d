import { egressBody, readEgress } from '../shared/http/egress-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import type { KeyRestrictions } from './api-key.entity.js';
import { allowedModels, rateLimits } from './key-fields.js';

/** What a key may be held to. */
export abstract class KeyRestrictionsDto {
  @MayOmit()
  @MayBeNull()
  @Fits(rateLimits)
  rate_limits?: Of<typeof rateLimits> | null;

  @MayOmit()
  @MayBeNull()
  @Fits(allowedModels)
  allowed_models?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(egressBody)
  egress?: Of<typeof egressBody> | null;
}

/** What a valid body says of them, each as a whole: what it leaves out of an object is null. */
export function readRestrictions(body: KeyRestrictionsDto): Partial<KeyRestrictions> {
  const egress = readEgress(body.egress);
  return {
    ...(body.rate_limits !== undefined && { rateLimits: readRateLimits(body.rate_limits) }),
    ...(body.allowed_models !== undefined && { allowedModels: body.allowed_models }),
    ...(egress !== undefined && { egress }),
  };
}

function readRateLimits(said: KeyRestrictionsDto['rate_limits']): KeyRestrictions['rateLimits'] {
  const { requests_per_minute = null, tokens_per_minute = null } = said ?? {};
  return (requests_per_minute ?? tokens_per_minute) === null ? null : { requests_per_minute, tokens_per_minute };
}
