import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../core/time.js';

const PING_MS_MAX = 1_000;

/** Whether the database answers. May be called at any rate: at most one ping is pending. */
@Injectable()
export class DatabaseHealth {
  private silentSince: number | undefined;
  private pending: Promise<boolean> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Time of the first unanswered ping of the current outage, in epoch milliseconds; absent while the database answers.
   */
  get unreachableSince(): number | undefined {
    return this.silentSince;
  }

  /** Pings the database, waiting for a second at most. Never throws. */
  async ping(): Promise<boolean> {
    const answered = await this.pingWithinBound();
    if (answered) this.silentSince = undefined;
    else this.silentSince ??= this.clock.now();
    return answered;
  }

  private async pingWithinBound(): Promise<boolean> {
    // A ping without an answer keeps its connection: repeating it before it fails would drain the pool.
    this.pending ??= this.query().finally(() => {
      this.pending = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PING_MS_MAX, false);
    });
    return Promise.race([this.pending, tooLong]).finally(() => clearTimeout(timer));
  }

  private async query(): Promise<boolean> {
    try {
      await this.dataSource.query('select 1');
      return true;
    } catch {
      return false;
    }
  }
}
