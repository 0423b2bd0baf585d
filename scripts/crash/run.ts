import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { formatUsd, PICO_PER_USD, type PicoUsd } from '../../src/core/money/credits.js';
import { Secret } from '../../src/core/secret.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { LedgerWatch } from './ledger-watch.js';
import { mortal, STABLE_MODEL, stable, type Life, type Target } from './fleet.js';
import type { GatewayProcess } from './gateway-process.js';
import type { LostReply } from './evidence.js';
import { judge, type JudgedCounts } from './judge.js';
import { launchGateway } from './launch-gateway.js';
import { Load } from './load.js';
import { CountingUpstream } from './upstream.js';

export interface CrashOptions {
  /** Number of processes to kill. */
  readonly points: number;
  readonly seed: string;
  /** An empty PostgreSQL database for this run alone. */
  readonly databaseUrl: string;
  /** Node arguments that start a gateway. */
  readonly program: readonly string[];
  /**
   * Stretches of points: in every second one, starting with the first, a replica that is not killed runs beside the
   * others.
   */
  readonly stretches: number;
  /** After this time in milliseconds no further process is started to be killed. */
  readonly pointsMsMax: number;
  readonly signal?: AbortSignal;
  readonly report?: (line: string) => void;
}

/** The moment of its life at which a process is killed. */
export type Moment = 'load' | 'start' | 'sweep';

export interface CrashReport {
  readonly killed: Readonly<Record<Moment, number>>;
  readonly counts: JudgedCounts;
  /** Complete replies that were given again to a repetition, byte for byte. */
  readonly repeated: number;
  /** The same for repetitions while the request ran. */
  readonly joined: number;
  /** Repetitions of lost replies whose charge was compared, and how many name their generation. */
  readonly lost: number;
  readonly lostNamed: number;
  /** Checks of the counters during the run, and the number of counters found above their cap. */
  readonly looks: number;
  readonly overspent: number;
  /** Differences that the verification of the ledger found. */
  readonly differences: number;
  readonly seconds: number;
  readonly violations: readonly string[];
  /** Errors in the logs of the gateways. */
  readonly complaints: readonly string[];
}

/** Processes that are started, loaded and killed at the same time. */
const LANES = 2;
const CLIENTS = 16;
/** Clients among them whose key has a cap. */
const CAPPED_CLIENTS = 6;
const SWEEP_SHARE = 0.08;
const START_SHARE = 0.15;
/** How long a process is under load before it is killed, in milliseconds. */
const UNDER_LOAD = { min: 0, max: 800 };
/** Recovery after dead replicas runs five seconds after the start: the load begins shortly before it. */
const BEFORE_SWEEP_MS = 4_700;
const AROUND_SWEEP = { min: 150, max: 450 };
/** Moment of a crash during a start, as a share of the usual time of a start. */
const INTO_START = { min: 0, max: 1.2 };
const FIRST_GUESS_START_MS = 1_500;
/** The amount by which a cap exceeds what is used and held. A call is bound at about 0.004 USD. */
const ROOM = { min: 0.004, max: 0.15 };
const INITIAL_CREDITS = '1000000';
/** Recovery begins fifteen seconds after a death. */
const REST_MS_MAX = 120_000;
const POLL_MS = 100;

