import type { PGlite } from '@electric-sql/pglite';
import { EngineDied, EngineLife } from './engine-life.js';
import { EngineTurns } from './engine-turns.js';

/** The parts of the engine that the adapter for node-postgres uses. */
type Messages = Pick<PGlite, 'waitReady' | 'execProtocolStream'>;

type Options = Parameters<Messages['execProtocolStream']>[1];
type Answers = ReturnType<Messages['execProtocolStream']>;

/** Parse, bind, describe, execute, close: their answers are read at the end of the statement. */
const GATHERED = new Set(Array.from('PBDEC', (kind) => kind.charCodeAt(0)));

/** Severities after which the engine has ended. A server would start another process; here there is none. */
const DEADLY: ReadonlySet<unknown> = new Set(['PANIC', 'FATAL']);

/**
 * Wraps the engine for one connection of the adapter, so that it passes a statement as one piece: each piece costs
 * about as much as a short statement itself, and the adapter sends a statement in three to five.
 * @param life is notified when the engine ends; from then on every statement fails immediately
 * @param turns of the engine, whichever connection uses it
 */
export const gatheringMessages = (engine: PGlite, life = new EngineLife(), turns = new EngineTurns()): PGlite =>
  new GatheredMessages(engine, life, turns) as unknown as PGlite;

class GatheredMessages implements Messages {
  private messages: Uint8Array[] = [];

  constructor(
    private readonly engine: Messages,
    private readonly life: EngineLife,
    private readonly turns: EngineTurns,
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
    this.turns.begin();
    // The engine writes files directly, so there is nothing to synchronise.
    const answers = await this.engine.execProtocolStream(piece, { ...options, syncToFs: false });
    const nextTurn = this.turns.end();
    if (nextTurn) await nextTurn;
    for (const answer of answers) if ('severity' in answer && isDeadly(answer)) throw this.end(answer);
    return answers;
  }

  /** The rest of the engine's answer will never come, so it is not awaited. */
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
