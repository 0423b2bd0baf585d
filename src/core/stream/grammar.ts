import { ProviderFault } from '../errors.js';
import type { BlockStart, ModelEvent } from '../conversation/event.js';
import type { Step } from './step.js';

/** Which deltas may stand in which block. */
const DELTAS_OF: Record<BlockStart['type'], readonly string[]> = {
  // Opaque: what its vendor tells beside the words.
  text: ['text', 'citation', 'opaque'],
  thinking: ['thinking', 'signature'],
  'redacted-thinking': [],
  'tool-use': ['input-json'],
  'server-tool-use': ['input-json'],
  opaque: ['opaque', 'input-json', 'text', 'citation'],
};

/**
 * Lets a reply's events pass as long as they obey the grammar of `ModelEvent`; otherwise the provider's reply is malformed.
 * Asserted on what every decoder gives, so that whatever shape an upstream sends, no face prints a broken stream.
 */
export class GrammarCheck implements Step<ModelEvent, ModelEvent> {
  private state: 'before' | 'between' | 'in-block' | 'ended' = 'before';
  private block: BlockStart['type'] = 'text';
  private nextIndex = 0;
  private sawUsage = false;

  push(event: ModelEvent, out: ModelEvent[]): void {
    switch (event.type) {
      case 'reply-start':
        this.expect(this.state === 'before', 'the reply began twice');
        this.state = 'between';
        break;
      case 'block-start':
        this.expect(this.state === 'between', 'a block began outside of the reply or inside another block');
        this.expect(event.index === this.nextIndex, 'block indexes do not rise by one');
        this.block = event.block.type;
        this.nextIndex++;
        this.state = 'in-block';
        break;
      case 'block-delta':
        this.expect(this.state === 'in-block' && event.index === this.nextIndex - 1, 'a delta has no open block');
        // The words are put together only when they are needed: most of a stream passes here.
        if (!DELTAS_OF[this.block].includes(event.delta.type)) {
          this.expect(false, `a ${event.delta.type} delta stands in a ${this.block} block`);
        }
        break;
      case 'block-end':
        this.expect(this.state === 'in-block' && event.index === this.nextIndex - 1, 'a block ended that was not open');
        this.state = 'between';
        break;
      case 'usage':
        this.expect(this.state === 'between' || this.state === 'in-block', 'usage came outside of the reply');
        this.sawUsage = true;
        break;
      case 'reply-end':
        this.expect(this.state === 'between', 'the reply ended inside a block or twice');
        this.expect(this.sawUsage, 'the reply ended without usage');
        this.state = 'ended';
        break;
      case 'ping':
        break;
    }
    out.push(event);
  }

  end(): void {
    this.expect(this.state === 'ended', 'the stream stopped before the reply ended');
  }

  private expect(holds: boolean, complaint: string): void {
    if (!holds) throw new ProviderFault('malformed-reply', `The provider's reply is malformed: ${complaint}.`);
  }
}
