import { Injectable } from '@nestjs/common';
import { GatewayError } from '../../core/errors.js';

/** Exports that run at the same time, in one process and of one account. Chosen: each occupies a connection. */
export const EXPORTS_MAX = 4;
export const ACCOUNT_EXPORTS_MAX = 2;
/** When a refused export may be tried again. */
const RETRY_AFTER_MS = 10_000;

/** Bounds how many lists and figures are exported at once. */
@Injectable()
export class ExportSlots {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  /**
   * Takes a slot while the work lasts, which ends when its reader leaves.
   * @throws GatewayError `rate-limited` where all are taken
   */
  async hold<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const own = this.takenBy.get(accountId) ?? 0;
    if (this.taken >= EXPORTS_MAX || own >= ACCOUNT_EXPORTS_MAX) {
      throw new GatewayError(
        'rate-limited',
        `format: at most ${ACCOUNT_EXPORTS_MAX} exports of an account, and ${EXPORTS_MAX} in all, run at once; try again when one has ended`,
        { retryAfterMs: RETRY_AFTER_MS },
      );
    }
    this.count(accountId, 1);
    try {
      return await work();
    } finally {
      this.count(accountId, -1);
    }
  }

  private count(accountId: string, change: 1 | -1): void {
    const own = (this.takenBy.get(accountId) ?? 0) + change;
    this.taken += change;
    if (own === 0) this.takenBy.delete(accountId);
    else this.takenBy.set(accountId, own);
  }
}
