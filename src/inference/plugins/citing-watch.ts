import type { ModelEvent } from '../../core/conversation/event.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import type { ReplyWatch } from '../../core/plugin.js';
import { CitedSources, CitingBlock } from '../tools/cited-sources.js';

/**
 * Has the blocks of an answer cite the pages that were brought before it, as far as they use them. What a block cites
 * already, because a tool brought it as well, is not cited again.
 */
export class CitingWatch implements ReplyWatch {
  private readonly sources = new CitedSources();
  private citing: CitingBlock | undefined;

  constructor(sources: readonly WebCitation[]) {
    this.sources.add(sources);
  }

  tell(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    const told: ModelEvent[] = [];
    for (const event of batch) {
      if (event.type === 'block-start')
        this.citing = event.block.type === 'text' ? new CitingBlock(this.sources) : undefined;
      else if (event.type === 'block-delta') this.citing?.grow(event.delta);
      else if (event.type === 'block-end') {
        const { index } = event;
        for (const delta of this.citing?.end() ?? []) told.push({ type: 'block-delta', index, delta });
        this.citing = undefined;
      }
      told.push(event);
    }
    return told;
  }
}
