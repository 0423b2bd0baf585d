import type { ModelEvent } from '../../core/conversation/event.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import type { ReplyWatch } from '../../core/plugin.js';
import { CitedSources } from '../tools/cited-sources.js';

/** Has the blocks of an answer cite the pages that were brought before it, as far as they use them. */
export class CitingWatch implements ReplyWatch {
  private readonly sources = new CitedSources();
  private text: string[] | undefined;

  constructor(sources: readonly WebCitation[]) {
    this.sources.add(sources);
  }

  tell(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    const told: ModelEvent[] = [];
    for (const event of batch) {
      if (event.type === 'block-start') this.text = event.block.type === 'text' ? [] : undefined;
      else if (event.type === 'block-delta' && event.delta.type === 'text') this.text?.push(event.delta.text);
      else if (event.type === 'block-end') told.push(...this.citationsOf(event.index));
      told.push(event);
    }
    return told;
  }

  /** Of the block that ends. */
  private citationsOf(index: number): ModelEvent[] {
    const { text } = this;
    this.text = undefined;
    if (!text) return [];
    return this.sources
      .citationsIn(text.join(''))
      .map((citation) => ({ type: 'block-delta', index, delta: { type: 'citation', citation } }));
  }
}
