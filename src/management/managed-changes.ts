import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../core/time.js';
import { systemCode } from '../shared/database/system-code.js';
import { AuditLog, type AuditActor, type AuditChange, type NewestEntry } from '../audit/audit-log.js';
import { SealKeyNeeded } from '../audit/audit-seals.js';

/** The outcome of a change of a managed resource. */
export interface ManagedChange<Result> {
  /** For the caller: what the statements of the change returned. */
  readonly result: Result;
  /** Entries for the audit log; empty where nothing changed. */
  readonly entries: readonly AuditChange[];
  /** Statements that must follow the entries in the same transaction, because they lock rows that calls wait for. */
  readonly last?: () => Promise<void>;
  /** Drops what this process has cached of the resource. */
  readonly forget?: () => void;
}

/** A change that includes others: their entries come before its own. */
export function withNestedChanges<Result>(
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
 * Makes a change within a transaction. It is called again, in a new one, after a collision with another change: all its
 * effects are statements of the transaction, or in `forget`.
 * @param at the time of the change
 */
export type ChangeWork<Result> = (manager: EntityManager, at: Date) => Promise<ManagedChange<Result>>;

/**
 * The one way to change managed resources: the change and its entries in the audit log are committed together, or
 * neither is. A change is in force in this process when it returns, and the operator's log gets a line with its seal.
 * Safe to share.
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
   * @throws whatever the work throws: then nothing is changed
   * @throws GatewayError `service-unavailable` where the entries cannot be sealed
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
      if (newest) this.logSeal(actor, newest);
      return result;
    } finally {
      // Never before the commit, or outdated values would be cached again. Also where the commit's answer was lost,
      // because it may have succeeded.
      for (const forget of forgetting) forget();
    }
  }

  /**
   * Logs may be stored apart from the database: the last such line then shows the end of the chain, which the chain
   * cannot.
   */
  private logSeal({ accountId }: AuditActor, newest: NewestEntry): void {
    this.logger.log('A change was recorded.', { accountId, ...newest });
  }
}

/** Total tries of a change. */
const ATTEMPTS_MAX = 3;

/**
 * Whether the database rolled the transaction back in favour of another one: SQLSTATE of a deadlock and of a
 * serialization failure. Nothing of it was committed.
 */
function isCollision(error: unknown): boolean {
  const code = systemCode(error);
  return code === '40P01' || code === '40001';
}
