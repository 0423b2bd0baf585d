import { randomBytes } from 'node:crypto';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import type { BashCommand, BashOutcome } from './run-bash.js';

/** 20 letters, digits, hyphens and underscores. */
const CONTAINER_ID_BYTES = 15;

export interface SessionSettings {
  /** Of the container to go on with; absent: a new one. */
  readonly containerId: string | undefined;
  readonly sleepAfterSeconds: number;
  readonly memoryBytes: number;
  readonly timeMs: number;
}

/** What one command came to. */
export interface SessionOutcome extends Pick<BashOutcome, 'stdout' | 'stderr' | 'exitCode'> {
  /** Where the session is kept for later requests; absent where it is not. */
  readonly containerId?: string;
  /** Why it could not be. */
  readonly notKept?: string;
}

/** The container to go on with cannot be had. Its message is safe to show. */
export class SessionMissing extends Error {
  override readonly name = 'SessionMissing';

  constructor(
    readonly code: 'container_not_found' | 'unavailable',
    message: string,
  ) {
    super(message);
  }
}

/** The bash of one generation: its commands run one after another, each upon the files that the one before it left. */
export class BashSession {
  readonly containerId: string;
  private isLoaded: boolean;
  private state: Uint8Array | undefined;
  /** Of the largest state so far. */
  private heldBytes = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly settings: SessionSettings) {
    this.isLoaded = settings.containerId === undefined;
    this.containerId = settings.containerId ?? randomBytes(CONTAINER_ID_BYTES).toString('base64url');
  }

  /**
   * @param restart whether the session begins anew before, without any file
   * @param ran is called when the command has run, before anything of it is kept
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
    // A thread takes what it is given for good, and what is here must outlive one that dies.
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

  /** Until the generation is over. @throws ExtensionFault `busy` where there is no room for it */
  private hold(state: Uint8Array, { keep }: ExtensionContext): void {
    // The same array, so that the store need not write it again: most commands only look.
    if (this.state && Buffer.compare(this.state, state) === 0) return;
    const more = state.length - this.heldBytes;
    if (more > 0 && !keep(more)) throw new ExtensionFault('busy', 'too much is kept');
    this.heldBytes += Math.max(0, more);
    this.state = state;
  }

  /** A store that is down, or has no room, is no reason to hide what a command brought. */
  private async keep({ containers, signal, showsResults }: ExtensionContext): Promise<Partial<SessionOutcome>> {
    // Nothing to keep; or a container whose id nobody is told, which would only take the room of others.
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
