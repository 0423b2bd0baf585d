import type { Json, Opaque } from '../json/json.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from './event.js';
import { mergeUsage, NO_USAGE, type Usage } from './usage.js';

/** A block of a finished reply: its start, and everything its deltas added. */
export interface ReplyBlock {
  readonly start: BlockStart;
  /** Text of a text block, reasoning of a thinking block, argument JSON of a tool call; empty otherwise. */
  readonly text: string;
  readonly signature?: string;
  readonly citations: readonly Json[];
  /** Opaque deltas, in order, for their vendor's face to put together. */
  readonly opaqueDeltas: readonly Opaque[];
}

/** A finished stream, put together. */
export interface Reply {
  readonly id?: string;
  readonly model?: string;
  readonly blocks: readonly ReplyBlock[];
  readonly usage: Usage;
  readonly stop: StopReason;
  readonly startExtras?: Opaque;
  readonly endExtras?: Opaque;
}

interface OpenBlock {
  readonly start: BlockStart;
  readonly parts: string[];
  readonly citations: Json[];
  readonly opaqueDeltas: Opaque[];
  signature: string | undefined;
}

/** Builds one reply from its events. One per reply; the events must obey the grammar. */
export class ReplyBuilder {
  private start: Extract<ModelEvent, { type: 'reply-start' }> | undefined;
  private end: Extract<ModelEvent, { type: 'reply-end' }> | undefined;
  private readonly blocks: OpenBlock[] = [];
  private latestUsage: Usage = NO_USAGE;

  push(event: ModelEvent): void {
    switch (event.type) {
      case 'reply-start':
        this.start = event;
        break;
      case 'block-start':
        this.blocks.push({ start: event.block, parts: [], citations: [], opaqueDeltas: [], signature: undefined });
        break;
      case 'block-delta':
        add(this.blocks[event.index]!, event.delta);
        break;
      case 'usage':
        this.latestUsage = mergeUsage(this.latestUsage, event.usage);
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
    if (!this.start || !this.end) throw new Error('A reply was built before it ended.');
    return {
      blocks: this.blocks.map(({ start, parts, citations, opaqueDeltas, signature }) => ({
        start,
        text: parts.length === 1 ? parts[0]! : parts.join(''),
        citations,
        opaqueDeltas,
        ...(signature !== undefined && { signature }),
      })),
      usage: this.latestUsage,
      stop: this.end.stop,
      ...(this.start.id !== undefined && { id: this.start.id }),
      ...(this.start.model !== undefined && { model: this.start.model }),
      ...(this.start.extras && { startExtras: this.start.extras }),
      ...(this.end.extras && { endExtras: this.end.extras }),
    };
  }
}

function add(block: OpenBlock, delta: BlockDelta): void {
  switch (delta.type) {
    case 'text':
    case 'thinking':
      block.parts.push(delta.text);
      break;
    case 'input-json':
      block.parts.push(delta.json);
      break;
    case 'signature':
      block.signature = (block.signature ?? '') + delta.signature;
      break;
    case 'citation':
      block.citations.push(delta.citation);
      break;
    case 'opaque':
      block.opaqueDeltas.push(delta.opaque);
      break;
  }
}
