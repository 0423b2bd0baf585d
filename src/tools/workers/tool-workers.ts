import { join } from 'node:path';
import { Injectable, Logger, Optional, type OnApplicationShutdown } from '@nestjs/common';
import type { CancelSignal } from '../../core/cancellation.js';
import { ExtensionFault, gatewayFull, type WorkerPool } from '../../core/extension.js';
import { FairSlots } from '../../shared/queues/fair-slots.js';
import { ThreadFault, ThreadPool } from '../../shared/thread-pool.js';
import { WORKER_JOBS, type WorkerJobs } from './jobs.js';
import type { WorkerOutcome, WorkerTask } from './worker-thread.js';

/** Other work needs the other cores. Chosen. */
const THREADS_MAX = 3;
/**
 * Jobs under way, of this process and of one key, and waiting ones. No key can occupy all threads, so another key waits
 * at most for one job. Chosen: a wait as long as the longest usual job.
 */
const SLOTS = { slots: THREADS_MAX, slotsPerKey: 1, firstSlots: 0, waiting: 64, waitingPerKey: 16, waitMs: 30_000 };
/**
 * Long jobs of any number of keys leave one thread to short jobs, which end within seconds. Among themselves each waits
 * for one of another key.
 */
const LONG_SLOTS = { ...SLOTS, slots: THREADS_MAX - 1, waitMs: 60_000 };
/** Heap of a thread: the tree of the largest page takes half. Chosen. */
const HEAP_MEGABYTES = 256;
/** Milliseconds in addition to a job's own time: a thread is ended and another one started. */
const START_MS = 15_000;

/** The code that the threads run. */
export class WorkerCode {
  constructor(
    /** Absolute path of their code. */
    readonly file: string,
    readonly jobs: WorkerJobs,
  ) {}
}
const SHIPPED = new WorkerCode(join(import.meta.dirname, 'worker-thread.js'), WORKER_JOBS);

/** The threads of service tools and plugins: one bounded pool of the process. */
@Injectable()
export class ToolWorkers implements OnApplicationShutdown {
  private readonly logger = new Logger('tools');
  private readonly slots = new FairSlots(SLOTS);
  private readonly longSlots = new FairSlots(LONG_SLOTS);
  private readonly threads: ThreadPool<WorkerTask, WorkerOutcome>;

  constructor(@Optional() private readonly code: WorkerCode = SHIPPED) {
    this.threads = new ThreadPool(code.file, {
      threadsMax: THREADS_MAX,
      // A job with a slot waits at most for a thread that is being ended.
      waitingMax: THREADS_MAX,
      heapMegabytes: HEAP_MEGABYTES,
    });
  }

  /** The pool for one key, whose jobs run one at a time. */
  of(keyHash: string): WorkerPool {
    return { run: (job, makeInput, signal) => this.run(keyHash, job, makeInput, signal) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  private async run(keyHash: string, job: string, makeInput: () => unknown, signal: CancelSignal): Promise<unknown> {
    if (this.code.jobs[job]!.isLong !== true) return this.runInTurn(keyHash, job, makeInput, signal);
    const leave = await this.longSlots.enter(keyHash, signal);
    if (!leave) throw tooMuch();
    try {
      return await this.runInTurn(keyHash, job, makeInput, signal);
    } finally {
      leave();
    }
  }

  private async runInTurn(
    keyHash: string,
    job: string,
    makeInput: () => unknown,
    signal: CancelSignal,
  ): Promise<unknown> {
    const leave = await this.slots.enter(keyHash, signal);
    if (!leave) throw tooMuch();
    try {
      const made = makeInput();
      const input = made instanceof Promise ? ((await made) as unknown) : made;
      const timeMs = this.code.jobs[job]!.timeMs(input);
      const moved = buffersOf(input);
      const bounds = { timeMs, totalMs: timeMs + START_MS, moved, signal };
      return this.outputOf(job, await this.threads.run({ job, input }, bounds));
    } catch (error) {
      throw error instanceof ThreadFault ? faultOf(error) : error;
    } finally {
      leave();
    }
  }

  /** @throws ExtensionFault */
  private outputOf(job: string, outcome: WorkerOutcome): unknown {
    if ('output' in outcome) return outcome.output;
    if ('fault' in outcome) throw new ExtensionFault(outcome.fault.kind, outcome.fault.message);
    this.logger.error(`The job ${job} failed: ${outcome.failure}`);
    throw new ExtensionFault('unavailable', 'could not be worked on');
  }
}

const tooMuch = (cause?: ThreadFault): ExtensionFault => gatewayFull('too much is being worked on', cause && { cause });

/** Buffers whose whole memory belongs to one array; small arrays share memory with others and are copied. */
function buffersOf(input: unknown): ArrayBuffer[] {
  if (typeof input !== 'object' || input === null) return [];
  const buffers = new Set<ArrayBuffer>();
  for (const part of Object.values(input)) {
    if (!(part instanceof Uint8Array) || !(part.buffer instanceof ArrayBuffer)) continue;
    if (part.byteLength > 0 && part.byteLength === part.buffer.byteLength) buffers.add(part.buffer);
  }
  return [...buffers];
}

function faultOf(fault: ThreadFault): ExtensionFault {
  const cause = { cause: fault };
  switch (fault.kind) {
    case 'busy':
      return tooMuch(fault);
    case 'timed-out':
      return new ExtensionFault('timed-out', 'took too long to work on', cause);
    case 'died':
      return new ExtensionFault('unavailable', 'was too much to work on', cause);
  }
}
