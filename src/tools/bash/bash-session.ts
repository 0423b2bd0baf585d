import { randomBytes } from 'node:crypto';
import { ExtensionFault, gatewayFull, type ExtensionContext } from '../../core/extension.js';
import type { BashCommand, BashOutcome } from './run-bash.js';

/** 20 letters, digits, hyphens and underscores. */
const CONTAINER_ID_BYTES = 15;

export interface SessionSettings {
  /** The container to resume; absent for a new one. */
  readonly containerId: string | undefined;
  readonly sleepAfterSeconds: number;
  readonly memoryBytes: number;
  readonly timeMs: number;
}

/** The outcome of one command. */
export interface SessionOutcome extends Pick<BashOutcome, 'stdout' | 'stderr' | 'exitCode'> {
  /** The container that keeps the session for later requests; absent where it is not kept. */
  readonly containerId?: string;
  /** Why the session was not kept. */
  readonly notKept?: string;
}

/** The container to resume cannot be loaded. Its message is safe to show. */
export class SessionMissing extends Error {
  override readonly name = 'SessionMissing';

  constructor(
    readonly code: 'container_not_found' | 'unavailable',
    message: string,
  ) {
    super(message);
  }
}

/** The bash of one generation. Its commands run one after another, each on the files that the previous one left. */
export class BashSession {
  readonly containerId: string;
  private isLoaded: boolean;
  private state: Uint8Array | undefined;
  /** Size of the largest state so far. */
  private heldBytes = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly settings: SessionSettings) {
    this.isLoaded = settings.containerId === undefined;
    this.containerId = settings.containerId ?? randomBytes(CONTAINER_ID_BYTES).toString('base64url');
  }

  /**
   * @param restart whether the session starts anew, without files, before the command
   * @param ran called when the command has run, before any of its state is kept
   * @throws SessionMissing, ExtensionFault, or the signal's reason
   */
  run(command: string, restart: boolean, context: ExtensionContext, ran: () => void): Promise<SessionOutcome> {
    const turn = this.last.then(() => this.take(command, restart, context, ran));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async take(
    command: string,
    restart: boolean,
    context: ExtensionContext,
    ran: () => void,
  ): Promise<SessionOutcome> {
    const { signal, workers } = context;
    signal.throwIfAborted();
    await this.load(context);
    const { memoryBytes, timeMs } = this.settings;
    const before = restart ? undefined : this.state;
    // A copy: the thread takes ownership of its input, and the state here must survive a thread that dies.
    const task = (): BashCommand => ({
      command,
      memoryBytes,
      timeMs,
      ...(before && { state: new Uint8Array(before) }),
    });
    const outcome = (await workers.run('bash', task, signal)) as BashOutcome;
    const { stdout, stderr, exitCode } = outcome;
    ran();
    if (outcome.state) this.hold(outcome.state, context);
    return { stdout, stderr, exitCode, ...(await this.keep(context)) };
  }

  private async load(context: ExtensionContext): Promise<void> {
    if (this.isLoaded) return;
    const { containers, signal } = context;
    let state: Uint8Array | undefined;
    try {
      state = await containers.load(this.containerId, signal);
    } catch (error) {
      throw error instanceof ExtensionFault ? new SessionMissing('unavailable', error.message) : error;
    }
    if (!state)
      throw new SessionMissing(
        'container_not_found',
        `There is no container ${this.containerId} of this API key, or its time is over.`,
      );
    this.hold(state, context);
    this.isLoaded = true;
  }

  /** Holds the bytes until the generation ends. @throws ExtensionFault `busy` where there is no memory for them */
  private hold(state: Uint8Array, { keep }: ExtensionContext): void {
    // Keeps the same array, so that the store need not write it again: most commands only read.
    if (this.state && Buffer.compare(this.state, state) === 0) return;
    const more = state.length - this.heldBytes;
    if (more > 0 && !keep(more)) throw gatewayFull('too much is kept');
    this.heldBytes += Math.max(0, more);
    this.state = state;
  }

  /** The output of a command is returned even if the store is down or full. */
  private async keep({ containers, signal, showsResults }: ExtensionContext): Promise<Partial<SessionOutcome>> {
    // There is nothing to keep, or no response would carry the container's id, and the container would only take space.
    if (!this.state || (!showsResults && this.settings.containerId === undefined)) return {};
    try {
      await containers.save(this.containerId, this.state, this.settings.sleepAfterSeconds, signal);
      return { containerId: this.containerId };
    } catch (error) {
      if (!(error instanceof ExtensionFault)) throw error;
      return { notKept: error.message };
    }
  }
}
