import cluster, { type Worker } from 'node:cluster';
import type { LoggerService } from '@nestjs/common';
import { SystemClock, type Clock } from '../core/time.js';
import { GATHERED_A_SECOND_MAX, textOf } from '../shared/telemetry/cluster-metrics.js';
import { GatheredAnswers } from '../shared/queues/gathered-answers.js';
import type { HealthSource } from '../shared/http/server/health-port.js';
import type { MetricReport } from '../shared/telemetry/metrics.js';
import { RateLimitedValue } from '../shared/queues/rate-limited-value.js';
import type { ReadinessReport } from '../shared/readiness.js';
import { listenForStop } from '../shared/stop-signals.js';
import { isOurs, PRIMARY, type PrimaryMessage, type StopSignal, type WorkerMessage } from '../shared/worker-channel.js';

const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 10_000;
/** A worker that lived this long had started well: a later crash starts a new series. */
const SETTLED_MS = 30_000;

/** The parts of a worker process that the pool needs. */
export type PoolWorker = Pick<Worker, 'id' | 'on' | 'send' | 'isConnected'> & {
  readonly process: Pick<Worker['process'], 'kill'>;
};

export interface WorkerProcessesOptions {
  readonly count: number;
  readonly fork: () => PoolWorker;
  /** Ends this process. */
  readonly exit: (code: number) => void;
  readonly log: Pick<LoggerService, 'log' | 'warn' | 'error'>;
  readonly clock: Clock;
  /** How long workers may take to stop before they are killed. */
  readonly stopMsMax: number;
  /** How long workers may take to report; default a second. */
  readonly answerMsMax?: number;
}

const ANSWER_MS_MAX = 1000;

interface WorkerSlot {
  worker: PoolWorker | undefined;
  startedAt: number;
  /** Consecutive crashes. */
  crashes: number;
  restart: NodeJS.Timeout | undefined;
}

/**
 * The primary process: keeps `count` workers alive, restarts a crashed one after a pause that doubles from 100 ms to 10
 * s, forwards the request to stop and the workers' questions for each other's metrics, and ends when all have ended. A
 * worker that fails before any worker ever listened means that the start failed: then everything ends with its exit
 * code.
 */
export class WorkerProcesses implements HealthSource {
  private readonly slots: WorkerSlot[] = [];
  private everListened = false;
  private stopping = false;
  private exitCode = 0;
  private readonly reports: GatheredAnswers<MetricReport[]>;
  private readonly rationedMetrics = new RateLimitedValue(() => this.gatherMetrics(), GATHERED_A_SECOND_MAX);
  private readonly states: GatheredAnswers<boolean>;

  constructor(private readonly options: WorkerProcessesOptions) {
    const { answerMsMax = ANSWER_MS_MAX } = options;
    this.reports = new GatheredAnswers(answerMsMax);
    this.states = new GatheredAnswers(answerMsMax);
  }

  start(): void {
    for (let index = 0; index < this.options.count; index++) {
      const slot: WorkerSlot = { worker: undefined, startedAt: 0, crashes: 0, restart: undefined };
      this.slots.push(slot);
      this.fork(slot);
    }
  }

  /** Requests all workers to stop; the process ends after the last worker. */
  stop(signal: StopSignal): void {
    this.stopping = true;
    for (const slot of this.slots) clearTimeout(slot.restart);
    this.broadcast({ fairlead: 'stop', signal });
    setTimeout(() => this.stopNow(), this.options.stopMsMax).unref();
    this.exitWhenEmpty();
  }

  /** Ready while at least one worker is: the others take no connections. */
  async readiness(): Promise<ReadinessReport> {
    const states = await this.states.gather((ask) =>
      this.states.expect(ask, this.broadcast({ fairlead: 'readiness-wanted', ask })),
    );
    const count = states.filter((ready) => ready).length;
    const detail = this.stopping ? 'shutting down' : `${count} of ${this.options.count} are ready`;
    const ready = count > 0 && !this.stopping;
    return { ready, checks: { workers: { ready, detail } } };
  }

  /** The sum over all workers, at most a second old. */
  metrics(): Promise<string> {
    return this.rationedMetrics.latest();
  }

  private async gatherMetrics(): Promise<string> {
    return textOf(
      await this.reports.gather((ask) =>
        this.reports.expect(ask, this.broadcast({ fairlead: 'metrics-wanted', asker: PRIMARY, ask })),
      ),
    );
  }

