import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HOUR_MS } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { RecurringJob } from '../shared/recurring-job.js';
import { AuditSeals } from './audit-seals.js';
import { AuditRepository } from './audit.repository.js';

const KEEP_EVERY_MS = HOUR_MS;

/**
 * Removes entries of the audit log after their retention (FAIRLEAD_RETENTION, `audit`), whole months only; by default
 * never. Any number of replicas may do it at once.
 */
@Injectable()
export class AuditRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('audit');
  private readonly job = new RecurringJob(() => this.removePast(), this.logger);

  constructor(
    private readonly entries: AuditRepository,
    private readonly seals: AuditSeals,
    private readonly environment: Environment,
  ) {}

  onApplicationBootstrap(): void {
    if (this.environment.retentionDays.audit === null) return;
    this.job.start(KEEP_EVERY_MS);
    void this.keep();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /**
   * Removes what is past its retention. Repeats itself every hour. Never throws: a failure is retried an hour later.
   */
  keep(): Promise<void> {
    return this.job.run();
  }

  private async removePast(): Promise<void> {
    const { audit: days } = this.environment.retentionDays;
    if (days === null) return;
    // The anchor of the removed entries is sealed. While that is impossible, nothing is removed.
    await this.seals.prepare();
    for (const accountId of await this.entries.listAccounts()) {
      // Month by month: other users of the database can run in between.
      for (;;) {
        const removed = await this.entries.removeOldestMonth(accountId, days);
        if (!removed) break;
        const month = removed.first.toISOString().slice(0, 7);
        this.logger.log(
          `Removed ${removed.entries} entries of ${month} and before: past their retention (FAIRLEAD_RETENTION).`,
        );
      }
    }
  }
}
