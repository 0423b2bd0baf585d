import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../../audit/audit-log.js';
import { ManagedChanges, type ManagedChange } from '../../management/managed-changes.js';
import { ManagedKind } from '../../management/managed-kind.js';
import { GatewayError } from '../../core/errors.js';
import type { PicoUsd } from '../../core/money/credits.js';
import { CreditsRepository, type NewCredits } from './credits.repository.js';
import { viewCredits, type EnteredCredits } from './entered-credits.js';

/** Credits as the audit log shows them. */
const CREDITS = new ManagedKind<EnteredCredits>('credits', (credits) => ({
  target: credits.id,
  view: viewCredits(credits),
}));

/** Credits that a management key enters. The grant at an account's opening cannot be entered by a caller. */
export type ManualCredits = NewCredits & { readonly kind: 'purchase' | 'adjustment' | 'refund' };

/** The credits of accounts, and every way in which they are added. */
@Injectable()
export class CreditsService {
  constructor(
    private readonly credits: CreditsRepository,
    private readonly changes: ManagedChanges,
  ) {}

  /**
   * Enters credits, once for each idempotency key even under concurrent calls. They can be spent when this returns. The
   * audit log gets an entry; a repetition gets none.
   * @throws GatewayError `conflict` when the key was used with another amount or kind; `invalid-request` when the
   *   account's amounts would leave the range of amounts, or more is refunded than was bought
   */
  async enter(actor: AuditActor, credits: ManualCredits): Promise<EnteredCredits> {
    const { accountId } = actor;
    return this.changes.run(actor, async (manager) => {
      const entered = await this.credits.insert(manager, accountId, credits);
      if (entered) return this.entered(manager, accountId, entered);
      return { result: await this.getEarlier(manager, accountId, credits), entries: [] };
    });
  }

  /**
   * Opens the account's counter with the granted credits, within the change that creates the account.
   * @param amount 0 grants nothing
   */
  async open(manager: EntityManager, accountId: string, amount: PicoUsd): Promise<ManagedChange<void>> {
    const last = (): Promise<void> => this.credits.raise(manager, accountId, amount);
    if (amount === 0n) return { result: undefined, entries: [], last };
    const grant = { kind: 'grant', amount, note: 'Initial credits', idempotencyKey: null } as const;
    const granted = await this.credits.insert(manager, accountId, grant);
    return { ...this.entered(manager, accountId, granted!), result: undefined };
  }

  private entered(manager: EntityManager, accountId: string, credits: EnteredCredits): ManagedChange<EnteredCredits> {
    return {
      result: credits,
      entries: [CREDITS.entry('enter', credits, { after: viewCredits(credits) })],
      // Last: holds wait for the counter's row from here to the commit, so the audit entries must be written before.
      last: () => this.credits.raise(manager, accountId, credits.amount),
    };
  }

  private async getEarlier(
    manager: EntityManager,
    accountId: string,
    { kind, amount, idempotencyKey }: NewCredits,
  ): Promise<EnteredCredits> {
    const earlier = await this.credits.findByIdempotencyKey(manager, accountId, idempotencyKey);
    if (earlier?.kind !== kind || earlier.amount !== amount)
      throw new GatewayError('conflict', 'idempotency_key: was used before, with another amount or kind');
    return earlier;
  }
}
