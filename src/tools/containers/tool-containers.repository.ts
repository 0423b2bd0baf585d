import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock, HOUR_MS } from '../../core/time.js';
import { waitForLock } from '../../shared/database/advisory-locks.js';
import { Statements } from '../../shared/database/statements.js';
import type { SealedBytes } from '../../vault/seal-ring.js';
import { CONTAINERS_MAX } from './container-bounds.js';

/** Age after which a state that no container refers to is abandoned; a younger one may still be written. */
const UNUSED_STATE_MS = HOUR_MS;
/** Pieces, a quarter of a MiB each, that one statement of a sweep removes. */
const REMOVED_PIECES_MAX = 8;

/** The owner and id of a container: one id means another container to each key. */
export interface ContainerKey {
  readonly accountId: string;
  readonly keyHash: string;
  readonly id: string;
}

/** The pieces of a container. */
export interface ContainerState {
  /** Id of its pieces. */
  readonly state: string;
  /** Bytes of all pieces, before sealing. */
  readonly size: number;
}

/**
 * Rows of containers and of the pieces of their states. Statements are short, because an embedded database has one
 * session.
 */
@Injectable()
export class ToolContainersRepository {
  constructor(
    private readonly statements: Statements,
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  async find({ keyHash, id }: ContainerKey): Promise<ContainerState | undefined> {
    const [found] = await this.statements.run<{ state: string; size: number }>(
      `SELECT state, size FROM tool_containers WHERE key_hash = $1 AND id = $2 AND expires_at > $3`,
      [keyHash, id, this.now()],
    );
    return found;
  }

  async findPiece(state: string, number: number): Promise<SealedBytes | undefined> {
    const [found] = await this.statements.run<{ keyId: string; sealed: Buffer }>(
      `SELECT data_key AS "keyId", sealed FROM tool_container_pieces WHERE state = $1 AND number = $2`,
      [state, number],
    );
    return found && { keyId: found.keyId, sealed: Buffer.from(found.sealed) };
  }

  async addPiece(state: string, number: number, { keyId, sealed }: SealedBytes): Promise<void> {
    await this.statements.run(
      `INSERT INTO tool_container_pieces (state, number, data_key, sealed, written_at) VALUES ($1, $2, $3, $4, $5)`,
      [state, number, keyId, sealed, this.now()],
    );
  }

  /**
   * Whether there is capacity for a container: it exists, or the key is below its limit. Another process may take the
   * capacity before `put`.
   */
  async hasHeadroom({ keyHash, id }: ContainerKey): Promise<boolean> {
    return this.isRoomFor(this.database.manager, keyHash, id);
  }

  /**
   * Makes the container refer to a state, all of whose pieces are written.
   * @returns the previous state, whose pieces are unused from now on; undefined when the key is at its limit of other
   * containers
   */
  async put(
    key: ContainerKey,
    { state, size }: ContainerState,
    seconds: number,
  ): Promise<{ readonly before: ContainerState | undefined } | undefined> {
    const { accountId, keyHash, id } = key;
    return this.database.transaction('READ COMMITTED', async (manager) => {
      await waitForLock(manager, 'toolContainers', keyHash);
      if (!(await this.isRoomFor(manager, keyHash, id))) return undefined;
      const [before] = await manager.query<ContainerState[]>(
        `SELECT state, size FROM tool_containers WHERE key_hash = $1 AND id = $2`,
        [keyHash, id],
      );
      await manager.query(
        `INSERT INTO tool_containers (key_hash, id, account_id, state, size, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (key_hash, id) DO UPDATE
         SET state = excluded.state, size = excluded.size, expires_at = excluded.expires_at`,
        [keyHash, id, accountId, state, size, new Date(this.clock.now() + seconds * 1_000)],
      );
      return { before };
    });
  }

  /**
   * Extends the life of a container whose state is unchanged, counted from now.
   * @returns false when it has another state by now, or has expired
   */
  async prolong({ keyHash, id }: ContainerKey, { state }: ContainerState, seconds: number): Promise<boolean> {
    const prolonged = await this.statements.run(
      `UPDATE tool_containers SET expires_at = $4
       WHERE key_hash = $1 AND id = $2 AND state = $3 AND expires_at > $5 RETURNING id`,
      [keyHash, id, state, new Date(this.clock.now() + seconds * 1_000), this.now()],
    );
    return prolonged.length > 0;
  }

  async removePiece(state: string, number: number): Promise<void> {
    await this.statements.run(`DELETE FROM tool_container_pieces WHERE state = $1 AND number = $2`, [state, number]);
  }

  /** Removes expired containers. @returns how many */
  async removePast(): Promise<number> {
    const removed = await this.statements.run(`DELETE FROM tool_containers WHERE expires_at <= $1 RETURNING id`, [
      this.now(),
    ]);
    return removed.length;
  }

  /** Removes some pieces that no container refers to. @returns whether there may be more */
  async removeUnused(): Promise<boolean> {
    const removed = await this.statements.run(
      `DELETE FROM tool_container_pieces WHERE (state, number) IN (
         SELECT piece.state, number FROM tool_container_pieces AS piece
         WHERE written_at < $1 AND NOT EXISTS (SELECT FROM tool_containers AS one WHERE one.state = piece.state)
         LIMIT ${REMOVED_PIECES_MAX})
       RETURNING number`,
      [new Date(this.clock.now() - UNUSED_STATE_MS)],
    );
    return removed.length === REMOVED_PIECES_MAX;
  }

  private async isRoomFor(manager: EntityManager, keyHash: string, id: string): Promise<boolean> {
    const [counted] = await manager.query<{ others: number }[]>(
      `SELECT count(*)::integer AS others FROM tool_containers WHERE key_hash = $1 AND id <> $2 AND expires_at > $3`,
      [keyHash, id, this.now()],
    );
    return counted!.others < CONTAINERS_MAX;
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}
