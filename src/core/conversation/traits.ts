import type { ContentBlock, Message, ToolReferenceBlock } from './content.js';

/** What a conversation holds, found in one walk over its blocks, those inside results of tools included. */
export interface ConversationTraits {
  /** Every block is a text that is not empty, without citations and without a cache marker. */
  readonly isPlain: boolean;
  /** A text block is empty or has only white space. */
  readonly hasBlankText: boolean;
  readonly hasImages: boolean;
  readonly hasDocuments: boolean;
  /** Audio or video. */
  readonly hasOtherMedia: boolean;
  /** Calls of tools, or their results. */
  readonly hasToolBlocks: boolean;
  /** Thinking, readable or redacted. */
  readonly hasReasoning: boolean;
  /** Blocks that only their own vendor understands. */
  readonly hasOpaque: boolean;
  readonly hasCacheMarkers: boolean;
  readonly hasCitations: boolean;
}

type Found = { -readonly [Trait in keyof ConversationTraits]: ConversationTraits[Trait] };

/** By the array itself, which nobody changes: who replaces a turn makes a new one. */
const known = new WeakMap<readonly Message[], ConversationTraits>();

/** Computed at the first call for a list of messages, looked up after that. */
export function traitsOf(messages: readonly Message[]): ConversationTraits {
  let traits = known.get(messages);
  if (!traits) known.set(messages, (traits = findTraits(messages)));
  return traits;
}

const WORDS = /\S/;

function findTraits(messages: readonly Message[]): ConversationTraits {
  const found: Found = {
    isPlain: true,
    hasBlankText: false,
    hasImages: false,
    hasDocuments: false,
    hasOtherMedia: false,
    hasToolBlocks: false,
    hasReasoning: false,
    hasOpaque: false,
    hasCacheMarkers: false,
    hasCitations: false,
  };
  for (let index = 0; index < messages.length; index++) addBlocks(messages[index]!.content, found);
  return found;
}

function addBlocks(blocks: readonly (ContentBlock | ToolReferenceBlock)[], found: Found): void {
  for (let place = 0; place < blocks.length; place++) {
    const block = blocks[place]!;
    if (block.cacheMarker !== undefined) {
      found.hasCacheMarkers = true;
      found.isPlain = false;
    }
    if (block.type !== 'text') addOther(block, found);
    else if (block.citations !== undefined) {
      found.hasCitations = true;
      found.isPlain = false;
    }
    if (block.type === 'text' && !WORDS.test(block.text)) {
      found.hasBlankText = true;
      found.isPlain = false;
    }
  }
}

function addOther(block: Exclude<ContentBlock | ToolReferenceBlock, { type: 'text' }>, found: Found): void {
  found.isPlain = false;
  switch (block.type) {
    case 'tool-result':
      found.hasToolBlocks = true;
      addBlocks(block.content, found);
      return;
    case 'tool-use':
    case 'tool-reference':
      found.hasToolBlocks = true;
      return;
    case 'image':
      found.hasImages = true;
      return;
    case 'document':
      found.hasDocuments = true;
      // A file in words may hold pictures, and so may a document of blocks.
      if (block.source.type === 'blocks') addBlocks(block.source.blocks, found);
      if (block.inWords?.type === 'blocks') addBlocks(block.inWords.blocks, found);
      return;
    case 'search-result':
      addBlocks(block.content, found);
      return;
    case 'audio':
    case 'video':
      found.hasOtherMedia = true;
      return;
    case 'thinking':
    case 'redacted-thinking':
      found.hasReasoning = true;
      return;
    case 'opaque':
      found.hasOpaque = true;
  }
}
