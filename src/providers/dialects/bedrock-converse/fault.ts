import type { ProviderFault } from '../../../core/errors.js';
import type { UpstreamFailure } from '../../../core/provider.js';
import { findAwsFault } from '../aws-faults.js';
import { faultFromStatus } from '../faults.js';

/** Why a call that was not a 2xx failed. Tolerates any body: a proxy's page says no more than its status. */
export const readFault = (failure: UpstreamFailure): ProviderFault =>
  findAwsFault(failure) ?? faultFromStatus(failure, undefined, undefined);
