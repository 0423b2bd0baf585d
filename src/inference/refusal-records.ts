import { Injectable } from '@nestjs/common';
import { NO_USAGE } from '../core/conversation/usage.js';
import type { Generation } from '../core/generation/generation.js';
import { Clock } from '../core/time.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { buildGenerationRow } from './billing/build-generation-row.js';

const NOTHING = { credits: 0n, byok: 0n };

/**
 * Whether a generation that ended without a call is recorded: refusals by policies, guardrails and budgets, and
 * requests for which these excluded every endpoint. A request for an unknown model is not.
 */
export const isRecordedRefusal = ({ wasCalled, outcome, plan }: Generation): boolean =>
  !wasCalled && (outcome === 'forbidden' || (outcome === 'not-found' && plan !== undefined));

/** Records refusals for which nothing was held; one with a hold is settled with a cost of zero. */
@Injectable()
export class RefusalRecords {
  constructor(
    private readonly ledger: LedgerService,
    private readonly clock: Clock,
  ) {}

  /** Resolves as `LedgerService.record`. Never throws. */
  record(generation: Generation): Promise<void> {
    const now = this.clock.now();
    const row = buildGenerationRow(generation, {
      hold: {
        id: generation.id,
        heldAt: new Date(now).toISOString(),
        counters: { keyInterval: 'lifetime', budgets: null },
      },
      bound: NOTHING,
      usage: NO_USAGE,
      charged: { bill: undefined, cost: 0n, operatorCost: 0n, isOverBound: false },
      images: 0,
      settledAt: now,
      priceVersion: null,
    });
    return this.ledger.record(row);
  }
}
