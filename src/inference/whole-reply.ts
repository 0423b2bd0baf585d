import type { ModelEvent } from '../core/conversation/event.js';
import { ReplyBuilder, type Reply, type ReplyBlock } from '../core/conversation/reply.js';
import { weigh } from '../core/json/print-in-pieces.js';
import type { Pulled, Puller } from '../core/stream/pulled.js';
import { LARGE, yieldToEventLoop } from '../core/yield-to-event-loop.js';

type Batch = readonly ModelEvent[];

/** Events after which others have their turn: each takes some microseconds at most. */
const STEP_EVENTS = 500;

/**
 * Reads all events of a reply, and puts them together. Others have their turn while there are many. Rejects as the
 * events do.
 */
export function readWhole(events: Pulled<Batch>): Promise<Reply> {
  const builder = new ReplyBuilder();
  /** Events that the step under way may still take. */
  let left = STEP_EVENTS;
  const pushInTurns = async (batch: Batch): Promise<void> => {
    for (const event of batch) {
      if (left-- <= 0) {
        left = STEP_EVENTS;
        await yieldToEventLoop();
      }
      builder.push(event);
    }
  };
  return new Promise((resolve, reject: (reason: Error) => void) => {
    // A fault of ours: the events obey the grammar.
    const leave = (fault: Error): void => {
      const failed = (): void => reject(fault);
      events.return().then(failed, failed);
    };
    const puller: Puller<Batch> = {
      take(batch) {
        if (batch.length > left) {
          void pushInTurns(batch).then(() => events.pull(puller), leave);
          return;
        }
        left -= batch.length;
        try {
          for (let index = 0; index < batch.length; index++) builder.push(batch[index]!);
        } catch (error) {
          leave(error as Error);
          return;
        }
        events.pull(puller);
      },
      end() {
        try {
          resolve(builder.finish());
        } catch (error) {
          reject(error as Error);
        }
      },
      fail: reject,
    };
    events.pull(puller);
  });
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
