import { blockPath, type ContentBlock, type ToolReferenceBlock } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { RequiredMedia } from '../../../core/provider.js';

/**
 * Documents by address: the chat format carries documents as bytes only. Images go by address.
 * Each address is named once.
 */
export function findRequiredMedia(request: ModelRequest): RequiredMedia[] {
  const required = new Map<string, RequiredMedia>();
  for (const [index, message] of request.messages.entries()) {
    collect(message.content, (place) => blockPath(message, index, place), required);
  }
  return [...required.values()];
}

function collect(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  pathOf: (place: number) => string,
  required: Map<string, RequiredMedia>,
): void {
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'document' && block.source.type === 'url') {
      const { url } = block.source;
      if (!required.has(url)) required.set(url, { url, accept: 'document', path: `${pathOf(index)}.source.url` });
    } else if (block.type === 'tool-result') {
      collect(block.content, (place) => `${pathOf(index)}.content.${place}`, required);
    }
  }
}
