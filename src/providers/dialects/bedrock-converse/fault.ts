import type { ProviderFault } from '../../../core/errors.js';
import type { UpstreamFailure } from '../../../core/provider.js';
import { findAwsFault } from '../aws-faults.js';
import { faultFromStatus } from '../faults.js';

/** The fault of a call whose status is not a 2xx. Tolerates any body: for a proxy's page only the status counts. */
export const readFault = (failure: UpstreamFailure): ProviderFault =>
  findAwsFault(failure) ?? faultFromStatus(failure, undefined, undefined);
