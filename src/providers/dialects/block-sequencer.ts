import { charactersOf, type BlockDelta, type BlockStart, type ModelEvent } from '../../core/conversation/event.js';
import { malformed, printed } from './read-json.js';

/**
 * Maximum number of characters of a reply that may be kept: in blocks that wait for their turn, and in what a dialect
 * keeps beside them. A longer reply is cut off.
 */
const KEPT_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Maximum number of blocks of one reply. Chosen: a reply with this many tokens has only hundreds of blocks. */
export const BLOCKS_MAX = 50_000;
/** Fixed cost per kept piece, so that many tiny pieces are bounded too. */
const KEPT_OVERHEAD = 64;

export interface BlockOptions {
  /** True when the next block may begin at any time; otherwise it waits for `complete`. */
  readonly isComplete: boolean;
  /** Emitted when the block ends without any delta. */
  readonly ifEmpty?: BlockDelta;
}

/** One block of the reply. Only `BlockSequencer` changes it. */
export class SequencedBlock {
  state: 'waiting' | 'open' | 'closed' = 'waiting';
  hasDeltas = false;
  isComplete: boolean;
  /** Whether the block had to wait, so that the size of its start was counted. */
  isKept = false;
  waiting: BlockDelta[] = [];

  constructor(
    readonly start: BlockStart,
    readonly options: BlockOptions,
  ) {
    this.isComplete = options.isComplete;
  }
}

/**
 * Puts the blocks of a chat reply, which may grow in parallel, into the one-at-a-time order of `ModelEvent`. Deltas of
 * the open block are emitted at once. A block that begins while another is incomplete waits until that one is complete
 * (docs/contribute/reasons/translation.md#pieces-at-once). One per reply.
 */
export class BlockSequencer {
  private readonly blocks: SequencedBlock[] = [];
  /** Index of the open block, both in `blocks` and in the reply. */
  private openIndex = -1;
  private keptCharacters = 0;

  /** The block that began last; undefined before the first. It is never closed before another begins. */
  get last(): SequencedBlock | undefined {
    return this.blocks.at(-1);
  }

  begin(start: BlockStart, options: BlockOptions, out: ModelEvent[]): SequencedBlock {
    if (this.blocks.length === BLOCKS_MAX) {
      throw malformed('has too many blocks');
    }
    const block = new SequencedBlock(start, options);
    this.blocks.push(block);
    this.advance(out);
    if (block.state === 'waiting') {
      block.isKept = true;
      this.keep(sizeOfStart(start));
    }
    return block;
  }

  add(block: SequencedBlock, delta: BlockDelta, out: ModelEvent[]): void {
    switch (block.state) {
      case 'open':
        block.hasDeltas = true;
        out.push({ type: 'block-delta', index: this.openIndex, delta });
        break;
      case 'waiting':
        this.keep(sizeOf(delta));
        block.waiting.push(delta);
        break;
      case 'closed':
        // A closed block was complete: what a provider adds to it later is not part of it.
        break;
    }
  }

  /** The block is complete, so that the blocks behind it may follow. */
  complete(block: SequencedBlock, out: ModelEvent[]): void {
    block.isComplete = true;
    this.advance(out);
  }

  /** Closes every block, in order. */
  finish(out: ModelEvent[]): void {
    for (const block of this.blocks) block.isComplete = true;
    this.advance(out);
    const last = this.blocks.at(-1);
    if (last !== undefined) this.close(last, out);
  }

  /** Opens the next block while the open one is complete and another waits. */
  private advance(out: ModelEvent[]): void {
    while (this.openIndex < this.blocks.length - 1) {
      const open = this.blocks[this.openIndex];
      if (open !== undefined) {
        if (!open.isComplete) return;
        this.close(open, out);
      }
      this.openIndex++;
      this.open(this.blocks[this.openIndex]!, out);
    }
  }

  private open(block: SequencedBlock, out: ModelEvent[]): void {
    if (block.isKept) this.keptCharacters -= sizeOfStart(block.start);
    block.state = 'open';
    out.push({ type: 'block-start', index: this.openIndex, block: block.start });
    for (const delta of block.waiting) {
      this.keptCharacters -= sizeOf(delta) + KEPT_OVERHEAD;
      block.hasDeltas = true;
      out.push({ type: 'block-delta', index: this.openIndex, delta });
    }
    block.waiting = [];
  }

  private close(block: SequencedBlock, out: ModelEvent[]): void {
    block.state = 'closed';
    const { ifEmpty } = block.options;
    if (!block.hasDeltas && ifEmpty !== undefined) {
      out.push({ type: 'block-delta', index: this.openIndex, delta: ifEmpty });
    }
    out.push({ type: 'block-end', index: this.openIndex });
  }

  /**
   * Counts what is kept: waiting blocks until they are emitted, and a dialect's own data until the reply ends.
   * @throws ProviderFault above the limit
   */
  keep(characters: number): void {
    this.keptCharacters += characters + KEPT_OVERHEAD;
    if (this.keptCharacters > KEPT_CHARACTERS_MAX) throw malformed('leaves too much unfinished');
  }
}

/** Only an image has a long start. */
const sizeOfStart = (start: BlockStart): number =>
  start.type === 'image' && start.source.type === 'base64' ? start.source.data.length : 0;

function sizeOf(delta: BlockDelta): number {
  switch (delta.type) {
    case 'signature':
      return delta.signature.length;
    case 'citation':
      return printed(delta.citation).length;
    case 'opaque':
      return printed(delta.opaque.value).length;
    default:
      return charactersOf(delta);
  }
}
