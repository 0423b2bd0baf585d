import type { ModelEvent } from '../core/conversation/event.js';
import { ReplyBuilder, type Reply, type ReplyBlock } from '../core/conversation/reply.js';
import { weigh } from '../core/json/print-in-pieces.js';
import type { Pulled, Puller } from '../core/stream/pulled.js';
import { LARGE, yieldToEventLoop } from '../core/yield-to-event-loop.js';

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

/** The weight of a block beside its text, in characters. */
const BLOCK_WEIGHT = 64;

/**
 * Whether the JSON of a reply has about `LARGE` characters or more. Only values of vendors are walked: the rest is
 * texts, whose lengths are known.
 */
export function isLarge({ blocks, usage, startExtras, endExtras }: Reply): boolean {
  let weight = startExtras ? weigh(startExtras.value, LARGE) : 0;
  if (endExtras) weight += weigh(endExtras.value, LARGE);
  if (usage.extras) weight += weigh(usage.extras.value, LARGE);
  for (let index = 0; index < blocks.length && weight < LARGE; index++) weight += weightOf(blocks[index]!);
  return weight >= LARGE;
}

function weightOf({ start, text, signature, citations, opaqueDeltas }: ReplyBlock): number {
  let weight = BLOCK_WEIGHT + text.length + (signature?.length ?? 0);
  if ((start.type !== 'text' && start.type !== 'thinking') || start.extras) weight += weigh(start, LARGE);
  for (let index = 0; index < citations.length && weight < LARGE; index++) weight += weigh(citations[index], LARGE);
  for (let index = 0; index < opaqueDeltas.length && weight < LARGE; index++)
    weight += weigh(opaqueDeltas[index]!.value, LARGE);
  return weight;
}
