import type { ContentBlock, Message, ToolReferenceBlock } from './content.js';

/** Features of a conversation, found in one walk over its blocks, those inside results of tools included. */
export interface ConversationTraits {
  /** Every block is a text that is not empty, without citations and without a cache marker. */
  readonly isPlain: boolean;
  /** A text block is empty or has only white space. */
  readonly hasBlankText: boolean;
  readonly hasImages: boolean;
  readonly hasDocuments: boolean;
  /** Calls of tools, or their results. */
  readonly hasToolBlocks: boolean;
  /** Thinking, readable or redacted. */
  readonly hasReasoning: boolean;
  /** Blocks that only their own vendor understands. */
  readonly hasOpaque: boolean;
  /** Instructions among the turns. */
  readonly hasInstructions: boolean;
  /** A tool result comes after other content of the user, in its turn or in an earlier one. */
  readonly hasLateResults: boolean;
  /** Blocks whose wire objects state who called a tool, or who shares a cache. */
  readonly hasBetaFields: boolean;
  /** Turns with fields that core does not model. */
  readonly hasExtras: boolean;
}

/** One bit for each trait. */
const BLANK = 1;
const IMAGES = 2;
const DOCUMENTS = 4;
const TOOLS = 8;
const REASONING = 16;
const OPAQUE = 32;
const BETA_FIELDS = 64;
/** Content without a separate trait that is not plain either: other blocks, cache markers, citations. */
const OTHERS = 128;
const INSTRUCTIONS = 256;
const LATE_RESULTS = 512;
const EXTRAS = 1_024;

/** Cached by the array itself, which is immutable: code that replaces a turn makes a new one. */
const known = new WeakMap<readonly Message[], ConversationTraits>();
/**
 * One object for each combination. Young collections keep the values of a `WeakMap` alive, so that a separate value
 * for each conversation would become old with it.
 */
const combinations: (ConversationTraits | undefined)[] = [];

/** Computed at the first call for a list of messages, looked up after that. */
export function traitsOf(messages: readonly Message[]): ConversationTraits {
  let traits = known.get(messages);
  if (!traits) {
    let found = 0;
    for (let index = 0; index < messages.length; index++) {
      const { role, content, extras } = messages[index]!;
      found |= bitsOf(content);
      if (role === 'system') found |= INSTRUCTIONS;
      else if (index > 0 && content[0]?.type === 'tool-result' && messages[index - 1]!.role !== 'assistant')
        found |= LATE_RESULTS;
      if (extras !== undefined) found |= EXTRAS;
    }
    traits = combinations[found] ??= toTraits(found);
    known.set(messages, traits);
  }
  return traits;
}

const toTraits = (found: number): ConversationTraits => ({
  isPlain: (found & ~(INSTRUCTIONS | EXTRAS)) === 0,
  hasBlankText: (found & BLANK) !== 0,
  hasImages: (found & IMAGES) !== 0,
  hasDocuments: (found & DOCUMENTS) !== 0,
  hasToolBlocks: (found & TOOLS) !== 0,
  hasReasoning: (found & REASONING) !== 0,
  hasOpaque: (found & OPAQUE) !== 0,
  hasInstructions: (found & INSTRUCTIONS) !== 0,
  hasLateResults: (found & LATE_RESULTS) !== 0,
  hasBetaFields: (found & BETA_FIELDS) !== 0,
  hasExtras: (found & EXTRAS) !== 0,
});

const WORDS = /\S/;

function bitsOf(blocks: readonly (ContentBlock | ToolReferenceBlock)[]): number {
  let found = 0;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    const { cacheMarker } = block;
    if (cacheMarker !== undefined) found |= cacheMarker.scope === undefined ? OTHERS : OTHERS | BETA_FIELDS;
    if (block.type !== 'text') {
      found |= bitsOfOther(block);
      if (block.type === 'tool-result' && index > 0 && blocks[index - 1]!.type !== 'tool-result') found |= LATE_RESULTS;
    } else {
      if (block.citations !== undefined) found |= OTHERS;
      if (!WORDS.test(block.text)) found |= BLANK;
    }
  }
  return found;
}

function bitsOfOther(block: Exclude<ContentBlock | ToolReferenceBlock, { type: 'text' }>): number {
  switch (block.type) {
    case 'tool-result':
      return TOOLS | bitsOf(block.content);
    case 'tool-use':
      return block.origin?.value['caller'] === undefined ? TOOLS : TOOLS | BETA_FIELDS;
    case 'tool-reference':
      return TOOLS;
    case 'image':
      return IMAGES;
    case 'document': {
      // A file that was read as text may hold pictures, and so may a document of blocks.
      const { source, inWords } = block;
      const inside = source.type === 'blocks' ? bitsOf(source.blocks) : 0;
      return DOCUMENTS | inside | (inWords?.type === 'blocks' ? bitsOf(inWords.blocks) : 0);
    }
    case 'search-result':
      return OTHERS | bitsOf(block.content);
    case 'audio':
    case 'video':
      return OTHERS;
    case 'thinking':
    case 'redacted-thinking':
      return REASONING;
    case 'opaque':
      return block.opaque.value['caller'] === undefined ? OPAQUE : OPAQUE | BETA_FIELDS;
  }
}
