import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../core/time.js';
import { systemCode } from '../shared/database/system-code.js';
import { AuditLog, type AuditActor, type AuditChange, type NewestEntry } from './audit-log.js';
import { SealKeyNeeded } from './audit-seals.js';

/** What a change of a managed resource has come to. */
export interface ManagedChange<Result> {
  /** For whoever asked for it: what the statements of the change returned. */
  readonly result: Result;
  /** What the audit log keeps; nothing where everything was so already. */
  readonly entries: readonly AuditChange[];
  /** What has to come after the entries, in the same transaction: statements on rows that calls wait for. */
  readonly last?: () => Promise<void>;
  /** Drops what this process has at hand of the thing. */
  readonly forget?: () => void;
}

/** A change that takes others along: what the log keeps of these comes before its own entries. */
export function takingAlong<Result>(
  change: ManagedChange<Result>,
  ...others: readonly ManagedChange<unknown>[]
): ManagedChange<Result> {
  const all = [...others, change];
  return {
    result: change.result,
    entries: all.flatMap(({ entries }) => entries),
    last: async () => {
      for (const { last } of all) await last?.();
    },
    forget: () => {
      for (const { forget } of all) forget?.();
    },
  };
}

/**
 * Makes a change within a transaction. It is called again, in a new one, after a collision with another change: what it
 * does is done by the statements of the transaction alone, or by `forget`.
 * @param at the time of the change
 */
export type ChangeWork<Result> = (manager: EntityManager, at: Date) => Promise<ManagedChange<Result>>;

/**
 * The one way in which anything is changed that administrators manage: the change and its entries in the audit log are
 * committed together, or neither is. A change is in force in this process when it returns, and the operator's log has a
 * line with its seal. Safe to share.
 */
@Injectable()
export class ManagedChanges {
  private readonly logger = new Logger('audit');

  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws whatever the work throws: nothing is changed then
   * @throws GatewayError `unavailable` where the entries cannot be sealed
   */
  async run<Result>(actor: AuditActor, work: ChangeWork<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.attempt(actor, work);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX) throw error;
        if (error instanceof SealKeyNeeded) await this.audit.prepare();
        else if (!isCollision(error)) throw error;
      }
  }

  private async attempt<Result>(actor: AuditActor, work: ChangeWork<Result>): Promise<Result> {
    const forgetting: (() => void)[] = [];
    try {
      // At this level a row or a lock that was waited for shows what was committed meanwhile.
      const { result, newest } = await this.database.transaction('READ COMMITTED', async (manager) => {
        const change = await work(manager, new Date(this.clock.now()));
        const recorded = await this.audit.record(manager, actor, change.entries);
        await change.last?.();
        if (change.forget) forgetting.push(change.forget);
        return { result: change.result, newest: recorded };
      });
      if (newest) this.tell(actor, newest);
      return result;
    } finally {
      // Never before the commit, or what is read anew would be old. Also where its answer was lost, for it may have
      // been made.
      for (const forget of forgetting) forget();
    }
  }

  /** Where logs are kept apart from the database, the last such line shows what a chain cannot: where it ended. */
  private tell({ accountId }: AuditActor, newest: NewestEntry): void {
    this.logger.log('A change was recorded.', { accountId, ...newest });
  }
}

/** Times that a change is tried in all. */
const ATTEMPTS_MAX = 3;

/**
 * Whether the database undid the transaction for the sake of another: SQLSTATE of a deadlock and of a serialization
 * failure. Nothing of it was committed.
 */
function isCollision(error: unknown): boolean {
  const code = systemCode(error);
  return code === '40P01' || code === '40001';
}
