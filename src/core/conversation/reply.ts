import type { Json, Opaque } from '../json/json.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from './event.js';
import { mergeUsage, NO_USAGE, type Usage } from './usage.js';

/** A block of a finished reply: its start, and everything its deltas added. */
export interface ReplyBlock {
  readonly start: BlockStart;
  /** Text of a text block, reasoning of a thinking block, argument JSON of a tool call; empty otherwise. */
  readonly text: string;
  readonly signature: string | undefined;
  readonly citations: readonly Json[];
  /** Opaque deltas, in order, for their vendor's face to put together. */
  readonly opaqueDeltas: readonly Opaque[];
}

/** A finished stream, put together. */
export interface Reply {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly blocks: readonly ReplyBlock[];
  readonly usage: Usage;
  readonly stop: StopReason;
  readonly startExtras: Opaque | undefined;
  readonly endExtras: Opaque | undefined;
}

interface GrowingBlock {
  readonly start: BlockStart;
  text: string;
  signature: string | undefined;
  citations: Json[];
  opaqueDeltas: Opaque[];
}

/** Shared by all blocks that have none. */
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

  /** @throws Error when the reply has not ended: the grammar forbids it, so it is a fault of ours. */
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