/**
 * Kills gateways under load, lets others recover what they left, and compares the ledger with what the upstream and the
 * clients observed.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-crash-'));
  const random = new SeededRandom(options.seed);
  const upstream = await new CountingUpstream(random).listen();
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 3 });
  const run = new CrashRun(options, folder, random, upstream, new LedgerWatch(pool));
  try {
    return await run.report();
  } finally {
    await run.close();
    await upstream.close();
    await pool.end();
    await rm(folder, { recursive: true, force: true });
  }
}

class CrashRun {
  private readonly began = performance.now();
  private readonly load: Load;
  private readonly processes: GatewayProcess[] = [];
  private readonly violations: string[] = [];
  private readonly killed: Record<Moment, number> = { load: 0, start: 0, sweep: 0 };
  private readonly failing = new AbortController();
  private readonly apiKey = randomBytes(24).toString('hex');
  private readonly managementKey = randomBytes(24).toString('hex');
  private readonly encryptionKey = randomBytes(32).toString('base64');
  private startMs = FIRST_GUESS_START_MS;
  private capped = { key: '', hash: '', limit: 0n };
  private raising: Promise<void> = Promise.resolve();
  private points = 0;

  constructor(
    private readonly options: CrashOptions,
    private readonly folder: string,
    private readonly random: SeededRandom,
    private readonly upstream: CountingUpstream,
    private readonly watch: LedgerWatch,
  ) {
    this.load = new Load(random, (marker) => upstream.called(marker));
    options.signal?.addEventListener('abort', () => this.failing.abort(options.signal?.reason), { once: true });
  }

  async report(): Promise<CrashReport> {
    const { points, stretches } = this.options;
    let stays: Stable | undefined = await this.startStable('s0');
    await this.makeCappedKey(stays.target.origin);
    this.watch.start();
    this.load.start(Array.from({ length: CLIENTS }, (_, i) => (i < CAPPED_CLIENTS ? this.capped.key : this.apiKey)));

    for (let stretch = 0; stretch < stretches; stretch++) {
      if (stretch % 2 === 0) {
        stays ??= await this.startStable(`s${stretch}`);
        this.load.targets.add(stays.target);
      }
      await this.killUntil(Math.ceil((points * (stretch + 1)) / stretches));
      if (stays) await this.retire(stays);
      stays = undefined;
    }
    if (this.points < points) this.violations.push(`only ${this.points} of ${points} points were made in the time`);

    await this.load.stop();
    // Alone with all remaining holds.
    const last = await this.startStable('last');
    const isAtRest = await this.until(async () => (await this.watch.countHolds()) === 0, REST_MS_MAX);
    if (!isAtRest) this.violations.push(`${await this.watch.countHolds()} holds were never ended`);
    const lost = await this.load.repeatCut(last.target);
    await this.watch.stop();
    return this.conclude(lost);
  }

  /** Ends everything this run started. Never throws. */
  async close(): Promise<void> {
    this.failing.abort();
    await Promise.allSettled(this.processes.map((gateway) => gateway.kill()));
    await Promise.allSettled([this.load.stop(), this.watch.stop()]);
  }

  private async conclude(lost: readonly LostReply[]): Promise<CrashReport> {
    await this.watch.look();
    await this.watch.compareCounters();
    const [generations, entries] = [await this.watch.listGenerations(), await this.watch.listEntries()];
    const { counts, violations } = judge({
      calls: this.upstream.calls,
      replies: this.load.replies,
      generations,
      entries,
      lost,
    });
    for (const marker of this.load.overdue) this.violations.push(`${marker}: its client waited in vain`);
    this.violations.push(...this.load.unequal, ...this.load.withheld);
    const differences = await this.verify();
    return {
      killed: this.killed,
      counts,
      repeated: this.load.again,
      joined: this.load.joined,
      lost: lost.length,
      lostNamed: lost.filter(({ generationId }) => generationId !== undefined).length,
      looks: this.watch.looks,
      overspent: this.watch.overspent,
      differences: differences.length,
      seconds: (performance.now() - this.began) / 1_000,
      violations: [...this.violations, ...violations, ...this.watch.findings, ...differences],
      complaints: this.processes.flatMap(({ complaints }) => complaints),
    };
  }

  private async verify(): Promise<readonly string[]> {
    const database = new DataSource(
      databaseOptions({ databaseUrl: new Secret(this.options.databaseUrl), databasePool: 1 }),
    );
    await database.initialize();
    try {
      const { differences } = await verifyLedger(database);
      return differences.map(({ what, expected, found }) => `ledger: ${what}: ${found} instead of ${expected}`);
    } finally {
      await database.destroy();
    }
  }

  /** Kills processes until the number of points is reached. */
  private async killUntil(points: number): Promise<void> {
    const lane = async (): Promise<void> => {
      try {
        while (this.points < points && performance.now() - this.began < this.options.pointsMsMax) {
          await this.killOne(this.points++);
        }
      } catch (error) {
        this.failing.abort(error);
        throw error;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: LANES }, () => lane()));
    for (const end of ended) if (end.status === 'rejected') throw this.failing.signal.reason;
  }

  private async killOne(point: number): Promise<void> {
    const subject = `point ${point}`;
    const moment = this.momentOf(subject);
    const life = mortal(`v${point}`);
    const gateway = await this.launch(life);
    if (moment === 'start') await this.wait(this.startMs * this.random.between(INTO_START, subject, 'start'));
    else {
      const target = await this.awaitStart(gateway, life);
      await this.raiseCap(target.origin, subject);
      if (moment === 'sweep') await this.wait(BEFORE_SWEEP_MS);
      this.load.targets.add(target);
      await this.wait(this.random.between(moment === 'sweep' ? AROUND_SWEEP : UNDER_LOAD, subject, 'killed after'));
      this.load.targets.delete(target);
    }
    await gateway.kill();
    this.killed[moment]++;
    await this.watch.look();
    await this.watch.lookForDoubles();
    const seconds = (performance.now() - this.began) / 1_000;
    const replies = this.load.replies.length;
    this.options.report?.(`${seconds.toFixed(1)} s: point ${point + 1}, in ${moment}; ${replies} requests so far`);
  }

  private momentOf(subject: string): Moment {
    const chance = this.random.chance(subject, 'moment');
    if (chance < SWEEP_SHARE) return 'sweep';
    return chance < SWEEP_SHARE + START_SHARE ? 'start' : 'load';
  }

  private async startStable(name: string): Promise<Stable> {
    const life = stable(name);
    const gateway = await this.launch(life);
    return { gateway, target: await this.awaitStart(gateway, life) };
  }

  /** Kills a process without open requests: open ones could not be distinguished. */
  private async retire({ gateway, target }: Stable): Promise<void> {
    this.load.targets.delete(target);
    const isIdle = await this.until(
      async () => this.load.openAt(target) === 0 && (await this.watch.countOpen(STABLE_MODEL)) === 0,
      REST_MS_MAX,
    );
    if (!isIdle) this.violations.push('the replica that stayed never came to an end with what was open');
    await gateway.kill();
  }

  private async launch(life: Life): Promise<GatewayProcess> {
    this.failing.signal.throwIfAborted();
    const { folder, encryptionKey, apiKey, managementKey } = this;
    const gateway = await launchGateway(life, {
      program: this.options.program,
      folder,
      upstreamUrl: this.upstream.url,
      databaseUrl: this.options.databaseUrl,
      encryptionKey,
      apiKey,
      managementKey,
      initialCredits: INITIAL_CREDITS,
    });
    this.processes.push(gateway);
    return gateway;
  }

  private async awaitStart(gateway: GatewayProcess, life: Life): Promise<Target> {
    const began = performance.now();
    const origin = await gateway.origin();
    this.startMs = (3 * this.startMs + performance.now() - began) / 4;
    return life.at(origin);
  }

  private async makeCappedKey(origin: string): Promise<void> {
    const { key, data } = await this.manage<{ key: string; data: { hash: string } }>(origin, 'POST', '/keys', {
      name: 'capped',
      limit: 0,
    });
    this.capped = { key, hash: data.hash, limit: 0n };
  }

  /** One at a time: a delayed cap could be below what was spent under the previous one. */
  private async raiseCap(origin: string, subject: string): Promise<void> {
    this.raising = this.raising.then(async () => {
      const room = BigInt(Math.round(this.random.between(ROOM, subject, 'room') * 1e6)) * MICRO;
      const limit = roundUp((await this.watch.taken(this.capped.hash)) + room);
      if (limit <= this.capped.limit) return;
      this.capped.limit = limit;
      await this.manage(origin, 'PATCH', `/keys/${this.capped.hash}`, { limit: Number(formatUsd(limit)) });
    });
    await this.raising;
  }

  private async manage<T>(origin: string, method: string, path: string, body: object): Promise<T> {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  private async wait(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.failing.signal });
  }

  private async until(isSo: () => Promise<boolean>, msMax: number): Promise<boolean> {
    for (const began = performance.now(); performance.now() - began < msMax; await this.wait(POLL_MS)) {
      if (await isSo()) return true;
    }
    return false;
  }
}

/** A replica that is not killed under load. */
interface Stable {
  readonly gateway: GatewayProcess;
  readonly target: Target;
}

const MICRO = PICO_PER_USD / 1_000_000n;
/** A limit is sent as a JSON number: six decimals are safe. */
const roundUp = (amount: PicoUsd): PicoUsd => ((amount + MICRO - 1n) / MICRO) * MICRO;
