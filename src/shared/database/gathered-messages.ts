import type { PGlite } from '@electric-sql/pglite';
import { EngineDied, EngineLife } from './engine-life.js';

/** What the adapter for node-postgres uses of the engine. */
type Messages = Pick<PGlite, 'waitReady' | 'execProtocolStream'>;

type Options = Parameters<Messages['execProtocolStream']>[1];
type Answers = ReturnType<Messages['execProtocolStream']>;

/** Parse, bind, describe, execute, close: what comes of them is read when the statement is at its end. */
const GATHERED = new Set(Array.from('PBDEC', (kind) => kind.charCodeAt(0)));

/** Severities after which the engine is gone. A server's next process would take over; here there is none. */
const DEADLY: ReadonlySet<unknown> = new Set(['PANIC', 'FATAL']);

/**
 * The engine for one connection of the adapter, which then hands over a statement as one piece: each piece costs about
 * as much as a short statement itself, and the adapter sends a statement in three to five.
 * @param life is told when the engine ends; from then on every statement fails at once
 */
export const gatheringMessages = (engine: PGlite, life = new EngineLife()): PGlite =>
  new GatheredMessages(engine, life) as unknown as PGlite;

class GatheredMessages implements Messages {
  private messages: Uint8Array[] = [];

  constructor(
    private readonly engine: Messages,
    private readonly life: EngineLife,
  ) {}

  get waitReady(): Promise<void> {
    return this.engine.waitReady;
  }

  execProtocolStream(message: Uint8Array, options?: Options): Answers {
    if (this.life.diedOf) return Promise.reject(this.life.diedOf);
    this.messages.push(message);
    return GATHERED.has(message[0]!) ? Promise.resolve([]) : this.send(options);
  }

  private async send(options: Options): Answers {
    const { messages } = this;
    const piece = messages.length === 1 ? messages[0]! : Buffer.concat(messages);
    this.messages = [];
    // Files are written as the engine goes; there is nothing behind them to be brought up to date.
    const answers = await this.engine.execProtocolStream(piece, { ...options, syncToFs: false });
    for (const answer of answers) if ('severity' in answer && isDeadly(answer)) throw this.end(answer);
    return answers;
  }

  /** Nobody waits for the rest of an answer that the engine will not give. */
  private end({ severity, message }: DeadlyAnswer): EngineDied {
    const died = new EngineDied(`${severity}: ${message}`);
    this.life.end(died);
    return died;
  }
}

interface DeadlyAnswer {
  readonly severity: string;
  readonly message: string;
}

const isDeadly = (answer: { readonly severity: unknown }): answer is DeadlyAnswer => DEADLY.has(answer.severity);
