import type { ModelEvent } from '../../../core/conversation/event.js';
import { ArgumentScan } from '../argument-scan.js';
import type { BlockOptions, BlockSequencer, SequencedBlock } from '../block-sequencer.js';

/** A call without arguments is a call with none of them, not a call with broken ones. */
const UNTIL_ENDED: BlockOptions = { isComplete: false, ifEmpty: { type: 'input-json', json: '{}' } };

/** One call of a tool of the caller's. Its arguments come in pieces, and once more as a whole. */
export class ReplyCall {
  private readonly block: SequencedBlock;
  private readonly scan = new ArgumentScan();
  /** How much of the arguments has come, whatever of it was kept. */
  private read = 0;

  constructor(
    id: string,
    name: string,
    private readonly sequencer: BlockSequencer,
    out: ModelEvent[],
  ) {
    this.block = sequencer.begin({ type: 'tool-use', id, name }, UNTIL_ENDED, out);
  }

  add(json: string, out: ModelEvent[]): void {
    this.read += json.length;
    const kept = this.scan.take(json);
    if (kept === '') return;
    this.sequencer.add(this.block, { type: 'input-json', json: kept }, out);
    if (this.scan.hasEnded) this.end(out);
  }

  /** @param json all of its arguments, of which what did not come in pieces is told now */
  complete(json: string, out: ModelEvent[]): void {
    if (json.length > this.read) this.add(json.slice(this.read), out);
  }

  end(out: ModelEvent[]): void {
    this.sequencer.complete(this.block, out);
  }
}
