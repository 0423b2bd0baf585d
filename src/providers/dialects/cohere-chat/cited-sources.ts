import type {
  ContentBlock,
  DocumentBlock,
  SearchResultBlock,
  ToolResultContent,
} from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { BLOCK_SEPARATOR } from '../block-text.js';
import type { CohereDocument } from './wire.js';

export type CitedBlock = SearchResultBlock | DocumentBlock;

/** A block of the caller's that the answer is to cite, with its number in citations of the Messages format. */
export interface CitedSource {
  readonly block: CitedBlock;
  /** Index of the source among the documents, or among the search results, of the request. */
  readonly index: number;
  readonly text: string;
}

/**
 * The texts and search results for which the caller requests citations, sent as `documents`. They are numbered in
 * order, so that a reply's citations find them, and a growing conversation keeps its ids. The vendor takes no documents
 * beside tools or a response format.
 */
export class CitedSources {
  private readonly sources: CitedSource[] = [];
  private readonly blocks = new Set<unknown>();

  constructor({ messages, tools, outputFormat }: ModelRequest) {
    if (tools.length > 0 || outputFormat !== undefined) return;
    let documents = 0;
    let results = 0;
    for (const block of blocksIn(messages)) {
      if (block.type !== 'document' && block.type !== 'search-result') continue;
      const index = block.type === 'document' ? documents++ : results++;
      const text = block.wantsCitations === true ? textOf(block) : undefined;
      if (text === undefined) continue;
      this.sources.push({ block, index, text });
      this.blocks.add(block);
    }
  }

  /** Whether the block is among the documents and must not be sent a second time. */
  has(block: CitedBlock): boolean {
    return this.blocks.has(block);
  }

  /** @param id as in `documents`; the vendor returns it unchanged */
  find(id: string): CitedSource | undefined {
    const number = /^doc_(\d{1,6})$/.exec(id)?.[1];
    return number === undefined ? undefined : this.sources[Number(number)];
  }

  documents(): readonly CohereDocument[] {
    return this.sources.map(({ block, text }, number) => ({
      id: `doc_${number}`,
      data: { ...(block.title && { title: block.title }), ...sourceIdOf(block), text },
    }));
  }
}

function* blocksIn(messages: ModelRequest['messages']): Generator<ContentBlock | ToolResultContent> {
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool-result') yield* block.content;
      else yield block;
    }
  }
}

const sourceIdOf = (block: CitedBlock): Record<string, string> =>
  block.type === 'search-result' ? { url: block.source } : block.context ? { context: block.context } : {};

/** @returns undefined where it is no text: it is sent in another way, or is refused there */
function textOf(block: CitedBlock): string | undefined {
  if (block.type === 'search-result') return block.content.map(({ text }) => text).join(BLOCK_SEPARATOR);
  const { source } = block;
  if (source.type === 'text') return source.text;
  if (source.type !== 'blocks') return undefined;
  const texts = source.blocks.map((inner) => (inner.type === 'text' ? inner.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join(BLOCK_SEPARATOR);
}
