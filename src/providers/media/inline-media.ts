import type { ContentBlock, DocumentSource, Message, ToolReferenceBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { FetchedMedia } from '../../core/provider.js';

type Block = ContentBlock | ToolReferenceBlock;

/**
 * The request with these media as bytes instead of their addresses, for platforms that fetch none. A part without
 * media stays the same object; a rewritten part has no origin.
 */
export function withInlineMedia(request: ModelRequest, media: FetchedMedia): ModelRequest {
  if (media.size === 0) return request;
  const messages = replaced(request.messages, (message) => inMessage(message, media));
  return messages === request.messages ? request : { ...request, messages };
}

function inMessage(message: Message, media: FetchedMedia): Message {
  const content = replaced(message.content, (block) => inBlock(block, media));
  if (content === message.content) return message;
  const { origin: _origin, ...rest } = message;
  return { ...rest, content };
}

function inBlock<Kind extends Block>(block: Kind, media: FetchedMedia): Kind {
  if (block.type === 'tool-result') {
    const content = replaced(block.content, (inner) => inBlock(inner, media));
    return content === block.content ? block : { ...withoutOrigin(block), content };
  }
  if (block.type !== 'image' && block.type !== 'document') return block;
  const source = inSource(block.source, media);
  return source === block.source ? block : { ...withoutOrigin(block), source };
}

function inSource(source: DocumentSource, media: FetchedMedia): DocumentSource {
  if (source.type === 'blocks') {
    const blocks = replaced(source.blocks, (inner) => inBlock(inner, media));
    return blocks === source.blocks ? source : { ...source, blocks };
  }
  const fetched = source.type === 'url' ? media.get(source.url) : undefined;
  return fetched ? { type: 'base64', mediaType: fetched.mediaType, data: fetched.base64.toString() } : source;
}

function withoutOrigin<Kind extends Block>(block: Kind): Kind {
  const { origin: _origin, ...rest } = block;
  return rest as Kind;
}

/** Maps an array; returns the array itself if no item changes. */
function replaced<Item>(items: readonly Item[], replace: (item: Item) => Item): readonly Item[] {
  const changed = items.map(replace);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
