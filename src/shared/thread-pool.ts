import { Worker, type Transferable } from 'node:worker_threads';

export interface ThreadPoolOptions {
  readonly threadsMax: number;
  /** Jobs that wait for a thread. */
  readonly waitingMax: number;
  /** Of one job, from when a thread has it. */
  readonly timeMs: number;
  /** Of one job, from when it is asked for: with its wait for a thread, and that thread's start. */
  readonly totalMs: number;
  readonly heapMegabytes: number;
}

interface Job<Input, Output> {
  readonly input: Input;
  readonly moved: readonly Transferable[];
  readonly done: (output: Output | undefined) => void;
}

/** A new thread has to load its code first. */
const START_MS_MAX = 2_000;

/**
 * Threads for work that would hold the event loop up, all of one file: it sends a message when it has been loaded, and
 * one for each that it gets. They start when they are needed, stay, and do not keep the process alive. A job that takes
 * too long ends its thread.
 */
export class ThreadPool<Input, Output> {
  private readonly idle: Worker[] = [];
  private readonly threads = new Set<Worker>();
  private readonly waiting: Job<Input, Output>[] = [];
  private isClosed = false;

  /** @param file absolute path of the threads' code */
  constructor(
    private readonly file: string,
    private readonly options: ThreadPoolOptions,
  ) {}

  /**
   * Undefined: nobody had time for it, it took too long, or it failed. Never rejects.
   * @param moved memory of the input that goes to the thread, and is no longer here, instead of being copied
   */
  run(input: Input, moved: readonly Transferable[] = []): Promise<Output | undefined> {
    const { threadsMax, waitingMax } = this.options;
    const mustWait = this.idle.length === 0 && this.threads.size >= threadsMax;
    if (this.isClosed || (mustWait && this.waiting.length >= waitingMax)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const job: Job<Input, Output> = {
        input,
        moved,
        done: (output) => {
          clearTimeout(timer);
          resolve(output);
        },
      };
      // What a thread has is done with within its own time, for nobody: a thread that is still loading is wanted by
      // others.
      const timer = setTimeout(() => {
        const place = this.waiting.indexOf(job);
        if (place !== -1) this.waiting.splice(place, 1);
        job.done(undefined);
      }, this.options.totalMs);
      this.waiting.push(job);
      this.assign();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { done } of this.waiting.splice(0)) done(undefined);
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
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
    const thread = new Worker(this.file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
    thread.unref();
    this.threads.add(thread);
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

  private give(thread: Worker, { input, moved, done }: Job<Input, Output>, isNew: boolean): void {
    const stop = (): void => void thread.terminate();
    let timer = setTimeout(stop, isNew ? START_MS_MAX : this.options.timeMs);
    const started = (): void => {
      clearTimeout(timer);
      timer = setTimeout(stop, this.options.timeMs);
    };
    const finish = (output: Output | undefined): void => {
      clearTimeout(timer);
      thread.off('exit', ended).off('message', answered);
      done(output);
    };
    const ended = (): void => finish(undefined);
    let isStarting = isNew;
    const answered = (output: Output): void => {
      if (isStarting) {
        isStarting = false;
        started();
        return;
      }
      finish(output);
      this.idle.push(thread);
      this.assign();
    };
    thread.on('exit', ended).on('message', answered);
    thread.postMessage(input, moved);
  }
}
