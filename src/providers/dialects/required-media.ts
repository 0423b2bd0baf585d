import { blockPath, type ContentBlock, type ToolReferenceBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { RequiredMedia } from '../../core/provider.js';

type Kind = RequiredMedia['accept'];

/**
 * The addresses of these kinds of media in a request, for targets that take only bytes. Each address is listed once.
 * @param readsItself which addresses the target reads by itself
 */
export function findRequiredMedia(
  request: ModelRequest,
  kinds: readonly Kind[],
  readsItself: (url: string) => boolean = () => false,
): RequiredMedia[] {
  const required = new Map<string, RequiredMedia>();
  for (const [index, message] of request.messages.entries()) {
    collect(message.content, (blockIndex) => blockPath(message, index, blockIndex), kinds, required);
  }
  return [...required.values()].filter(({ url }) => !readsItself(url));
}

function collect(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  pathOf: (blockIndex: number) => string,
  kinds: readonly Kind[],
  required: Map<string, RequiredMedia>,
): void {
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'tool-result') {
      collect(block.content, (blockIndex) => `${pathOf(index)}.content.${blockIndex}`, kinds, required);
      continue;
    }
    if (block.type !== 'document' && block.type !== 'image') continue;
    if (block.source.type === 'blocks') {
      collect(block.source.blocks, (blockIndex) => `${pathOf(index)}.source.content.${blockIndex}`, kinds, required);
    } else if (block.source.type === 'url' && kinds.includes(block.type)) {
      const { url } = block.source;
      if (!required.has(url)) required.set(url, { url, accept: block.type, path: `${pathOf(index)}.source.url` });
    }
  }
}
