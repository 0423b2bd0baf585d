import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The kinds of content that replace `FILLING`. */
export type Filling =
  | 'letters' | 'separators' | 'blanks'
  | 'digits' | 'exponent' | 'decimals'
  | 'entries' | 'members' | 'lists'; // oxfmt-ignore

/** A request that the other thread builds and sends. */
export interface Order {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  readonly filling?: Filling;
  /** JSON of one entry, or of one member. */
  readonly entry?: string;
}

/** The result of an order. */
export interface Outcome {
  /** 0: no answer. */
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
}

type Report = { readonly id: number; readonly outcomes: readonly Outcome[] } | { readonly upstream: number };

/**
 * A client and an upstream in a separate thread, so that their work does not delay the gateway's event loop. The
 * upstream answers every request at once, in either format.
 */
export class PeerThread {
  private readonly waiting = new Map<number, (outcomes: readonly Outcome[]) => void>();
  private batches = 0;

  private constructor(
    private readonly worker: Worker,
    private readonly port: number,
  ) {
    worker.on('message', (report: Report) => {
      if (!('id' in report)) return;
      this.waiting.get(report.id)!(report.outcomes);
      this.waiting.delete(report.id);
    });
  }

  static start(): Promise<PeerThread> {
    const worker = new Worker(join(__dirname, 'far-side-thread.mjs'));
    return new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (report: Report) =>
        resolve(new PeerThread(worker, (report as { upstream: number }).upstream)),
      );
    });
  }

  /** Origin of the upstream. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends the orders one after another, on a kept connection. */
  send(orders: readonly Order[]): Promise<readonly Outcome[]> {
    const id = this.batches++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.worker.postMessage({ id, orders });
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.postMessage('end');
    await ended;
  }
}
