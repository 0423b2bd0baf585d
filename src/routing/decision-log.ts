import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ConsultedDecision, Generation, GenerationObserver } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { compactDecision } from '../core/routing/decision/decision.js';
import { Clock, DAY_MS, HOUR_MS } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { Statements } from '../shared/database/statements.js';
import { Environment } from '../shared/environment.js';

/**
 * Frequent, so that each batch is small: a large one delays requests, here while it is printed and in the database
 * while it is inserted.
 */
const WRITE_EVERY_MS = 25;
/** Limit of recorded consultations of one generation: a guard may read a long reply in hundreds of pieces. */
const CONSULTED_KEPT_MAX = 32;
/** Rows of one statement. */
const BATCH_MAX = 200;
/**
 * Limit of decisions that wait for the database; beyond it the oldest are dropped: they explain calls, and no money
 * depends on them.
 */
const WAITING_MAX = 5_000;
const PAUSE_AFTER_FAILURE_MS = 2_000;
/** Milliseconds that the end of the process waits for the last rows. */
const LAST_WRITE_MS = 2_000;
/** How often expired rows are searched, and how many are deleted at a time. */
const SWEEP_EVERY_MS = HOUR_MS;
const SWEEP_ROWS_MAX = 10_000;

/**
 * A row to be written. Printed immediately: keeping its inputs would keep the catalog in memory, and printing would
 * come in bursts.
 */
interface PrintedRow {
  readonly kind: keyof typeof INSERTS;
  readonly text: string;
}

/** The beginning of the escapes by which `JSON.stringify` replaces characters that the database rejects. */
const ESCAPED_UNIT = '\\u';

/** The statement for each kind of row. */
const INSERTS = {
  requested: `INSERT INTO route_decisions (generation_id, held_at, account_id, workspace_id, decision)
     SELECT * FROM json_to_recordset($1) AS row
       (generation_id text, held_at timestamptz, account_id uuid, workspace_id uuid, decision text)
     ON CONFLICT DO NOTHING`,
  consulted: `INSERT INTO consulted_decisions (generation_id, place, held_at, account_id, workspace_id, purpose, decision)
     SELECT * FROM json_to_recordset($1) AS row
       (generation_id text, place smallint, held_at timestamptz, account_id uuid, workspace_id uuid, purpose text, decision text)
     ON CONFLICT DO NOTHING`,
} as const;

/**
 * Records how every request was routed, and each model consulted for it. Written in the background without delaying
 * requests.
 */
@Injectable()
export class DecisionLog implements GenerationObserver, OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('routing');
  private waiting: PrintedRow[] = [];
  private writing: Promise<void> | undefined;
  private pausedUntil = 0;
  private sweptAt = 0;
  private isAway = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => this.tick(), WRITE_EVERY_MS).unref();
  }

  answered(generation: Generation, { run }: ProviderCall): void {
    // A consultation before the answer has a separate plan.
    if (run.purpose === 'answer') return this.keep(generation, generation, 0);
    const index = generation.consulted.findIndex(({ plan }) => plan === run.plan);
    if (index !== -1) this.keep(generation, generation.consulted[index]!, index + 1);
  }

  ended(generation: Generation): undefined {
    // Most decisions are recorded when the call answers. What was refused before a hold was not carried out.
    if (!generation.decision && generation.consulted.length === 0) return;
    if (!generation.wasHeld) return;
    if (generation.decision) this.keep(generation, generation, 0);
    for (const [index, model] of generation.consulted.entries()) this.keep(generation, model, index + 1);
  }

  /**
   * Never throws, never waits. Each decision is recorded once and then dropped.
   * @param of whose decision: the generation's own, or of a model that it consulted
   * @param place index among the consultations from 1 on, 0 for its own
   */
  private keep(generation: Generation, of: Generation | ConsultedDecision, index: number): void {
    const { decision, plan } = of;
    if (!decision) return;
    of.decision = undefined;
    if (index > CONSULTED_KEPT_MAX) return;
    if (this.waiting.length >= WAITING_MAX) this.waiting.shift();
    const { id, caller } = generation;
    const heldAt = new Date(this.clock.now()).toISOString();
    const text = compactDecision(decision.inputs, decision.plan, generation.callsMade(plan));
    // Inserted as an object, which a text column takes unchanged, unless it contains characters the database cannot
    // read.
    const printed = text.includes(ESCAPED_UNIT) ? JSON.stringify(text) : text;
    const row = `{"generation_id":"${id}","held_at":"${heldAt}","account_id":"${caller.accountId}","workspace_id":"${caller.workspaceId}","decision":${printed}`;
    if ('purpose' in of)
      this.waiting.push({ kind: 'consulted', text: `${row},"place":${index},"purpose":"${of.purpose}"}` });
    else this.waiting.push({ kind: 'requested', text: `${row}}` });
  }

  /** Resolves when all decisions recorded before are written, or have failed. */
  async flush(): Promise<void> {
    await this.writing;
    await this.drain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.race([this.flush(), setTimeout(LAST_WRITE_MS, undefined, { ref: false })]);
  }

  private tick(): void {
    const now = this.clock.now();
    if (this.writing || now < this.pausedUntil) return;
    const isSweepDue = now - this.sweptAt >= SWEEP_EVERY_MS;
    if (this.waiting.length === 0 && !isSweepDue) return;
    this.writing = (isSweepDue ? this.sweep(now) : this.drain()).finally(() => (this.writing = undefined));
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.write();
      if (this.isAway) return;
    }
  }

  private async write(): Promise<void> {
    const batch = this.waiting.splice(0, BATCH_MAX);
    const texts: Record<PrintedRow['kind'], string[]> = { requested: [], consulted: [] };
    for (const { kind, text } of batch) texts[kind].push(text);
    let isThere = true;
    for (const kind of ['consulted', 'requested'] as const) {
      // One parameter: the driver would escape an array element by element.
      if (texts[kind].length > 0 && isThere) isThere = await this.attempt(INSERTS[kind], `[${texts[kind].join(',')}]`);
    }
    // Rows that an outage left are written again, before newer ones.
    if (!isThere) this.waiting = [...batch, ...this.waiting].slice(-WAITING_MAX);
  }

  /** Deletes rows past their retention (FAIRLEAD_RETENTION `generations`). */
  private async sweep(now: number): Promise<void> {
    const days = this.environment.retentionDays.generations;
    this.sweptAt = now;
    if (days === null) return;
    const before = new Date(now - days * DAY_MS).toISOString();
    for (const table of ['route_decisions', 'consulted_decisions']) {
      await this.attempt(
        `DELETE FROM ${table} WHERE generation_id IN
           (SELECT generation_id FROM ${table} WHERE held_at < $1 ORDER BY held_at LIMIT ${SWEEP_ROWS_MAX})`,
        before,
      );
    }
  }

  /**
   * A statement that fails while the database is available would fail again: it is logged and dropped.
   * @returns whether the database is available
   */
  private async attempt(statement: string, parameter: string): Promise<boolean> {
    try {
      await this.statements.value(statement, [parameter]);
      this.isAway = false;
    } catch (error) {
      const isAway = isDatabaseUnavailable(error);
      if (!isAway) this.logger.error(error);
      else if (!this.isAway)
        this.logger.warn(
          'Routing decisions cannot be written: the database is unavailable. They are kept and retried.',
        );
      this.isAway = isAway;
      if (isAway) this.pausedUntil = this.clock.now() + PAUSE_AFTER_FAILURE_MS;
    }
    return !this.isAway;
  }
}
