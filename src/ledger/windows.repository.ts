import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { INTERVALS, windowStart } from '../core/time.js';
import { SpendingWindowEntity } from './spending-window.entity.js';

/** The statements over `spending_windows`. */
@Injectable()
export class WindowsRepository {
  constructor(@InjectRepository(SpendingWindowEntity) private readonly windows: Repository<SpendingWindowEntity>) {}

  /** The windows of these keys that hold `at` (milliseconds), of every interval and both kinds of spending, in one statement. */
  async listOfKeys(accountId: string, keyHashes: readonly string[], at: number): Promise<SpendingWindowEntity[]> {
    const current = INTERVALS.map((interval) => `('${interval}', :${interval}::timestamptz)`).join(', ');
    return this.windows
      .createQueryBuilder('spending')
      .where(`spending.scope IN ('key', 'key_byok')`)
      .andWhere('spending.scopeId = ANY(:keyHashes)', { keyHashes })
      .andWhere(
        `(spending.interval, spending.windowStart) IN (${current})`,
        Object.fromEntries(INTERVALS.map((interval) => [interval, windowStart(interval, at)])),
      )
      .andWhere('spending.accountId = :accountId', { accountId })
      .getMany();
  }
}
