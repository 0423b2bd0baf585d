import type { ModelEvent } from '../../../core/conversation/event.js';
import type { Opaque } from '../../../core/json/json.js';
import { ArgumentScan } from '../argument-scan.js';
import type { BlockOptions, BlockSequencer, SequencedBlock } from '../block-sequencer.js';

/** A call without arguments gets an empty object, not broken JSON. */
const UNTIL_ENDED: BlockOptions = { isComplete: false, ifEmpty: { type: 'input-json', json: '{}' } };

/** One call of a caller's tool. Its arguments come in pieces, and once more as a whole. */
export class ReplyCall {
  private readonly block: SequencedBlock;
  private readonly scan = new ArgumentScan();
  /** Characters of the arguments so far, including those that are no longer kept. */
  private read = 0;

  constructor(
    start: { readonly id: string; readonly name: string; readonly extras?: Opaque },
    private readonly sequencer: BlockSequencer,
    out: ModelEvent[],
  ) {
    this.block = sequencer.begin({ type: 'tool-use', ...start }, UNTIL_ENDED, out);
  }

  add(json: string, out: ModelEvent[]): void {
    this.read += json.length;
    const kept = this.scan.take(json);
    if (kept === '') return;
    this.sequencer.add(this.block, { type: 'input-json', json: kept }, out);
    if (this.scan.hasEnded) this.end(out);
  }

  /** @param json all of its arguments; the rest that did not come in pieces is emitted now */
  complete(json: string, out: ModelEvent[]): void {
    if (json.length > this.read) this.add(json.slice(this.read), out);
  }

  /** Whether all of its arguments, which may have come in no events, are as long as these. */
  mayHave(json: string): boolean {
    return this.read === 0 || this.read === json.length;
  }

  end(out: ModelEvent[]): void {
    this.sequencer.complete(this.block, out);
  }
}
