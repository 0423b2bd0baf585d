import type { Modality } from '../routing/catalog.js';
import {
  blockPath,
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type TextBlock,
} from './content.js';
import type { ModelRequest } from './request.js';

/** A document, and its path in errors. */
export interface FoundDocument {
  readonly block: DocumentBlock;
  readonly path: string;
}

/** All documents of a request, including those in tool results. */
export function* listDocuments({ messages }: Pick<ModelRequest, 'messages'>): Generator<FoundDocument, void> {
  for (const [index, message] of messages.entries()) {
    for (const [blockIndex, block] of message.content.entries()) {
      if (block.type === 'document') yield { block, path: blockPath(message, index, blockIndex) };
      if (block.type !== 'tool-result') continue;
      for (const [inner, part] of block.content.entries()) {
        if (part.type === 'document')
          yield { block: part, path: `${blockPath(message, index, blockIndex)}.content.${inner}` };
      }
    }
  }
}

/**
 * A request with changed documents. A block or message that contains a changed one loses its origin.
 * @param change returns the same object for an unchanged document
 */
export function withDocuments(request: ModelRequest, change: (block: DocumentBlock) => DocumentBlock): ModelRequest {
  const changed = (block: ContentBlock): ContentBlock => {
    if (block.type === 'document') return change(block);
    if (block.type !== 'tool-result') return block;
    const content = mapped(block.content, (part) => (part.type === 'document' ? change(part) : part));
    return content === block.content ? block : { ...withoutOrigin(block), content };
  };
  const messages = mapped(request.messages, (message: Message): Message => {
    const content = mapped(message.content, changed);
    return content === message.content ? message : { ...withoutOrigin(message), content };
  });
  return messages === request.messages ? request : { ...request, messages };
}

/** The document with its text instead of the file. */
export function asWords(block: DocumentBlock, blocks: readonly (TextBlock | ImageBlock)[]): DocumentBlock {
  const { inWords: _words, ...rest } = withoutOrigin(block);
  return { ...rest, source: { type: 'blocks', blocks } };
}

/**
 * A request as one model can read it: files as text where it accepts none, their pictures only where it accepts images.
 * Awaited text stays as it is.
 */
export function readableBy(request: ModelRequest, inputs: readonly Modality[]): ModelRequest {
  const takesFiles = inputs.includes('file');
  const takesImages = inputs.includes('image');
  if (takesFiles && takesImages) return request;
  return withDocuments(request, (block) => {
    const readable = !takesFiles && block.inWords?.type === 'blocks' ? asWords(block, block.inWords.blocks) : block;
    return takesImages ? readable : withoutPictures(readable);
  });
}

const LEFT_OUT: TextBlock = { type: 'text', text: '[A picture stands here, which this model cannot be shown.]' };

function withoutPictures(block: DocumentBlock): DocumentBlock {
  if (block.source.type !== 'blocks') return block;
  const { blocks } = block.source;
  const isHidden = (part: TextBlock | ImageBlock): boolean => part.type === 'image' && part.isOfFile === true;
  if (!blocks.some(isHidden)) return block;
  const words = blocks.map((part) => (isHidden(part) ? LEFT_OUT : part));
  return asWords(block, words);
}

function withoutOrigin<Value extends { readonly origin?: unknown }>({ origin: _origin, ...rest }: Value) {
  return rest;
}

/** Maps a list; returns the list itself if no item changes. */
function mapped<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const all = items.map(change);
  return all.every((item, index) => item === items[index]) ? items : all;
}
