import type { ModelEvent } from '../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../core/conversation/reply.js';
import type { Pulled, Puller } from '../core/stream/pulled.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';

type Batch = readonly ModelEvent[];

/** Events after which others have their turn: each takes some microseconds at most. */
const STEP_EVENTS = 500;

/** Reads all events of a reply, and puts them together. Others have their turn while there are many. */
export class WholeReply implements Puller<Batch> {
  private readonly builder = new ReplyBuilder();
  /** Events that the step under way may still take. */
  private left = STEP_EVENTS;
  private resolve!: (reply: Reply) => void;
  private reject!: (reason: unknown) => void;

  constructor(private readonly events: Pulled<Batch>) {}

  /** Rejects as the events do. */
  read(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.events.pull(this);
    });
  }

  take(batch: Batch): void {
    if (batch.length > this.left) {
      void this.takeInTurns(batch);
      return;
    }
    this.left -= batch.length;
    try {
      for (let index = 0; index < batch.length; index++) this.builder.push(batch[index]!);
    } catch (error) {
      this.leave(error);
      return;
    }
    this.events.pull(this);
  }

  end(): void {
    try {
      this.resolve(this.builder.finish());
    } catch (error) {
      this.reject(error);
    }
  }

  fail(reason: unknown): void {
    this.reject(reason);
  }

  private async takeInTurns(batch: Batch): Promise<void> {
    try {
      for (const event of batch) {
        if (this.left-- <= 0) {
          this.left = STEP_EVENTS;
          await yieldToEventLoop();
        }
        this.builder.push(event);
      }
    } catch (error) {
      this.leave(error);
      return;
    }
    this.events.pull(this);
  }

  /** A fault of ours: the events obey the grammar. */
  private leave(fault: unknown): void {
    const failed = (): void => this.reject(fault);
    this.events.return().then(failed, failed);
  }
}
