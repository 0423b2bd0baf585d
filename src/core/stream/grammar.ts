import { ProviderFault } from '../errors.js';
import type { BlockStart, ModelEvent } from '../conversation/event.js';
import type { StreamStage } from './stream-stage.js';

/** The deltas that are allowed in each block. */
const DELTAS_OF: Record<BlockStart['type'], readonly string[]> = {
  // Opaque: what its vendor sends besides the text.
  text: ['text', 'citation', 'opaque'],
  thinking: ['thinking', 'signature'],
  'redacted-thinking': [],
  'tool-use': ['input-json'],
  'server-tool-use': ['input-json'],
  'service-tool-result': [],
  image: [],
  opaque: ['opaque', 'input-json', 'text', 'citation'],
};

/**
 * Checks a reply's events against the grammar of `ModelEvent`; a violation is a malformed reply of the provider.
 * Applied to the output of every decoder, so that no face prints a broken stream whatever an upstream sends. One per
 * reply.
 */
class Grammar {
  private state: 'before' | 'between' | 'in-block' | 'ended' = 'before';
  private block: BlockStart['type'] = 'text';
  private deltas = DELTAS_OF.text;
  private nextIndex = 0;
  private sawUsage = false;

  /** @throws ProviderFault `malformed-reply` for an event that is not allowed here */
  accept(event: ModelEvent): void {
    switch (event.type) {
      case 'reply-start':
        if (this.state !== 'before') throw malformed('the reply began twice');
        this.state = 'between';
        break;
      case 'block-start':
        if (this.state !== 'between') throw malformed('a block began outside of the reply or inside another block');
        if (event.index !== this.nextIndex) throw malformed('block indexes do not rise by one');
        this.block = event.block.type;
        this.deltas = DELTAS_OF[this.block];
        this.nextIndex++;
        this.state = 'in-block';
        break;
      case 'block-delta':
        if (this.state !== 'in-block' || event.index !== this.nextIndex - 1)
          throw malformed('a delta has no open block');
        if (!this.deltas.includes(event.delta.type))
          throw malformed(`a ${event.delta.type} delta stands in a ${this.block} block`);
        break;
      case 'block-end':
        if (this.state !== 'in-block' || event.index !== this.nextIndex - 1)
          throw malformed('a block ended that was not open');
        this.state = 'between';
        break;
      case 'usage':
        if (this.state !== 'between' && this.state !== 'in-block') throw malformed('usage came outside of the reply');
        this.sawUsage = true;
        break;
      case 'reply-end':
        if (this.state !== 'between') throw malformed('the reply ended inside a block or twice');
        if (!this.sawUsage) throw malformed('the reply ended without usage');
        this.state = 'ended';
        break;
      case 'ping':
        break;
    }
  }

  /** Called when the reply has ended. @throws ProviderFault `malformed-reply` where it is incomplete */
  assertEnded(): void {
    if (this.state !== 'ended') throw malformed('the stream stopped before the reply ended');
  }
}

const malformed = (complaint: string): ProviderFault =>
  new ProviderFault('malformed-reply', `The provider's reply is malformed: ${complaint}.`);

/** @throws ProviderFault `malformed-reply` where the events are not those of one finished reply */
export function assertGrammar(events: readonly ModelEvent[]): void {
  const grammar = new Grammar();
  for (const event of events) grammar.accept(event);
  grammar.assertEnded();
}

/** The step with its events checked: events before a violation are kept. */
export class GrammarCheck<In> extends Grammar implements StreamStage<In, ModelEvent> {
  constructor(private readonly step: StreamStage<In, ModelEvent>) {
    super();
  }

  push(input: In, out: ModelEvent[]): void {
    const first = out.length;
    try {
      this.step.push(input, out);
    } finally {
      this.acceptFrom(first, out);
    }
  }

  end(out: ModelEvent[]): void {
    const first = out.length;
    this.step.end(out);
    this.acceptFrom(first, out);
    this.assertEnded();
  }

  /** In place, because nearly everything of a stream passes here. */
  private acceptFrom(first: number, out: ModelEvent[]): void {
    let index = first;
    try {
      for (; index < out.length; index++) this.accept(out[index]!);
    } catch (error) {
      out.length = index;
      throw error;
    }
  }
}
