import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { INTERVALS } from '../core/time.js';
import { SpendingWindowEntity, type SpendingScope } from './spending-window.entity.js';

/** The windows that are current by the database's clock, which decides what a hold is counted in. */
const CURRENT = INTERVALS.map(
  (interval) => `('${interval}', window_start_of('${interval}', now() + :aheadMs * interval '1 millisecond'))`,
).join(', ');

/** The statements over `spending_windows`. */
@Injectable()
export class SpendingWindowsRepository {
  constructor(@InjectRepository(SpendingWindowEntity) private readonly windows: Repository<SpendingWindowEntity>) {}

  /**
   * The current windows of these counters, of every interval, in one statement.
   * @param aheadMs how far the time of the database's clock is advanced
   */
  async listCurrent(
    accountId: string,
    scope: SpendingScope,
    scopeIds: readonly string[],
    aheadMs: number,
  ): Promise<SpendingWindowEntity[]> {
    return this.windows
      .createQueryBuilder('spending')
      .where('spending.scope = :scope', { scope })
      .andWhere('spending.scopeId = ANY(:scopeIds)', { scopeIds })
      .andWhere(`(spending.interval, spending.windowStart) IN (${CURRENT})`, { aheadMs })
      .andWhere('spending.accountId = :accountId', { accountId })
      .getMany();
  }
}
