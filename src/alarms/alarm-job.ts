import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock, HOUR_MS } from '../core/time.js';
import { Outbox } from '../destinations/outbox.js';
import { RecurringJob } from '../shared/recurring-job.js';
import { alarmEvent, eventTypeOf } from './alarm-event.js';
import { AlarmEntity } from './alarm.entity.js';
import type { Judging } from './judge.js';
import { ALARM_KINDS, judge } from './judges.js';
import { ReplicaObservations } from './replica-observations.js';

const JUDGE_EVERY_MS = 10_000;
/** Least time between two judgements of one alarm, by any replicas: less than a round. */
const REST_MS = 8_000;
const CLEAR_EVERY_MS = HOUR_MS;
/** Days for which reports about windows are remembered: longer than any window except that of all time. */
const REMEMBERED_DAYS = 40;
/** Alarms that one round judges. */
const JUDGED_MAX = 1_000;

/**
 * Judges alarms by the counters of the database, never on the path of a request. Each is judged by one replica at a
 * time; what it reports, and that it was reported, are committed together.
 */
@Injectable()
export class AlarmJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('alarms');
  private readonly job = new RecurringJob(() => this.judgeAll(), this.logger);
  private readonly clearing = new RecurringJob(() => this.clear(), this.logger);

  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    private readonly observations: ReplicaObservations,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.outbox.know(ALARM_KINDS.map(eventTypeOf));
    this.job.start(JUDGE_EVERY_MS);
    this.clearing.start(CLEAR_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.job.end(), this.clearing.end()]);
  }

  /** Judges the alarms that are due. Never throws. */
  async runOnce(): Promise<void> {
    await this.job.runAnew();
  }

  /** Forgets what is past its time. Never throws. */
  async clearOnce(): Promise<void> {
    await this.clearing.run();
  }

  private async judgeAll(): Promise<void> {
    const kinds = await this.database.query<{ kind: string }[]>(
      `SELECT DISTINCT rule->>'kind' AS kind FROM alarms WHERE enabled`,
    );
    if (kinds.length === 0) return;
    if (kinds.some(({ kind }) => kind === 'outage' || kind === 'credential')) await this.observations.report();
    let reported = 0;
    for (let count = 0; count < JUDGED_MAX && !this.job.isEnding; count++) {
      const found = await this.judgeNext();
      if (found === undefined) break;
      reported += found;
    }
    if (reported > 0) this.outbox.hurry();
  }

  /** @returns the number of events; undefined where no alarm is due */
  private async judgeNext(): Promise<number | undefined> {
    const { aheadMs } = this.clock;
    return this.database.transaction('READ COMMITTED', async (manager) => {
      const [due] = await manager.query<{ id: string }[]>(
        `SELECT id FROM alarms
         WHERE enabled AND (judged_at IS NULL OR judged_at <= now() + ($1::float8 - ${REST_MS}) * interval '1 millisecond')
         ORDER BY judged_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED`,
        [aheadMs],
      );
      if (!due) return undefined;
      await manager.query(`UPDATE alarms SET judged_at = now() + $2 * interval '1 millisecond' WHERE id = $1`, [
        due.id,
        aheadMs,
      ]);
      const alarm = await manager.findOneByOrFail(AlarmEntity, { id: due.id });
      const findings = await judge({ manager, alarm, aheadMs });
      const destinationIds = await this.destinationsOf(alarm, manager);
      for (const finding of findings)
        await this.outbox.add(manager, alarmEvent(alarm, finding, new Date(this.clock.now())), destinationIds);
      return findings.length;
    });
  }

  private async destinationsOf({ id }: AlarmEntity, manager: Judging['manager']): Promise<readonly string[]> {
    const rows = await manager.query<{ destination_id: string }[]>(
      'SELECT destination_id FROM alarm_destinations WHERE alarm_id = $1',
      [id],
    );
    return rows.map(({ destination_id }) => destination_id);
  }

  private async clear(): Promise<void> {
    await this.observations.removePast();
    await this.database.query(
      `DELETE FROM alarm_firings WHERE mark ~ '^(daily|weekly|monthly|hour):'
         AND fired_at < now() + $1 * interval '1 millisecond' - interval '${REMEMBERED_DAYS} days'`,
      [this.clock.aheadMs],
    );
  }
}
