import type { ModelEvent } from '../../core/conversation/event.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import type { ReplyWatch } from '../../core/plugin.js';
import { CitedSources } from '../tools/cited-sources.js';

/**
 * Has the blocks of an answer cite the pages that were brought before it, as far as they use them. What a block cites
 * already, because a tool brought it as well, is not cited again.
 */
export class CitingWatch implements ReplyWatch {
  private readonly sources = new CitedSources();
  private text: string[] | undefined;
  /** Addresses that the block under way cites by itself. */
  private readonly cited = new Set<Json | undefined>();

  constructor(sources: readonly WebCitation[]) {
    this.sources.add(sources);
  }

  tell(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    const told: ModelEvent[] = [];
    for (const event of batch) {
      if (event.type === 'block-start') this.text = event.block.type === 'text' ? [] : undefined;
      else if (event.type === 'block-delta' && event.delta.type === 'text') this.text?.push(event.delta.text);
      else if (event.type === 'block-delta' && event.delta.type === 'citation') this.keep(event.delta.citation);
      else if (event.type === 'block-end') told.push(...this.citationsOf(event.index));
      told.push(event);
    }
    return told;
  }

  private keep(citation: Json): void {
    if (isJsonObject(citation)) this.cited.add(citation['url']);
  }

  /** Of the block that ends. */
  private citationsOf(index: number): ModelEvent[] {
    const { text } = this;
    const cited = new Set(this.cited);
    this.text = undefined;
    this.cited.clear();
    if (!text) return [];
    return this.sources
      .citationsIn(text.join(''))
      .filter((citation) => !isJsonObject(citation) || !cited.has(citation['url']))
      .map((citation) => ({ type: 'block-delta', index, delta: { type: 'citation', citation } }));
  }
}
