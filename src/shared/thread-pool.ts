import { Worker, type Transferable } from 'node:worker_threads';
import type { CancelSignal } from '../core/cancellation.js';
import { endThread, newThreadState, type ThreadState } from './thread-end.js';

export interface ThreadPoolOptions {
  readonly threadsMax: number;
  /** Jobs that wait for a thread. */
  readonly waitingMax: number;
  readonly heapMegabytes: number;
  /** How long a new thread may take to load its code; absent: 2 s. */
  readonly startMs?: number;
}

/** What a job is given beside its input. */
export interface ThreadJob {
  /** From when a thread has it. */
  readonly timeMs: number;
  /** From when it is asked for: with its wait for a thread, and that thread's start. */
  readonly totalMs: number;
  /** Memory of the input that goes to the thread, and is no longer here, instead of being copied. */
  readonly moved?: readonly Transferable[];
  /** Nobody waits any more once it is aborted: the job's thread ends, or the job's wait for one. */
  readonly signal?: CancelSignal;
}

/** Why a thread did not answer. */
export class ThreadFault extends Error {
  override readonly name = 'ThreadFault';

  constructor(
    readonly kind:
      | 'busy' // nobody had time for it, nor a place to wait
      | 'timed-out'
      | 'died', // it threw, ended, had no memory left, or was never loaded
  ) {
    super(`The thread ${kind === 'died' ? kind : `is ${kind}`}.`);
  }
}

interface Task<Output> {
  readonly input: unknown;
  readonly moved: readonly Transferable[];
  readonly timeMs: number;
  readonly done: (output: Output) => void;
  readonly fail: (error: Error) => void;
  /** Ends the thread that has it. */
  stop?: (error: Error) => void;
}

const START_MS = 2_000;

/**
 * Threads for work that would hold the event loop up, all of one file: it sends a message when it has been loaded, and
 * one for each that it gets. They start when they are needed, stay, know none of the process's variables, and do not
 * keep it alive. A job that takes too long ends its thread. A thread whose code calls zlib gives its `workerData` to
 * `announceCompression`.
 */
export class ThreadPool<Input, Output> {
  private readonly idle: Worker[] = [];
  private readonly threads = new Map<Worker, ThreadState>();
  private readonly waiting: Task<Output>[] = [];
  private isClosed = false;

  /** @param file absolute path of the threads' code */
  constructor(
    private readonly file: string,
    private readonly options: ThreadPoolOptions,
  ) {}

  /** @throws ThreadFault, or the signal's reason */
  run(input: Input, { timeMs, totalMs, moved = [], signal }: ThreadJob): Promise<Output> {
    const { threadsMax, waitingMax } = this.options;
    const mustWait = this.idle.length === 0 && this.threads.size >= threadsMax;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.isClosed || (mustWait && this.waiting.length >= waitingMax)) throw new ThreadFault('busy');
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        const place = this.waiting.indexOf(task);
        if (place !== -1) this.waiting.splice(place, 1);
      };
      const task: Task<Output> = {
        input,
        moved,
        timeMs,
        done: (output) => {
          leave();
          resolve(output);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const abort = (): void => (task.stop ?? task.fail)(signal!.reason);
      signal?.addEventListener('abort', abort, { once: true });
      // What a thread has is done with within its own time, for nobody: a thread that is still loading is wanted by
      // others.
      const timer = setTimeout(() => task.fail(new ThreadFault('timed-out')), totalMs);
      this.waiting.push(task);
      this.assign();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { fail } of this.waiting.splice(0)) fail(new ThreadFault('died'));
    await Promise.all([...this.threads].map(([thread, state]) => endThread(thread, state)));
  }

  private assign(): void {
    while (this.waiting.length > 0) {
      const isNew = this.idle.length === 0;
      if (isNew && this.threads.size >= this.options.threadsMax) return;
      const thread = this.idle.pop() ?? this.start();
      this.give(thread, this.waiting.shift()!, isNew);
    }
  }

  private start(): Worker {
    const { heapMegabytes } = this.options;
    const state = newThreadState();
    const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes };
    const thread = new Worker(this.file, { env: {}, resourceLimits, workerData: state });
    thread.unref();
    this.threads.set(thread, state);
    // Told to whoever waits for it as its exit, which follows.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.threads.delete(thread);
      const place = this.idle.indexOf(thread);
      if (place !== -1) this.idle.splice(place, 1);
      this.assign();
    });
    return thread;
  }

  private give(thread: Worker, task: Task<Output>, isNew: boolean): void {
    const finish = (): void => {
      clearTimeout(timer);
      thread.off('exit', ended).off('message', answered);
    };
    task.stop = (error) => {
      finish();
      const state = this.threads.get(thread);
      if (state) void endThread(thread, state);
      task.fail(error);
    };
    const within = (timeMs: number): NodeJS.Timeout =>
      setTimeout(() => task.stop!(new ThreadFault('timed-out')), timeMs);
    let timer = within(isNew ? (this.options.startMs ?? START_MS) : task.timeMs);
    const ended = (): void => {
      finish();
      task.fail(new ThreadFault('died'));
    };
    let isStarting = isNew;
    const answered = (output: Output): void => {
      if (isStarting) {
        isStarting = false;
        clearTimeout(timer);
        timer = within(task.timeMs);
        return;
      }
      finish();
      task.done(output);
      this.idle.push(thread);
      this.assign();
    };
    thread.on('exit', ended).on('message', answered);
    thread.postMessage(task.input, task.moved);
  }
}
