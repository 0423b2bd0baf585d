import type { Generation, GenerationObserver } from '../../core/generation/generation.js';
import type { ProviderCall } from '../../core/generation/provider-call.js';
import type { Hold } from '../../ledger/hold.js';
import type { LedgerService } from '../../ledger/ledger.service.js';
import { isFreeVariant } from '../../core/money/bill.js';
import type { FreeRequestCount } from '../../rate-limits/free-variants-gate.js';

/**
 * A request that counts as one to a free variant from its admission on: a caller's own, or that of a consulted model.
 * It does not count where a paid endpoint answers in the end.
 */
export class FreeRequest implements GenerationObserver {
  constructor(
    private readonly ledger: LedgerService,
    private readonly hold: Hold,
    private readonly counted: FreeRequestCount,
    /** Whether a call belongs to it. */
    private readonly includes: (call: ProviderCall) => boolean,
  ) {}

  ended({ calls }: Generation): Promise<void> | undefined {
    const answers = calls.filter((call) => call.answers && this.includes(call));
    if (answers.length === 0 || answers.some(({ leg }) => isFreeVariant(leg))) return undefined;
    this.counted.giveBack();
    return this.ledger.uncountFree(this.hold);
  }
}
