import type { ModelEvent } from '../../core/conversation/event.js';
import type { WebCitation } from '../../core/conversation/web-citation.js';
import type { ReplyWatch } from '../../core/plugin.js';
import { CitedSources, CitingBlock } from '../tools/cited-sources.js';

/**
 * Adds citations of the pages that plugins fetched to the blocks of an answer that use them. A page that a block
 * already cites, because a tool fetched it as well, is not cited again.
 */
export class CitingWatch implements ReplyWatch {
  private readonly sources = new CitedSources();
  private citing: CitingBlock | undefined;

  constructor(sources: readonly WebCitation[]) {
    this.sources.add(sources);
  }

  pass(batch: readonly ModelEvent[]): readonly ModelEvent[] {
    const passed: ModelEvent[] = [];
    for (const event of batch) {
      if (event.type === 'block-start')
        this.citing = event.block.type === 'text' ? new CitingBlock(this.sources) : undefined;
      else if (event.type === 'block-delta') this.citing?.grow(event.delta);
      else if (event.type === 'block-end') {
        const { index } = event;
        for (const delta of this.citing?.end() ?? []) passed.push({ type: 'block-delta', index, delta });
        this.citing = undefined;
      }
      passed.push(event);
    }
    return passed;
  }
}
