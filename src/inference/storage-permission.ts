import { Injectable } from '@nestjs/common';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import type { RuledCaller } from '../core/caller.js';
import { mayRetain } from '../core/routing/route-inputs.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';

/** Whether this gateway may keep what a caller sends and receives. */
@Injectable()
export class StoragePermission {
  constructor(
    private readonly guardrails: ActiveGuardrails,
    private readonly policies: RoutingPolicies,
  ) {}

  /**
   * False where the account, the workspace or a guardrail requires zero data retention, be it for the models of some
   * authors only.
   * @throws GatewayError `service-unavailable` when the store does not answer
   */
  async isAllowed(caller: RuledCaller): Promise<boolean> {
    return (await this.of(caller)).mayKeep;
  }

  /** Returns the permission, and a text that changes with the caller's rules. */
  async of(caller: RuledCaller): Promise<{ readonly mayKeep: boolean; readonly state: string }> {
    const [{ routing, plugins }, { policies, state }] = await Promise.all([
      this.policies.of(caller),
      this.guardrails.of(caller),
    ]);
    const mayKeep = mayRetain(routing) && mayRetain(policies);
    return { mayKeep, state: JSON.stringify([routing, plugins, state]) };
  }
}
