import type {
  ContentBlock,
  DocumentSource,
  ImageBlock,
  MediaSource,
  Message,
  Origin,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultContent,
} from '../core/conversation/content.js';
import type { JsonObject } from '../core/json/json.js';
import { readCacheMarker } from '../inference/read-cache-marker.js';
import { readToken } from './reasoning-token.js';
import type { WireBlock, WireMessage, WireTextBlock, WireToolResultPart } from './schemas/messages.js';

type WirePart = Extract<WireBlock, { type: 'text' | 'image' | 'document' | 'search_result' }>;
type WireImage = Extract<WireBlock, { type: 'image' }>;
type WireDocumentSource = Extract<WireBlock, { type: 'document' }>['source'];

/** One turn, its wire object kept so that a target of the same format gets it as it came. */
export function readMessage(message: WireMessage): Message {
  const { role, content } = message;
  const value = role === 'assistant' && 'annotations' in message ? withoutAnnotations(message) : message;
  const origin: Origin = { vendor: 'anthropic', value };
  if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }], origin };
  const blocks: ContentBlock[] = [];
  // Another vendor's reasoning is not what it was told as: nobody gets such a turn as it came.
  let hasForeign = false;
  for (let place = 0; place < content.length; place++) {
    const block = readBlock(content[place]!);
    if (block.origin === undefined) hasForeign = true;
    blocks.push(block);
  }
  return hasForeign ? { role, content: blocks } : { role, content: blocks, origin };
}

/** They are words of this gateway's, and of no vendor's. */
function withoutAnnotations(message: Extract<WireMessage, { role: 'assistant' }>): JsonObject {
  const { annotations: _ours, ...turn } = message;
  return turn;
}

/** The instructions. Empty text says nothing. */
export function readSystem(system: string | readonly WireTextBlock[]): TextBlock[] {
  if (system === '') return [];
  return typeof system === 'string' ? [{ type: 'text', text: system }] : system.map(readText);
}

export const originOf = (value: JsonObject): Origin => ({ vendor: 'anthropic', value });

function readBlock(block: WireBlock): ContentBlock {
  switch (block.type) {
    case 'text':
      return 'phase' in block ? readPhased(block) : readText(block);
    case 'image':
    case 'document':
    case 'search_result':
      return readPart(block);
    case 'tool_use':
      return {
        type: 'tool-use',
        id: block.id,
        name: block.name,
        input: block.input,
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(block),
      };
    case 'tool_result':
      return {
        type: 'tool-result',
        toolUseId: block.tool_use_id,
        content: readToolResultContent(block.content),
        ...(block.is_error !== undefined && { isError: block.is_error }),
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(block),
      };
    case 'thinking':
      return readThinking(block);
    case 'redacted_thinking':
      return readSealed(block);
    default:
      return {
        type: 'opaque',
        opaque: { vendor: 'anthropic', value: block },
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(block),
      };
  }
}

/** Its phase is another vendor's, and no word of the format: nobody gets such a text as it came. */
function readPhased(block: WireTextBlock): TextBlock {
  const text = readText(block);
  const { phase } = block as { readonly phase?: unknown };
  if (typeof phase !== 'string' || phase === '') return text;
  const { origin: _foreign, ...said } = text;
  return { ...said, phase };
}

function readThinking(block: Extract<WireBlock, { type: 'thinking' }>): ThinkingBlock {
  const { thinking, signature } = block;
  const token = readToken(signature);
  return token
    ? { type: 'thinking', thinking, ...(token.data !== '' && { signature: token.data }), mark: token.mark }
    : { type: 'thinking', thinking, signature, origin: originOf(block) };
}

function readSealed(block: Extract<WireBlock, { type: 'redacted_thinking' }>): RedactedThinkingBlock {
  const token = readToken(block.data);
  return token
    ? { type: 'redacted-thinking', data: token.data, mark: token.mark }
    : { type: 'redacted-thinking', data: block.data, origin: originOf(block) };
}

function readToolResultContent(content: string | readonly WireToolResultPart[] | undefined): ToolResultContent[] {
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) =>
    part.type === 'tool_reference'
      ? {
          type: 'tool-reference',
          toolName: part.tool_name,
          ...(part.cache_control && { cacheMarker: readCacheMarker(part.cache_control) }),
          origin: originOf(part),
        }
      : readPart(part),
  );
}

function readPart(block: WirePart): Exclude<ToolResultContent, { type: 'tool-reference' }> {
  switch (block.type) {
    case 'text':
      return readText(block);
    case 'image':
      return readImage(block);
    case 'document':
      return {
        type: 'document',
        source: readDocumentSource(block.source),
        ...(typeof block.title === 'string' && { title: block.title }),
        ...(typeof block.context === 'string' && { context: block.context }),
        ...citationsWanted(block.citations),
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(block),
      };
    case 'search_result':
      return {
        type: 'search-result',
        source: block.source,
        title: block.title,
        content: block.content.map(readText),
        ...citationsWanted(block.citations),
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(block),
      };
  }
}

function readText(block: WireTextBlock): TextBlock {
  const { text, citations, cache_control: marker } = block;
  const origin: Origin = { vendor: 'anthropic', value: block };
  if (!citations && !marker) return { type: 'text', text, origin };
  return {
    type: 'text',
    text,
    ...(citations && { citations }),
    ...(marker && { cacheMarker: readCacheMarker(marker) }),
    origin,
  };
}

function readImage(block: WireImage): ImageBlock {
  return {
    type: 'image',
    source: readMedia(block.source),
    ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
    origin: originOf(block),
  };
}

function readMedia(source: WireImage['source'] | Extract<WireDocumentSource, { type: 'base64' | 'url' }>): MediaSource {
  return source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', mediaType: source.media_type, data: source.data };
}

function readDocumentSource(source: WireDocumentSource): DocumentSource {
  switch (source.type) {
    case 'text':
      return { type: 'text', text: source.data };
    case 'content':
      return {
        type: 'blocks',
        blocks:
          typeof source.content === 'string'
            ? [{ type: 'text', text: source.content }]
            : source.content.map((block) => (block.type === 'image' ? readImage(block) : readText(block))),
      };
    case 'file':
      return { type: 'file', fileId: source.file_id };
    case 'base64':
    case 'url':
      return readMedia(source);
  }
}

function citationsWanted(citations: { enabled?: boolean } | null | undefined): { wantsCitations?: boolean } {
  return citations?.enabled === undefined ? {} : { wantsCitations: citations.enabled };
}