  /** Kills all workers and ends the process with code 1. */
  stopNow(): void {
    this.stopping = true;
    this.killAll();
    this.options.exit(1);
  }

  private fork(slot: WorkerSlot): void {
    const worker = this.options.fork();
    slot.worker = worker;
    slot.startedAt = this.options.clock.now();
    worker.on('listening', () => {
      this.everListened = true;
    });
    worker.on('message', (message: unknown) => {
      if (isOurs<WorkerMessage>(message)) this.relay(worker, message);
    });
    worker.on('exit', (code: number | null, signal?: string | null) => {
      this.afterExit(slot, code ?? 1, signal ? `was ended by ${signal}` : `ended with code ${code}`);
    });
  }

  private afterExit(slot: WorkerSlot, code: number, how: string): void {
    slot.worker = undefined;
    if (this.stopping) {
      if (code !== 0) this.exitCode = 1;
      this.exitWhenEmpty();
      return;
    }
    if (!this.everListened) {
      this.options.log.error(`a worker ${how} before the port was open`, undefined, 'Workers');
      this.stopping = true;
      this.killAll();
      this.options.exit(code === 0 ? 1 : code);
      return;
    }
    if (this.options.clock.now() - slot.startedAt >= SETTLED_MS) slot.crashes = 0;
    const pauseMs = Math.min(RESTART_MS_MAX, RESTART_MS_MIN * 2 ** slot.crashes);
    slot.crashes++;
    this.options.log.warn(`a worker ${how}; another starts in ${pauseMs} ms`, 'Workers');
    slot.restart = setTimeout(() => this.fork(slot), pauseMs);
  }

  private exitWhenEmpty(): void {
    if (this.slots.every((slot) => slot.worker === undefined)) this.options.exit(this.exitCode);
  }

  private killAll(): void {
    for (const { worker, restart } of this.slots) {
      clearTimeout(restart);
      worker?.process.kill('SIGKILL');
    }
  }

  /** The primary keeps no figures: it forwards questions and answers, except those to itself. */
  private relay(from: PoolWorker, message: WorkerMessage): void {
    if (message.fairlead === 'readiness-answer') this.states.give(message.ask, message.ready);
    else if (message.fairlead === 'metrics-answer' && message.asker === PRIMARY)
      this.reports.give(message.ask, message.report);
    else if (message.fairlead === 'metrics-ask') {
      const count = this.broadcast({ fairlead: 'metrics-wanted', asker: from.id, ask: message.ask }, from);
      send(from, { fairlead: 'metrics-expect', ask: message.ask, count });
    } else {
      const asker = this.slots.find(({ worker }) => worker?.id === message.asker)?.worker;
      if (asker) send(asker, { fairlead: 'metrics-given', ask: message.ask, report: message.report });
    }
  }

  /** @returns the number of workers it was sent to */
  private broadcast(message: PrimaryMessage, except?: PoolWorker): number {
    let count = 0;
    for (const { worker } of this.slots) {
      if (worker && worker !== except && send(worker, message)) count++;
    }
    return count;
  }
}

function send(worker: PoolWorker, message: PrimaryMessage): boolean {
  if (!worker.isConnected()) return false;
  // A worker that dies at this moment is noticed by its exit.
  worker.send(message, () => undefined);
  return true;
}

export interface WorkersOptions extends Pick<WorkerProcessesOptions, 'count' | 'log' | 'stopMsMax'> {
  /** Runs the gateway in this process. */
  readonly main: () => Promise<void>;
  /** Serves the health of all workers where it has a separate port. */
  readonly reportHealth: (source: HealthSource) => Promise<void>;
}

/** Runs `main` in this process, or, for a count above one, in that many workers managed by this process. */
export async function runWorkers({ count, main, reportHealth, log, stopMsMax }: WorkersOptions): Promise<void> {
  if (count === 1 || cluster.isWorker) return main();
  const exit = (code: number): void => process.exit(code);
  const pool = new WorkerProcesses({
    count,
    fork: () => cluster.fork(),
    exit,
    log,
    clock: new SystemClock(),
    stopMsMax,
  });
  await reportHealth(pool);
  listenForStop({ stop: (signal) => pool.stop(signal), stopNow: () => pool.stopNow() });
  pool.start();
}
