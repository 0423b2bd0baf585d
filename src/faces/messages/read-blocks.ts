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
} from '../../core/conversation/content.js';
import { plainMediaType } from '../../core/conversation/media-type.js';
import type { JsonObject } from '../../core/json/json.js';
import { plainBase64 } from '../../core/json/plain-base64.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { readToken } from './reasoning-token.js';
import type { WireBlock, WireMessage, WireTextBlock, WireToolResultPart } from './schemas/messages.js';

type WirePart = Extract<WireBlock, { type: 'text' | 'image' | 'document' | 'search_result' }>;
type WireImage = Extract<WireBlock, { type: 'image' }>;
type WireDocumentSource = Extract<WireBlock, { type: 'document' }>['source'];

/** Fields of a turn that core models, or the gateway's own. */
export const TURN_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'annotations']);

/** A turn with what core does not model of its wire object. */
export const withExtras = (turn: Message, message: WireMessage): Message => ({
  ...turn,
  extras: originOf(Object.fromEntries(Object.entries(message).filter(([field]) => !TURN_FIELDS.has(field)))),
});

/** One turn. Its wire object is kept, so that a target of the same format gets it unchanged. */
export function readMessage(message: WireMessage): Message {
  const { role, content } = message;
  const value = role === 'assistant' && 'annotations' in message ? withoutAnnotations(message) : message;
  const origin: Origin = { vendor: 'anthropic', value };
  if (content === undefined) return { role, content: [], origin };
  if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }], origin };
  const blocks: ContentBlock[] = [];
  // Another vendor's reasoning has a wrapped form here, and media may be corrected: such a turn is passed on unchanged
  // to no target.
  let hasForeign = false;
  for (let index = 0; index < content.length; index++) {
    const block = readBlock(content[index]!);
    if (block.origin?.value !== content[index]) hasForeign = true;
    blocks.push(block);
  }
  return hasForeign ? { role, content: blocks } : { role, content: blocks, origin };
}

/** Removes annotations, which are this gateway's extension, and no vendor's. */
function withoutAnnotations(message: Extract<WireMessage, { role: 'assistant' }>): JsonObject {
  const { annotations: _ours, ...turn } = message;
  return turn;
}

/** The instructions, without empty texts. */
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
    case 'tool_result': {
      const content = readToolResultContent(block.content);
      let holdsOthers = false;
      for (const { type } of content) holdsOthers ||= type !== 'text';
      return {
        type: 'tool-result',
        toolUseId: block.tool_use_id,
        content,
        ...(block.is_error !== undefined && { isError: block.is_error }),
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(holdsOthers ? withContent(block, content) : block),
      };
    }
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

/**
 * Reads a text block with a `phase`. The Messages format has no such field, so the text has no `origin`, and no target
 * gets it unchanged.
 */
function readPhased(block: WireTextBlock): TextBlock {
  const text = readText(block);
  const { phase } = block as { readonly phase?: unknown };
  if (typeof phase !== 'string' || phase === '') return text;
  const { origin: _foreign, ...rest } = text;
  return { ...rest, phase };
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
    case 'document': {
      const source = readDocumentSource(block.source);
      return {
        type: 'document',
        source,
        ...(typeof block.title === 'string' && { title: block.title }),
        ...(typeof block.context === 'string' && { context: block.context }),
        ...citationsWanted(block.citations),
        ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
        origin: originOf(withSource(block, source)),
      };
    }
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
  const source = readMedia(block.source);
  return {
    type: 'image',
    source,
    ...(block.cache_control && { cacheMarker: readCacheMarker(block.cache_control) }),
    origin: originOf(withSource(block, source)),
  };
}

/** The wire object with its media as they were read; the same object where none had to be repaired. */
function withSource(block: WirePart, read: DocumentSource): JsonObject {
  const { source } = block as { readonly source: WireDocumentSource | WireImage['source'] };
  if (read.type === 'blocks' && source.type === 'content') {
    const inner = withContent(source, read.blocks);
    return inner === source ? block : { ...block, source: inner };
  }
  if (read.type !== 'base64' || source.type !== 'base64') return block;
  if (read.data === source.data && read.mediaType === source.media_type) return block;
  return { ...block, source: { ...source, media_type: read.mediaType, data: read.data } };
}

/** As `withSource`, for what holds blocks. */
function withContent(holder: JsonObject, read: readonly { readonly origin?: Origin }[]): JsonObject {
  const { content } = holder;
  if (!Array.isArray(content) || read.every(({ origin }, index) => origin?.value === content[index])) return holder;
  return { ...holder, content: read.map(({ origin }, index) => origin?.value ?? (content as JsonObject[])[index]!) };
}

function readMedia(source: WireImage['source'] | Extract<WireDocumentSource, { type: 'base64' | 'url' }>): MediaSource {
  return source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', mediaType: plainMediaType(source.media_type), data: plainBase64(source.data) };
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
