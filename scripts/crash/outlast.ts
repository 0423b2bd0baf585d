import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { formatUsd } from '../../src/core/money/credits.js';
import { Secret } from '../../src/core/secret.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { stable, type Target } from './fleet.js';
import type { GatewayProcess } from './gateway-process.js';
import { judge, type JudgedCounts } from './judge.js';
import { launchGateway } from './launch-gateway.js';
import { LedgerWatch } from './ledger-watch.js';
import { Load } from './load.js';
import { OwnCluster } from './own-cluster.js';
import { CountingUpstream } from './upstream.js';

export interface OutlastOptions {
  readonly rounds: number;
  readonly seed: string;
  /** Node arguments that start a gateway. */
  readonly program: readonly string[];
  /** Folder of PostgreSQL's programs. */
  readonly binaries: string;
  /** How long a replica is paused. */
  readonly pauseMs: number;
  readonly report?: (line: string) => void;
}

export interface OutlastReport {
  readonly crashes: number;
  readonly pauses: number;
  readonly rolls: number;
  /** Holds that were written back after crashes, and charges that exceeded the remaining amount. */
  readonly restored: number;
  readonly late: number;
  readonly counts: JudgedCounts;
  readonly looks: number;
  readonly overspent: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const CLIENTS = 10;
const CAPPED_CLIENTS = 5;
/** USD by which a cap exceeds what is taken, each round: of the key, and of the workspace's budget. */
const ROOM = { key: 0.05, workspace: 0.4 };
const UNDER_LOAD_MS = { min: 700, max: 2_500 };
const REST_MS_MAX = 60_000;
const POLL_MS = 100;
/** Time-outs of replicas before and after a change of settings. */
const TIMEOUTS = ['total=20s', 'total=600s'] as const;

/**
 * Two replicas under load on a database that is killed, each of them paused in turn, and replaced by one with other
 * time-outs; caps and budgets are checked throughout. Then the ledger is compared with the upstream's count.
 */
export async function runOutlast(options: OutlastOptions): Promise<OutlastReport> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-outlast-'));
  const random = new SeededRandom(options.seed);
  const upstream = await new CountingUpstream(random).listen();
  const cluster = await OwnCluster.start(options.binaries);
  const pool = new pg.Pool({ connectionString: cluster.url, max: 3 });
  // The pool's idle connections break with the server.
  pool.on('error', () => undefined);
  const run = new Outlast(options, folder, random, upstream, cluster, pool);
  try {
    return await run.report();
  } finally {
    await run.close();
    await upstream.close();
    await pool.end();
    await cluster.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Replica {
  readonly gateway: GatewayProcess;
  readonly target: Target;
}

class Outlast {
  private readonly began = performance.now();
  private readonly load: Load;
  private readonly watch: LedgerWatch;
  private readonly processes: GatewayProcess[] = [];
  private readonly apiKey = randomBytes(24).toString('hex');
  private readonly cappedKey = randomBytes(24).toString('hex');
  private readonly encryptionKey = randomBytes(32).toString('base64');
  private readonly violations: string[] = [];
  private events = { restored: 0, late: 0 };
  private started = 0;

  constructor(
    private readonly options: OutlastOptions,
    private readonly folder: string,
    private readonly random: SeededRandom,
    private readonly upstream: CountingUpstream,
    private readonly cluster: OwnCluster,
    private readonly pool: pg.Pool,
  ) {
    this.load = new Load(random, (marker) => upstream.called(marker));
    this.watch = new LedgerWatch(pool);
  }

  async report(): Promise<OutlastReport> {
    const { rounds, pauseMs } = this.options;
    const replicas = [await this.start(0), await this.start(1)] as [Replica, Replica];
    await this.addCaps();
    this.watch.start();
    this.load.start(Array.from({ length: CLIENTS }, (_, i) => (i < CAPPED_CLIENTS ? this.cappedKey : this.apiKey)));
    for (const { target } of replicas) this.load.targets.add(target);
    for (let round = 0; round < rounds; round++) {
      await this.raiseCaps();
      await this.crash(round);
      const paused = replicas[round % 2]!;
      await this.pause(paused, pauseMs, round);
      replicas[round % 2] = await this.roll(paused, round);
      this.options.report?.(`round ${round + 1} of ${rounds}; ${this.load.replies.length} requests so far`);
    }
    await this.load.stop();
    if (!(await this.until(async () => (await this.watch.countHolds()) === 0))) {
      this.violations.push(`${await this.watch.countHolds()} holds were never ended`);
    }
    for (const replica of replicas) await this.readEvents(replica);
    await this.watch.stop();
    return this.conclude();
  }

  /** Ends everything this run started. Never throws. */
  async close(): Promise<void> {
    for (const gateway of this.processes) gateway.resume();
    await Promise.allSettled(this.processes.map((gateway) => gateway.kill()));
    await Promise.allSettled([this.load.stop(), this.watch.stop()]);
  }

  private async crash(round: number): Promise<void> {
    await this.underLoad(round, 'crash');
    await this.cluster.crash();
    await this.cluster.resume();
    await this.underLoad(round, 'after the crash');
  }

  private async pause({ gateway, target }: Replica, ms: number, round: number): Promise<void> {
    await this.underLoad(round, 'pause');
    gateway.pause();
    this.load.targets.delete(target);
    await delay(ms);
    gateway.resume();
    await this.underLoad(round, 'after the pause');
  }

  /** Replaces a replica by one with other time-outs, while no request is open there. */
  private async roll(old: Replica, round: number): Promise<Replica> {
    const next = await this.start(round);
    this.load.targets.add(next.target);
    if (!(await this.until(async () => this.load.openAt(old.target) === 0))) {
      this.violations.push('a replica never came to an end with what was open');
    }
    await delay(1_000);
    await this.readEvents(old);
    await old.gateway.kill();
    return next;
  }

  private async start(round: number): Promise<Replica> {
    const life = stable(`r${this.started++}`);
    const { folder, encryptionKey, apiKey } = this;
    const shared = {
      program: this.options.program,
      folder,
      upstreamUrl: this.upstream.url,
      databaseUrl: this.cluster.url,
      encryptionKey,
      apiKey,
      managementKey: randomBytes(24).toString('hex'),
      initialCredits: '1000000',
    };
    const gateway = await launchGateway(life, shared, { FAIRLEAD_TIMEOUTS: TIMEOUTS[round % 2]! });
    this.processes.push(gateway);
    return { gateway, target: life.at(await gateway.origin()) };
  }

  /** A second key, with a cap, and a budget of the workspace that both use. */
  private async addCaps(): Promise<void> {
    await this.pool.query(
      `INSERT INTO api_keys (hash, account_id, workspace_id, kind, name, label, created_at, limit_usd, include_byok_in_limit)
       SELECT $2, account_id, workspace_id, kind, 'capped', 'sk-…', now(), 0, false FROM api_keys WHERE hash = $1`,
      [hashKey(this.apiKey), hashKey(this.cappedKey)],
    );
    await this.pool.query(
      `INSERT INTO budgets (account_id, scope, scope_id, interval, limit_usd, created_at)
       SELECT account_id, 'workspace', workspace_id::text, 'lifetime', 0, now() - interval '1 hour' FROM api_keys WHERE hash = $1`,
      [hashKey(this.apiKey)],
    );
  }

  private async raiseCaps(): Promise<void> {
    const taken = (scope: string, id: string): string =>
      `coalesce((SELECT max(used + held) FROM spending_windows WHERE scope = '${scope}' AND scope_id = ${id} AND interval = 'lifetime'), 0)`;
    await this.pool.query(`UPDATE api_keys SET limit_usd = ${taken('key', 'hash')} + $2 WHERE hash = $1`, [
      hashKey(this.cappedKey),
      ROOM.key,
    ]);
    await this.pool.query(`UPDATE budgets SET limit_usd = ${taken('workspace', 'budgets.scope_id')} + $1`, [
      ROOM.workspace,
    ]);
  }

  private async readEvents({ target }: Replica): Promise<void> {
    const text = await (await fetch(`${target.origin}/metrics`)).text();
    for (const event of ['restored', 'late'] as const) {
      this.events[event] += Number(new RegExp(`ledger_events_total\\{event="${event}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    }
  }

  private async conclude(): Promise<OutlastReport> {
    await this.watch.look();
    await this.watch.compareCounters();
    const [generations, entries] = [await this.watch.listGenerations(), await this.watch.listEntries()];
    const { calls } = this.upstream;
    const { replies } = this.load;
    const { counts, violations } = judge({ calls, replies, generations, entries, mayBeLate: true });
    for (const marker of this.load.overdue) this.violations.push(`${marker}: its client waited in vain`);
    this.violations.push(...this.load.unequal);
    return {
      crashes: this.options.rounds,
      pauses: this.options.rounds,
      rolls: this.options.rounds,
      ...this.events,
      counts,
      looks: this.watch.looks,
      overspent: this.watch.overspent,
      seconds: (performance.now() - this.began) / 1_000,
      violations: [...this.violations, ...violations, ...this.watch.findings, ...(await this.verify())],
    };
  }

  private async verify(): Promise<readonly string[]> {
    const settings = { databaseUrl: new Secret(this.cluster.url), databasePool: 1 };
    const database = await new DataSource(databaseOptions(settings)).initialize();
    try {
      const { differences, warnings } = await verifyLedger(database);
      return [...differences, ...warnings].map(
        ({ what, expected, found }) => `ledger: ${what}: ${found} for ${expected}`,
      );
    } finally {
      await database.destroy();
    }
  }

  private underLoad(round: number, what: string): Promise<void> {
    return delay(this.random.between(UNDER_LOAD_MS, `round ${round}`, what));
  }

  private async until(isSo: () => Promise<boolean>): Promise<boolean> {
    for (const began = performance.now(); performance.now() - began < REST_MS_MAX; await delay(POLL_MS)) {
      if (await isSo()) return true;
    }
    return false;
  }
}

/** The report in Markdown. */
export function printOutlast(report: OutlastReport): string {
  const { counts } = report;
  const rows: readonly (readonly [string, string | number])[] = [
    ['crashes of the database', report.crashes],
    ['pauses of a replica', report.pauses],
    ['replicas replaced by one with other time-outs', report.rolls],
    ['requests sent', counts.requests],
    ['calls the upstream received', counts.upstreamCalls],
    ['rows in `generations`', counts.rows],
    ['– recovered', counts.recovered],
    ['– – holds of requests that failed before they received it', counts.unheard],
    ['– – – by the id that their clients received', counts.unheardReported],
    ['holds written back after a crash', report.restored],
    ['charges cut, because no counter had room', report.late],
    ['replies whose last byte came', counts.completed],
    ['– charged exactly what the upstream counted', counts.exact],
    ['– charged up to the limit, the rest borne by the operator', counts.late],
    ['USD by the upstream’s count', formatUsd(counts.counted)],
    ['USD entered in the ledger', formatUsd(counts.charged)],
    ['looks at caps and budgets, all along', report.looks],
    ['– that found more used and held than the cap', report.overspent],
    ['seconds', Math.round(report.seconds)],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`), ''].join('\n');
}
