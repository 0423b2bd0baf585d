import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { DestinationEntity, type DestinationType } from './destination.entity.js';

export interface DestinationListing extends Page {
  readonly workspaceId: string | undefined;
  readonly type: DestinationType | undefined;
}

/** The statements over `destinations`. */
@Injectable()
export class DestinationsRepository {
  constructor(private readonly database: DataSource) {}

  /** Newest first, with the total number. */
  async list(
    accountId: string,
    { workspaceId, type, ...page }: DestinationListing,
  ): Promise<ListPart<DestinationEntity>> {
    const where = { accountId, ...(workspaceId !== undefined && { workspaceId }), ...(type && { type }) };
    const found = this.database.manager.createQueryBuilder(DestinationEntity, 'destination').where(where);
    return listNewest(found, 'id', 'DESC', page);
  }

  async find(accountId: string, id: string): Promise<DestinationEntity | null> {
    return this.database.manager.findOneBy(DestinationEntity, { accountId, id });
  }

  /** Locked until the transaction ends. */
  async lock(manager: EntityManager, accountId: string, id: string): Promise<DestinationEntity | null> {
    return manager.findOne(DestinationEntity, { where: { accountId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Number of destinations of a type in a workspace; no other transaction adds one meanwhile. */
  async lockAndCount(
    manager: EntityManager,
    { accountId, workspaceId, type }: Pick<DestinationEntity, 'accountId' | 'workspaceId' | 'type'>,
  ): Promise<number> {
    await waitForLock(manager, 'destinations', accountId);
    return manager.countBy(DestinationEntity, { accountId, workspaceId, type });
  }

  /** @returns the row as it is stored */
  async insert(manager: EntityManager, row: DestinationEntity): Promise<DestinationEntity> {
    return insertReturning(manager, DestinationEntity, row);
  }

  /** @returns the row as it is stored now */
  async update(
    manager: EntityManager,
    { accountId, id }: DestinationEntity,
    values: Partial<DestinationEntity>,
  ): Promise<DestinationEntity> {
    const [row] = await updateReturning(manager, DestinationEntity, { accountId, id }, values);
    return row!;
  }

  /** Deletes those of a workspace, as `delete`. @returns them */
  async deleteOf(manager: EntityManager, accountId: string, workspaceId: string): Promise<DestinationEntity[]> {
    const where = { accountId, workspaceId };
    const rows = await manager.find(DestinationEntity, {
      where,
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    await this.deleteAll(manager, rows);
    return rows;
  }

  /** Deletes a destination, its waiting deliveries, and the references of alarms to it. */
  async delete(manager: EntityManager, row: DestinationEntity): Promise<void> {
    await this.deleteAll(manager, [row]);
  }

  private async deleteAll(manager: EntityManager, rows: readonly DestinationEntity[]): Promise<void> {
    const ids = rows.map(({ id }) => id);
    await manager.query('DELETE FROM destinations WHERE id = ANY($1::uuid[])', [ids]);
    await manager.query(`DELETE FROM outbox_deliveries WHERE destination_id = ANY($1::uuid[]) AND status = 'waiting'`, [
      ids,
    ]);
  }
}
