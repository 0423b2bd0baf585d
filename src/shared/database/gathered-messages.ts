import type { PGlite } from '@electric-sql/pglite';

/** What the adapter for node-postgres uses of the engine. */
type Messages = Pick<PGlite, 'waitReady' | 'execProtocolStream'>;

/** Parse, bind, describe, execute, close: what comes of them is read when the statement is at its end. */
const GATHERED = new Set(Array.from('PBDEC', (kind) => kind.charCodeAt(0)));

/**
 * The engine for one connection of the adapter, which then hands over a statement as one piece: each piece costs about
 * as much as a short statement itself, and the adapter sends a statement in three to five.
 */
export const gatheringMessages = (engine: PGlite): PGlite => new GatheredMessages(engine) as unknown as PGlite;

class GatheredMessages implements Messages {
  private messages: Uint8Array[] = [];

  constructor(private readonly engine: Messages) {}

  get waitReady(): Promise<void> {
    return this.engine.waitReady;
  }

  async execProtocolStream(
    message: Uint8Array,
    options?: Parameters<Messages['execProtocolStream']>[1],
  ): ReturnType<Messages['execProtocolStream']> {
    this.messages.push(message);
    if (GATHERED.has(message[0]!)) return [];
    const piece = this.messages.length === 1 ? message : Buffer.concat(this.messages);
    this.messages = [];
    // Files are written as the engine goes; there is nothing behind them to be brought up to date.
    return this.engine.execProtocolStream(piece, { ...options, syncToFs: false });
  }
}
