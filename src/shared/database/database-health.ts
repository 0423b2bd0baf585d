import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../core/time.js';

const PING_MS_MAX = 1_000;

/** Whether the database answers. Safe to ask as often as one likes: there is never more than one question under way. */
@Injectable()
export class DatabaseHealth {
  private silentSince: number | undefined;
  private asking: Promise<boolean> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Time of the first unanswered ping of the present outage, in milliseconds since 1970; absent
   * while the database answers.
   */
  get unreachableSince(): number | undefined {
    return this.silentSince;
  }

  /** Asks the database, for a second at the longest. Never throws. */
  async ping(): Promise<boolean> {
    const answered = await this.askWithinBound();
    if (answered) this.silentSince = undefined;
    else this.silentSince ??= this.clock.now();
    return answered;
  }

  private async askWithinBound(): Promise<boolean> {
    // A question without an answer keeps its connection: asking again before it fails would empty the pool.
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PING_MS_MAX, false);
    });
    return Promise.race([this.asking, tooLong]).finally(() => clearTimeout(timer));
  }

  private async ask(): Promise<boolean> {
    try {
      await this.dataSource.query('select 1');
      return true;
    } catch {
      return false;
    }
  }
}
