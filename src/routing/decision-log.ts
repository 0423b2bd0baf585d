import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ConsultedDecision, Generation, GenerationObserver } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { compactDecision } from '../core/routing/decision.js';
import { Clock, DAY_MS, HOUR_MS } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { Statements } from '../shared/database/statements.js';
import { Environment } from '../shared/environment.js';

/**
 * Often, so that each piece is small: a large one keeps requests waiting, here while it is printed and at the
 * database while it is taken in.
 */
const WRITE_EVERY_MS = 25;
/** Models that are consulted for one generation and kept: a guard may read a long reply in hundreds of pieces. */
const CONSULTED_KEPT_MAX = 32;
/** Rows of one statement. */
const BATCH_MAX = 200;
/** Decisions that wait for the database; past it the oldest goes: they explain, they are no money. */
const WAITING_MAX = 5_000;
const PAUSE_AFTER_FAILURE_MS = 2_000;
/** How long the end of the process waits for the last rows. */
const LAST_WRITE_MS = 2_000;
/** How often what is too old is looked for, and how much of it goes at one time. */
const SWEEP_EVERY_MS = HOUR_MS;
const SWEEP_ROWS_MAX = 10_000;

/**
 * A row as it will be written. Printed at once: what it is made from would hold on to the catalog,
 * and be printed in bursts.
 */
interface PrintedRow {
  readonly kind: keyof typeof INSERTS;
  readonly text: string;
}

/** How `JSON.stringify` begins what it escapes of a text that the database does not take. */
const ESCAPED_UNIT = '\\u';

/** What each kind of row is written by. */
const INSERTS = {
  asked: `INSERT INTO route_decisions (generation_id, held_at, account_id, workspace_id, decision)
     SELECT * FROM json_to_recordset($1) AS row
       (generation_id text, held_at timestamptz, account_id uuid, workspace_id uuid, decision text)
     ON CONFLICT DO NOTHING`,
  consulted: `INSERT INTO consulted_decisions (generation_id, place, held_at, account_id, workspace_id, purpose, decision)
     SELECT * FROM json_to_recordset($1) AS row
       (generation_id text, place smallint, held_at timestamptz, account_id uuid, workspace_id uuid, purpose text, decision text)
     ON CONFLICT DO NOTHING`,
} as const;

/** Keeps how every request was routed, and each model consulted for it; written in the background, nobody waits. */
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
    // Whom it consults before follows a plan of its own.
    if (run.purpose === 'answer') return this.keep(generation, generation, 0);
    const index = generation.consulted.findIndex(({ plan }) => plan === run.plan);
    if (index !== -1) this.keep(generation, generation.consulted[index]!, index + 1);
  }

  ended(generation: Generation): undefined {
    // Most are kept when they answer. What was refused before anything was reserved was not carried out.
    if (!generation.decision && generation.consulted.length === 0) return;
    if (!generation.wasHeld) return;
    if (generation.decision) this.keep(generation, generation, 0);
    for (const [index, one] of generation.consulted.entries()) this.keep(generation, one, index + 1);
  }

  /**
   * Never throws, never waits. Once for each: there is nothing to keep afterwards.
   * @param of whose decision: the generation's own, or of a model that it consulted
   * @param place among those from 1 on, 0 its own
   */
  private keep(generation: Generation, of: Generation | ConsultedDecision, place: number): void {
    const { decision, plan } = of;
    if (!decision) return;
    of.decision = undefined;
    if (place > CONSULTED_KEPT_MAX) return;
    if (this.waiting.length >= WAITING_MAX) this.waiting.shift();
    const { id, caller } = generation;
    const heldAt = new Date(this.clock.now()).toISOString();
    const text = compactDecision(decision.inputs, decision.plan, generation.callsMade(plan));
    // As an object, which a column of text takes as it stands, but what the database cannot read of it.
    const printed = text.includes(ESCAPED_UNIT) ? JSON.stringify(text) : text;
    const row = `{"generation_id":"${id}","held_at":"${heldAt}","account_id":"${caller.accountId}","workspace_id":"${caller.workspaceId}","decision":${printed}`;
    if ('purpose' in of)
      this.waiting.push({ kind: 'consulted', text: `${row},"place":${place},"purpose":"${of.purpose}"}` });
    else this.waiting.push({ kind: 'asked', text: `${row}}` });
  }

  /** Resolves when what was kept before is written, or could not be. */
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
    const texts: Record<PrintedRow['kind'], string[]> = { asked: [], consulted: [] };
    for (const { kind, text } of batch) texts[kind].push(text);
    let isThere = true;
    for (const kind of ['consulted', 'asked'] as const) {
      // One parameter: an array of the driver's is escaped element by element.
      if (texts[kind].length > 0 && isThere) isThere = await this.attempt(INSERTS[kind], `[${texts[kind].join(',')}]`);
    }
    // What an outage leaves is written again, before what came meanwhile.
    if (!isThere) this.waiting = [...batch, ...this.waiting].slice(-WAITING_MAX);
  }

  /** Drops what is past its time (FAIRLEAD_RETENTION `generations`). */
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
   * What fails although the database is there would fail again: it is logged and given up.
   * @returns whether the database is there
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
