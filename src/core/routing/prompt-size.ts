import type { ContentBlock, DocumentSource, ToolReferenceBlock } from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import { MODALITIES, type Modality } from './catalog.js';

/**
 * Vocabularies in use come to four or five characters a token in prose and fewer elsewhere. One more, since this is a
 * bound from below: an endpoint wrongly left out is worse than one that refuses the prompt itself.
 */
const CHARACTERS_PER_TOKEN_MAX = 6;

/** What a prompt certainly holds, without reading any of it. */
export interface PromptSize {
  /** At least so many, by the lengths of its texts. */
  readonly tokensMin: number;
  /** Besides text, in the order of `MODALITIES`. */
  readonly modalities: readonly Modality[];
}

export function sizePrompt(request: ModelRequest): PromptSize {
  const found: Found = { characters: 0, modalities: undefined, countsResults: request.contextManagement === undefined };
  for (const block of request.system) found.characters += block.text.length;
  for (const message of request.messages) addBlocks(message.content, found);
  const { characters, modalities } = found;
  return {
    tokensMin: Math.floor(characters / CHARACTERS_PER_TOKEN_MAX),
    modalities: modalities ? MODALITIES.filter((modality) => modalities.has(modality)) : [],
  };
}

interface Found {
  characters: number;
  modalities: Set<Modality> | undefined;
  /** Context management may clear the results of tools before the model sees them. */
  readonly countsResults: boolean;
}

/** Thinking of earlier turns and opaque blocks count nothing: the provider may leave them out. */
function addBlocks(blocks: readonly (ContentBlock | ToolReferenceBlock)[], found: Found): void {
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    switch (block.type) {
      case 'text':
        found.characters += block.text.length;
        break;
      case 'tool-use':
        if (typeof block.input === 'string') found.characters += block.input.length;
        break;
      case 'tool-result':
        addResult(block.content, found);
        break;
      case 'search-result':
        addBlocks(block.content, found);
        break;
      case 'document':
        addDocument(block.source, found);
        break;
      case 'image':
      case 'audio':
      case 'video':
        (found.modalities ??= new Set()).add(block.type);
        break;
      case 'thinking':
      case 'redacted-thinking':
      case 'tool-reference':
      case 'opaque':
        break;
    }
  }
}

function addResult(content: readonly (ContentBlock | ToolReferenceBlock)[], found: Found): void {
  const before = found.characters;
  addBlocks(content, found);
  if (!found.countsResults) found.characters = before;
}

function addDocument(source: DocumentSource, found: Found): void {
  switch (source.type) {
    case 'text':
      found.characters += source.text.length;
      return;
    case 'blocks':
      addBlocks(source.blocks, found);
      return;
    case 'base64':
    case 'url':
    case 'file':
      (found.modalities ??= new Set()).add('file');
  }
}
