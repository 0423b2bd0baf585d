import type { RequestListener, Server, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import type { Readiness } from './readiness.js';
import { OpenItems } from './open-items.js';
import type { StopSignal } from './worker-channel.js';

const GRACE_MS = 5000;
const STEP_MS = 5000;
/** How long a reply that has ended may take to leave, before the listener closes. */
const FLUSH_MS_MAX = 1000;
const FLUSH_STEP_MS = 5;

/** A resource to close once no request is open: the ledger first, exporters last. */
export interface DrainStep {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Limit of its duration; default: `stepMs`. */
  readonly msMax?: number;
}

/** Work in progress without an open response. */
export interface BackgroundWork {
  readonly size: number;
  /** Resolves when there is none. */
  idle(): Promise<void>;
}

export interface DrainOptions {
  readonly server: Server;
  /** Closes the listener: no connection is accepted afterwards. */
  readonly closeListener: () => void;
  readonly readiness: Readiness;
  /** How long open requests may take after the listener has closed. */
  readonly drainMs: number;
  /** Aborts every open request by its own signal, so that each is answered and settled. */
  readonly abortAll: () => void;
  /** Work that continues without a request: it has the same time, and is also ended by `abortAll`. */
  readonly background?: readonly BackgroundWork[];
  /** Steps in order; a step that fails or exceeds its time does not keep the next from running. */
  readonly steps: readonly DrainStep[];
  readonly log: Pick<LoggerService, 'log' | 'warn'>;
  /** How long the listener stays open after SIGTERM, so that balancers notice. */
  readonly graceMs?: number;
  /** Limit of each later step. */
  readonly stepMs?: number;
}

/**
 * Stops an HTTP server without failing a request (docs/operate/scaling.md#stopping): not ready immediately; the
 * listener stays open a little longer, with `Connection: close` on every answer; then open requests have their time;
 * the rest is aborted; each later step is bounded. Create it before the server listens, so that it sees all requests.
 */
export class Drain {
  private readonly open = new OpenItems<ServerResponse>();
  private readonly graceMs: number;
  private readonly stepMs: number;
  private running: Promise<void> | undefined;
  private listenerClosed = false;
  private onIdle: (() => void) | undefined;

  constructor(private readonly options: DrainOptions) {
    this.graceMs = options.graceMs ?? GRACE_MS;
    this.stepMs = options.stepMs ?? STEP_MS;
    options.server.prependListener('request', this.follow);
  }

  /** Resolves when everything is closed; never rejects. Further calls join the same run. */
  run(signal: StopSignal): Promise<void> {
    return (this.running ??= this.stop(signal));
  }

  private async stop(signal: StopSignal): Promise<void> {
    const { server, closeListener, readiness, drainMs, abortAll, steps, log } = this.options;
    readiness.markDraining();
    log.log(`${signal}: stopping, ${this.openCount} requests open`, 'Drain');
    for (const response of this.open) requestClose(response);
    // In a terminal no balancer needs time to notice.
    if (signal === 'SIGTERM') await delay(this.graceMs);

    // Node closes idle connections with its listener.
    await this.untilFlushed();
    this.listenerClosed = true;
    closeListener();
    if (!(await this.becomesIdle(drainMs))) {
      log.warn(`${this.openCount} requests are still open and are aborted`, 'Drain');
      abortAll();
      await this.becomesIdle(this.stepMs);
    }
    server.closeAllConnections();
    for (const step of steps) await this.runStep(step);
    log.log('stopped', 'Drain');
  }

  private readonly follow: RequestListener = (_request, response) => {
    const handle = this.open.add(response);
    if (this.running) requestClose(response);
    response.once('close', () => {
      this.open.remove(handle);
      if (!this.listenerClosed) return;
      // A kept-alive connection becomes idle only after this event.
      setImmediate(() => this.closeIdle());
      if (this.open.size === 0) this.onIdle?.();
    });
  };

  /**
   * Closes idle connections, unless a response is still being sent. Node regards a connection as idle as soon as its
   * response is ended, and would destroy it with the bytes that are not sent yet. The close of each response calls this
   * method again.
   */
  private closeIdle(): void {
    if (!this.isSendingEnds()) this.options.server.closeIdleConnections();
  }

  private isSendingEnds(): boolean {
    for (const { writableEnded } of this.open) if (writableEnded) return true;
    return false;
  }

  /**
   * A connection that waits to be accepted is reset when the listener closes: one turn of the loop accepts those, the
   * next reads their requests. No turn comes between the last look at the replies and the close.
   */
  private async untilFlushed(): Promise<void> {
    const until = performance.now() + FLUSH_MS_MAX;
    for (;;) {
      await nextTurn();
      await nextTurn();
      if (!this.isSendingEnds() || performance.now() >= until) return;
      await delay(FLUSH_STEP_MS);
    }
  }

  private get openCount(): number {
    const { background = [] } = this.options;
    return background.reduce((count, { size }) => count + size, this.open.size);
  }

  /** @returns whether no request was open within the time */
  private async becomesIdle(withinMs: number): Promise<boolean> {
    return this.openCount === 0 || (await bounded(this.idle(), withinMs)) === 'done';
  }

  private async idle(): Promise<void> {
    if (this.open.size > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
    // A call whose client has disconnected may have become background work.
    await Promise.all((this.options.background ?? []).map((work) => work.idle()));
  }

  private async runStep({ name, run, msMax = this.stepMs }: DrainStep): Promise<void> {
    try {
      if ((await bounded(run(), msMax)) === 'late') {
        this.options.log.warn(`${name} did not end within ${msMax} ms and is left`, 'Drain');
      }
    } catch (error) {
      this.options.log.warn(`${name} failed`, error, 'Drain');
    }
  }
}

/** Answers that have begun cannot be changed; their connections close once they are idle. */
function requestClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function bounded(work: Promise<void>, ms: number): Promise<'done' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), ms)));
  try {
    return await Promise.race([work.then(() => 'done' as const), limit]);
  } finally {
    clearTimeout(timer);
  }
}
