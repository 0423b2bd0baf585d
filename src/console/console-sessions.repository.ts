import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { HOUR_MS, MINUTE_MS } from '../core/time.js';
import { insertReturning } from '../shared/database/returned-rows.js';
import type { Page } from '../shared/http/page.dto.js';
import { ConsoleLinkEntity, ConsoleSessionEntity } from './console-session.entity.js';

/** Maximum time of a session without a request, and in all. */
export const IDLE_MS_MAX = 30 * MINUTE_MS;
export const SESSION_MS_MAX = 12 * HOUR_MS;
/** Maximum sessions of one key or person; a further one ends the oldest. Chosen. */
const SESSIONS_MAX = 100;

/** The owner of sessions: an account, one of its keys, or a person. */
export interface SessionOwner {
  readonly accountId: string;
  readonly keyHash?: string;
  readonly personId?: string;
}

/** The statements over `console_sessions` and `console_links`. */
@Injectable()
export class ConsoleSessionsRepository {
  constructor(private readonly database: DataSource) {}

  /** A session in force. */
  async find(id: string, at: Date): Promise<ConsoleSessionEntity | null> {
    return this.database.manager
      .createQueryBuilder(ConsoleSessionEntity, 's')
      .where(`s.id = :id AND ${LIVE}`, { id, ...moments(at) })
      .getOne();
  }

  /** Notes the use of a session, unless another process has noted it since. */
  async touch({ id, lastSeenAt }: ConsoleSessionEntity, at: Date): Promise<void> {
    await this.database.query(
      'UPDATE console_sessions SET last_seen_at = $2 WHERE id = $1 AND last_seen_at <= $3 AND revoked_at IS NULL',
      [id, at, lastSeenAt],
    );
  }

  /** Sessions in force, the newest first, with the total number. */
  async list(owner: SessionOwner, at: Date, { offset, limit }: Page): Promise<[ConsoleSessionEntity[], number]> {
    return this.database.manager
      .createQueryBuilder(ConsoleSessionEntity, 's')
      .where(LIVE, moments(at))
      .andWhere(owner)
      .orderBy('s.createdAt', 'DESC')
      .addOrderBy('s.id', 'DESC')
      .offset(offset)
      .limit(limit)
      .getManyAndCount();
  }

  /** Also removes expired sessions, and ends the owner's oldest ones beyond the maximum. */
  async insert(manager: EntityManager, row: ConsoleSessionEntity): Promise<ConsoleSessionEntity> {
    await manager.query('DELETE FROM console_sessions WHERE expires_at <= $1', [row.createdAt]);
    await manager.query('DELETE FROM console_links WHERE expires_at <= $1', [row.createdAt]);
    await manager.query(
      `DELETE FROM console_sessions WHERE id IN (
         SELECT id FROM console_sessions WHERE coalesce(key_hash, person_id) = $1 ORDER BY created_at DESC, id DESC OFFSET $2)`,
      [row.keyHash ?? row.personId, SESSIONS_MAX - 1],
    );
    return insertReturning(manager, ConsoleSessionEntity, row);
  }

  /** A session in force, which ends now. Undefined where there is none, also where another process has ended it. */
  async revoke(
    manager: EntityManager,
    owner: SessionOwner,
    id: string,
    at: Date,
  ): Promise<ConsoleSessionEntity | undefined> {
    const session = await manager
      .createQueryBuilder(ConsoleSessionEntity, 's')
      .setLock('pessimistic_write')
      .where(`s.id = :id AND ${LIVE}`, { id, ...moments(at) })
      .andWhere(owner)
      .getOne();
    if (!session) return undefined;
    await manager.query('UPDATE console_sessions SET revoked_at = $2 WHERE id = $1', [id, at]);
    return session;
  }

  /** Whether a sign-in has opened a session already. */
  async hasSignIn(manager: EntityManager, signIn: string): Promise<boolean> {
    return manager.existsBy(ConsoleSessionEntity, { signIn });
  }

  async insertLink(link: ConsoleLinkEntity): Promise<void> {
    await insertReturning(this.database.manager, ConsoleLinkEntity, link);
  }

  /** A link that may still be used. */
  async findLink(id: string, at: Date): Promise<ConsoleLinkEntity | null> {
    return this.database.manager
      .createQueryBuilder(ConsoleLinkEntity, 'l')
      .where('l.id = :id AND l.expiresAt > :at', { id, at })
      .getOne();
  }

  /** @returns whether it was there: of two who use it at once, one gets it */
  async takeLink(manager: EntityManager, id: string): Promise<boolean> {
    const [removed] = await manager.query<{ taken: number }[]>(
      'WITH removed AS (DELETE FROM console_links WHERE id = $1 RETURNING id) SELECT count(*)::int AS taken FROM removed',
      [id],
    );
    return removed!.taken === 1;
  }
}

const LIVE = 's.revokedAt IS NULL AND s.expiresAt > :at AND s.lastSeenAt > :idleSince';

const moments = (at: Date): { readonly at: Date; readonly idleSince: Date } => ({
  at,
  idleSince: new Date(at.getTime() - IDLE_MS_MAX),
});
