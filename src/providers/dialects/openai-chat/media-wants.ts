import { blockPath, type ContentBlock, type ToolReferenceBlock } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { MediaWant } from '../../../core/provider.js';

/**
 * Documents by address: the chat format carries documents as bytes only. Images go by address.
 * Each address is named once.
 */
export function wantedMedia(request: ModelRequest): MediaWant[] {
  const wants = new Map<string, MediaWant>();
  for (const [index, message] of request.messages.entries()) {
    collect(message.content, (place) => blockPath(message, index, place), wants);
  }
  return [...wants.values()];
}

function collect(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  pathOf: (place: number) => string,
  wants: Map<string, MediaWant>,
): void {
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'document' && block.source.type === 'url') {
      const { url } = block.source;
      if (!wants.has(url)) wants.set(url, { url, accept: 'document', path: `${pathOf(index)}.source.url` });
    } else if (block.type === 'tool-result') {
      collect(block.content, (place) => `${pathOf(index)}.content.${place}`, wants);
    }
  }
}
