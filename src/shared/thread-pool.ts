import { Worker, type Transferable } from 'node:worker_threads';
import type { CancelSignal } from '../core/cancellation.js';
import { endThread, newThreadState, type ThreadState } from './thread-end.js';

export interface ThreadPoolOptions {
  readonly threadsMax: number;
  /** Limit of jobs that wait for a thread. */
  readonly waitingMax: number;
  readonly heapMegabytes: number;
  /** How long a new thread may take to load its code; absent: 10 s. */
  readonly startMs?: number;
}

/** Terms of a job besides its input. */
export interface ThreadJob {
  /** Limit from when a thread has it. */
  readonly timeMs: number;
  /** Limit from the request on: includes the wait for a thread, and that thread's start. */
  readonly totalMs: number;
  /** Memory of the input that is transferred to the thread instead of copied. */
  readonly moved?: readonly Transferable[];
  /** When it is aborted, the job's thread ends, or the job leaves the queue. */
  readonly signal?: CancelSignal;
}

/** Why a thread did not answer. */
export class ThreadFault extends Error {
  override readonly name = 'ThreadFault';

  constructor(
    readonly kind:
      | 'busy' // no thread and no slot in the queue was free
      | 'timed-out'
      | 'died', // it threw, ended, ran out of memory, or was never loaded
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
  /** Ends the thread that runs the task. */
  stop?: (error: Error) => void;
}

/** Chosen: on an overloaded machine a thread takes seconds to start, and the first caller must not fail by that. */
const START_MS = 10_000;

/**
 * Threads for work that would block the event loop, all of one file. The file sends one message when it has been
 * loaded, and one for each message it receives. Threads start on demand, stay, know none of the process's variables,
 * and do not keep it alive. A job that takes too long ends its thread. A thread whose code calls zlib passes its
 * `workerData` to `announceCompression`.
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
        const index = this.waiting.indexOf(task);
        if (index !== -1) this.waiting.splice(index, 1);
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
      // Fails only the task: a thread that runs it ends by the job's own limit, and one that is still loading is needed
      // by other jobs.
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
    // Reported through the exit event, which follows.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.threads.delete(thread);
      const index = this.idle.indexOf(thread);
      if (index !== -1) this.idle.splice(index, 1);
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
