import {
  blockPath,
  type CacheMarker,
  type ContentBlock,
  type DocumentBlock,
  type MediaSource,
  type TextBlock,
  type ToolReferenceBlock,
} from '../../../core/conversation/content.js';
import { parseJson, isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Target } from '../../../core/provider.js';
import type { KeptTurn } from './history.js';

/** Ids the vendor takes on tool calls. */
const TOOL_ID = /^[\w-]+$/;

/**
 * One turn. What came in this format goes out as it came; the rest is built from the neutral fields.
 * @throws Untranslatable for a block the vendor has no form for
 */
export function encodeTurn({ message, blocks, index }: KeptTurn, target: Target): JsonObject {
  const origin = message.origin?.vendor === 'anthropic' ? message.origin.value : undefined;
  if (origin && blocks === message.content) return origin;
  const content: JsonObject[] = [];
  // Errors name the block's place in what the caller sent, so the dropped ones are counted as well.
  message.content.forEach((block, place) => {
    if (block !== blocks[content.length]) return;
    content.push(encodeBlock(block, blockPath(message, index, place), target));
  });
  return origin ? { ...origin, content } : { role: message.role, content };
}

/**
 * The instructions. A single plain text is printed as a string, which is how such a one usually came.
 */
export function encodeSystem(system: readonly TextBlock[], target: Target): string | JsonObject[] | undefined {
  const kept = system.filter((block) => block.text !== '' || block.origin?.vendor === 'anthropic');
  if (kept.length === 0) return undefined;
  const only = kept[0]!;
  if (kept.length === 1 && !only.origin && !only.cacheMarker && !only.citations) return only.text;
  return encodeBlocks(kept, 'system', target);
}

/** `{ type: 'ephemeral', ttl }` of a marker. */
export function encodeMarker(marker: CacheMarker | undefined): JsonObject | undefined {
  return marker && { type: 'ephemeral', ttl: marker.ttl };
}

function encodeBlocks(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  path: string,
  target: Target,
): JsonObject[] {
  return blocks.map((block, index) => encodeBlock(block, `${path}.${index}`, target));
}

// Keys that are undefined are left out when the body is printed.
function encodeBlock(block: ContentBlock | ToolReferenceBlock, path: string, target: Target): JsonObject {
  if (block.origin?.vendor === 'anthropic') return block.origin.value;
  const cache_control = encodeMarker(block.cacheMarker);
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, citations: block.citations, cache_control };
    case 'image':
      // `detail` has no counterpart here and is dropped: the vendor scales images by its own rule.
      return { type: 'image', source: encodeMedia(block.source), cache_control };
    case 'document':
      return {
        type: 'document',
        source: encodeDocumentSource(block, path, target),
        title: block.title,
        context: block.context,
        citations: encodeWantsCitations(block.wantsCitations),
        cache_control,
      };
    case 'search-result':
      return {
        type: 'search_result',
        source: block.source,
        title: block.title,
        content: encodeBlocks(block.content, `${path}.content`, target),
        citations: encodeWantsCitations(block.wantsCitations),
        cache_control,
      };
    case 'tool-reference':
      return { type: 'tool_reference', tool_name: block.toolName, cache_control };
    case 'tool-use':
      return {
        type: 'tool_use',
        id: encodeToolId(block.id),
        name: block.name,
        input: encodeToolInput(block.input),
        cache_control,
      };
    case 'tool-result': {
      const content = block.content.filter((part) => part.type !== 'text' || part.text !== '' || part.origin);
      return {
        type: 'tool_result',
        tool_use_id: encodeToolId(block.toolUseId),
        content: content.length > 0 ? encodeBlocks(content, `${path}.content`, target) : undefined,
        is_error: block.isError,
        cache_control,
      };
    }
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'redacted-thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'opaque':
      if (block.opaque.vendor === 'anthropic') return block.opaque.value;
      throw new Untranslatable(path, `${target.endpoint.tag} has no form for a ${wireName(block.opaque.value)} block`);
    case 'audio':
    case 'video':
      throw new Untranslatable(path, `${target.endpoint.tag} takes no ${block.type}`);
  }
}

function encodeMedia(source: MediaSource): JsonObject {
  return source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data };
}

function encodeDocumentSource({ source }: DocumentBlock, path: string, target: Target): JsonObject {
  switch (source.type) {
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'blocks':
      return { type: 'content', content: encodeBlocks(source.blocks, `${path}.source.content`, target) };
    case 'file':
      return { type: 'file', file_id: source.fileId };
    case 'url':
    case 'base64':
      return encodeMedia(source);
  }
}

function encodeWantsCitations(wanted: boolean | undefined): JsonObject | undefined {
  return wanted === undefined ? undefined : { enabled: wanted };
}

/** Other formats allow any characters in ids; a refused id would end the conversation, and equal ids stay equal. */
function encodeToolId(id: string): string {
  if (TOOL_ID.test(id)) return id;
  let legal = '';
  for (const character of id)
    legal += TOOL_ID.test(character) ? character : `-${character.codePointAt(0)!.toString(16)}-`;
  return legal === '' ? '-' : legal;
}

/**
 * The arguments as the object the vendor demands. Text that is no JSON object (a call that was cut off) is kept under a
 * key of its own rather than lost.
 */
function encodeToolInput(input: Json | undefined): JsonObject {
  if (isJsonObject(input)) return input;
  if (input === undefined || input === null || input === '') return {};
  if (typeof input === 'string') {
    try {
      const parsed: unknown = parseJson(input);
      if (isJsonObject(parsed)) return parsed;
    } catch {
      // Cut-off arguments are an ordinary thing in histories.
    }
  }
  return { arguments: input };
}

/** What a foreign value calls itself, for errors. */
export function wireName(value: JsonObject): string {
  return typeof value['type'] === 'string' ? value['type'] : 'foreign';
}
