import { weigh, type Json, type Opaque } from '../json/json.js';
import type { PullSource, PullReceiver } from '../stream/pull-source.js';
import { LARGE, yieldToEventLoop } from '../yield-to-event-loop.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from './event.js';
import type { Computed } from './task.js';
import { mergeUsage, NO_USAGE, type Usage } from './usage.js';

/** A block of a finished reply: its start, and everything its deltas added. */
export interface ReplyBlock {
  readonly start: BlockStart;
  /** Text of a text block, reasoning of a thinking block, argument JSON of a tool call; empty otherwise. */
  readonly text: string;
  readonly signature: string | undefined;
  readonly citations: readonly Json[];
  /** Opaque deltas, in order, to be joined by their vendor's face. */
  readonly opaqueDeltas: readonly Opaque[];
}

/** A finished stream as one value. */
export interface Reply {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly blocks: readonly ReplyBlock[];
  readonly usage: Usage;
  readonly stop: StopReason;
  readonly startExtras: Opaque | undefined;
  readonly endExtras: Opaque | undefined;
  /** The result of the request's task. */
  readonly computed: Computed | undefined;
}

interface GrowingBlock {
  readonly start: BlockStart;
  text: string;
  signature: string | undefined;
  citations: Json[];
  opaqueDeltas: Opaque[];
}

/** Shared by all blocks without citations. */
const NO_CITATIONS: Json[] = [];
const NO_OPAQUE: Opaque[] = [];

/** Builds one reply from its events. One per reply; the events must obey the grammar. */
export class ReplyBuilder {
  private start: Extract<ModelEvent, { type: 'reply-start' }> | undefined;
  private end: Extract<ModelEvent, { type: 'reply-end' }> | undefined;
  private readonly blocks: GrowingBlock[] = [];
  private latestUsage: Usage = NO_USAGE;

  push(event: ModelEvent): void {
    switch (event.type) {
      case 'reply-start':
        this.start = event;
        break;
      case 'block-start':
        this.blocks.push({
          start: event.block,
          text: '',
          signature: undefined,
          citations: NO_CITATIONS,
          opaqueDeltas: NO_OPAQUE,
        });
        break;
      case 'block-delta':
        this.add(this.blocks[event.index]!, event.delta);
        break;
      case 'usage':
        this.latestUsage = this.latestUsage === NO_USAGE ? event.usage : mergeUsage(this.latestUsage, event.usage);
        break;
      case 'reply-end':
        this.end = event;
        break;
      case 'block-end':
      case 'ping':
        break;
    }
  }

  /** @throws Error when the reply has not ended: the grammar forbids it, so it is a bug of the gateway. */
  finish(): Reply {
    const { start, end } = this;
    if (!start || !end) throw new Error('A reply was built before it ended.');
    return {
      id: start.id,
      model: start.model,
      blocks: this.blocks,
      usage: this.latestUsage,
      stop: end.stop,
      startExtras: start.extras,
      endExtras: end.extras,
      computed: end.computed,
    };
  }

  private add(block: GrowingBlock, delta: BlockDelta): void {
    switch (delta.type) {
      case 'text':
      case 'thinking':
        block.text += delta.text;
        break;
      case 'input-json':
        block.text += delta.json;
        break;
      case 'signature':
        block.signature = (block.signature ?? '') + delta.signature;
        break;
      case 'citation':
        if (block.citations === NO_CITATIONS) block.citations = [];
        block.citations.push(delta.citation);
        break;
      case 'opaque':
        if (block.opaqueDeltas === NO_OPAQUE) block.opaqueDeltas = [];
        block.opaqueDeltas.push(delta.opaque);
        break;
    }
  }
}

/** Events after which the reader yields to the event loop: each takes some microseconds at most. */
const STEP_EVENTS = 500;

/**
 * Reads all events of a reply and builds it. Yields to the event loop while there are many. Rejects as the events do.
 */
export function readReply(events: PullSource<readonly ModelEvent[]>): Promise<Reply> {
  const builder = new ReplyBuilder();
  /** Events that the current step may still take. */
  let left = STEP_EVENTS;
  const pushInSlices = async (batch: readonly ModelEvent[]): Promise<void> => {
    for (const event of batch) {
      if (left-- <= 0) {
        left = STEP_EVENTS;
        await yieldToEventLoop();
      }
      builder.push(event);
    }
  };
  return new Promise((resolve, reject: (reason: Error) => void) => {
    // A bug of the gateway: the events obey the grammar.
    const leave = (fault: Error): void => {
      const failed = (): void => reject(fault);
      events.return().then(failed, failed);
    };
    const receiver: PullReceiver<readonly ModelEvent[]> = {
      take(batch) {
        if (batch.length > left) {
          void pushInSlices(batch).then(() => events.pull(receiver), leave);
          return;
        }
        left -= batch.length;
        try {
          for (let index = 0; index < batch.length; index++) builder.push(batch[index]!);
        } catch (error) {
          leave(error as Error);
          return;
        }
        events.pull(receiver);
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
    events.pull(receiver);
  });
}

/** Characters of a number of a vector, about. */
const NUMBER_WEIGHT = 12;

function isLargeResult(computed: Computed): boolean {
  if (computed.kind === 'rerank') return computed.results.length * BLOCK_WEIGHT >= LARGE;
  let weight = 0;
  for (const vector of computed.vectors)
    weight += BLOCK_WEIGHT + (typeof vector === 'string' ? vector.length : vector.length * NUMBER_WEIGHT);
  return weight >= LARGE;
}

/** The weight of a block beside its text, in characters. */
const BLOCK_WEIGHT = 64;

/**
 * Whether the JSON of a reply has about `LARGE` characters or more. Only values of vendors are walked: the rest is
 * texts of known length.
 */
export function isLarge({ blocks, usage, startExtras, endExtras, computed }: Reply): boolean {
  if (computed) return isLargeResult(computed);
  let weight = startExtras ? weigh(startExtras.value, LARGE) : 0;
  if (endExtras) weight += weigh(endExtras.value, LARGE);
  if (usage.extras) weight += weigh(usage.extras.value, LARGE);
  for (const { start, text, signature, citations, opaqueDeltas } of blocks) {
    weight += BLOCK_WEIGHT + text.length + (signature?.length ?? 0);
    if ((start.type !== 'text' && start.type !== 'thinking') || start.extras) weight += weigh(start, LARGE);
    if (citations.length > 0) weight += weigh(citations, LARGE);
    for (let index = 0; index < opaqueDeltas.length && weight < LARGE; index++)
      weight += weigh(opaqueDeltas[index]!.value, LARGE);
    if (weight >= LARGE) return true;
  }
  return weight >= LARGE;
}
