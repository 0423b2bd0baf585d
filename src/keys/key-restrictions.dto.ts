import { GatewayError } from '../core/errors.js';
import { isRoutingSuffix } from '../core/routing/model-name.js';
import { egressBody, readEgress } from '../accounts/egress-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import type { KeyRestrictions } from './api-key.entity.js';
import { allowedModels, rateLimits } from './key-fields.js';

/** The restrictions that a key may have. */
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

/**
 * The restrictions of a valid body, each as a whole: an absent field of an object is null.
 * @throws GatewayError `invalid-request` for a model with a routing suffix, which would allow nothing
 */
export function readRestrictions(body: KeyRestrictionsDto): Partial<KeyRestrictions> {
  refuseSuffixes(body.allowed_models ?? []);
  const egress = readEgress(body.egress);
  return {
    ...(body.rate_limits !== undefined && { rateLimits: readRateLimits(body.rate_limits) }),
    ...(body.allowed_models !== undefined && { allowedModels: body.allowed_models }),
    ...(egress !== undefined && { egress }),
  };
}

function refuseSuffixes(models: readonly string[]): void {
  for (const [index, model] of models.entries()) {
    const suffix = model.split(':').slice(1).find(isRoutingSuffix);
    if (suffix === undefined) continue;
    const reason = `:${suffix} is a wish of single requests; name the model without it`;
    throw new GatewayError('invalid-request', `allowed_models.${index}: ${reason}`);
  }
}

function readRateLimits(specified: KeyRestrictionsDto['rate_limits']): KeyRestrictions['rateLimits'] {
  const { requests_per_minute = null, tokens_per_minute = null } = specified ?? {};
  return (requests_per_minute ?? tokens_per_minute) === null ? null : { requests_per_minute, tokens_per_minute };
}
