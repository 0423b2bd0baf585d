import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { DestinationEntity, type DestinationType } from '../destinations/destination.entity.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest, positionOfLast } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import type { ReadAlarmEvent } from './alarm-view.js';
import { AlarmEntity, type Alarm } from './alarm.entity.js';

/** The statements over `alarms` and their destinations, and over their history. */
@Injectable()
export class AlarmsRepository {
  constructor(private readonly database: DataSource) {}

  /** Newest first, with the total number. */
  async list(accountId: string, page: Page): Promise<ListPart<Alarm>> {
    const found = this.database.manager.createQueryBuilder(AlarmEntity, 'alarm').where({ accountId });
    const [rows, total, last] = await listNewest(found, 'id', 'DESC', page);
    return [await this.withDestinations(rows), total, last];
  }

  async find(accountId: string, id: string): Promise<Alarm | undefined> {
    const row = await this.database.manager.findOneBy(AlarmEntity, { accountId, id });
    return row ? (await this.withDestinations([row]))[0] : undefined;
  }

  /** Locked until the transaction ends. */
  async lock(manager: EntityManager, accountId: string, id: string): Promise<Alarm | undefined> {
    const where = { accountId, id };
    const row = await manager.findOne(AlarmEntity, { where, lock: { mode: 'pessimistic_write' } });
    return row ? (await this.withDestinations([row], manager))[0] : undefined;
  }

  /** The number of alarms of the account; no other transaction adds one meanwhile. */
  async lockAndCount(manager: EntityManager, accountId: string): Promise<number> {
    await waitForLock(manager, 'alarms', accountId);
    return manager.countBy(AlarmEntity, { accountId });
  }

  /** @returns it as it is stored */
  async insert(manager: EntityManager, { destinationIds, ...row }: Alarm): Promise<Alarm> {
    const inserted = await insertReturning(manager, AlarmEntity, row);
    await this.setDestinations(manager, inserted.id, destinationIds);
    return { ...inserted, destinationIds };
  }

  /** @returns it as it is stored now */
  async update(manager: EntityManager, before: Alarm, changes: Partial<Alarm>): Promise<Alarm> {
    const { accountId, id } = before;
    const { destinationIds, ...values } = changes;
    const [row] = await updateReturning(manager, AlarmEntity, { accountId, id }, values);
    if (destinationIds) await this.setDestinations(manager, id, destinationIds);
    return { ...row!, destinationIds: destinationIds ?? before.destinationIds };
  }

  /** Deletes an alarm; its history is kept. */
  async delete(manager: EntityManager, { accountId, id }: Alarm): Promise<void> {
    await manager.query('DELETE FROM alarms WHERE account_id = $1 AND id = $2', [accountId, id]);
  }

  /** Deletes the notes of reports, after the rule has changed: the new rule reports again. */
  async forgetFirings(manager: EntityManager, id: string): Promise<void> {
    await manager.query('DELETE FROM alarm_firings WHERE alarm_id = $1', [id]);
  }

  /** The types of these destinations of the account, by id. They stay until the transaction ends. */
  async lockDestinations(
    manager: EntityManager,
    accountId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, DestinationType>> {
    const where = { accountId, id: In([...ids]) };
    const rows = await manager.find(DestinationEntity, { where, lock: { mode: 'for_key_share' } });
    return new Map(rows.map(({ id, type }) => [id, type]));
  }

  /** @param statement that finds a row for the account `$1` and the id `$2` */
  async exists(manager: EntityManager, statement: string, accountId: string, id: string): Promise<boolean> {
    return (await manager.query<unknown[]>(statement, [accountId, id])).length > 0;
  }

  /** Events of alarms, newest first, with the total number. @param alarmId of all alarms where undefined */
  async listHistory(
    accountId: string,
    alarmId: string | undefined,
    { offset, limit, after }: Page,
  ): Promise<ListPart<ReadAlarmEvent>> {
    const from = `FROM outbox_events e WHERE e.account_id = $1 AND e.subject IS NOT NULL AND ($2::uuid IS NULL OR e.subject = $2)`;
    const of = [accountId, alarmId ?? null];
    const events = await this.database.query<ReadAlarmEvent[]>(
      `SELECT e.*, coalesce((
         SELECT json_agg(o ORDER BY o.destination_id) FROM outbox_deliveries o WHERE o.event_id = e.id
       ), '[]') AS deliveries
       ${from} ${after ? 'AND (e.occurred_at, e.id) < ($5::timestamptz, $6::uuid)' : ''}
       ORDER BY e.occurred_at DESC, e.id DESC OFFSET $3 LIMIT $4`,
      [...of, after ? 0 : offset, limit, ...(after ? [after.at, after.ids[0]] : [])],
    );
    const [counted] = after
      ? []
      : await this.database.query<{ total: number }[]>(`SELECT count(*)::int AS total ${from}`, of);
    return [
      events.map((event) => ({
        ...event,
        deliveries: event.deliveries.map(({ destination_id, status, attempts, last_status, last_error, due_at, finished_at }) => ({
          destination_id, status, attempts, last_status, last_error, due_at, finished_at,
        })),
      })), // oxfmt-ignore
      counted?.total ?? 0,
      positionOfLast(events, ({ occurred_at: at, id }) => ({ at, ids: [id] })),
    ];
  }

  private async setDestinations(manager: EntityManager, id: string, destinationIds: readonly string[]): Promise<void> {
    await manager.query('DELETE FROM alarm_destinations WHERE alarm_id = $1', [id]);
    await manager.query('INSERT INTO alarm_destinations (alarm_id, destination_id) SELECT $1, unnest($2::uuid[])', [
      id,
      destinationIds,
    ]);
  }

  private async withDestinations(
    rows: readonly AlarmEntity[],
    manager: EntityManager = this.database.manager,
  ): Promise<Alarm[]> {
    const found = await manager.query<{ alarm_id: string; destination_id: string }[]>(
      'SELECT alarm_id, destination_id FROM alarm_destinations WHERE alarm_id = ANY($1) ORDER BY destination_id',
      [rows.map(({ id }) => id)],
    );
    return rows.map((row) => ({
      ...row,
      destinationIds: found.filter(({ alarm_id }) => alarm_id === row.id).map(({ destination_id }) => destination_id),
    }));
  }
}
