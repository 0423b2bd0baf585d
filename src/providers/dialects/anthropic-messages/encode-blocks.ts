import {
  blockPath,
  type CacheMarker,
  type ContentBlock,
  type DocumentBlock,
  type MediaSource,
  type TextBlock,
  type ToolReferenceBlock,
} from '../../../core/conversation/content.js';
import { isForeignCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Target } from '../../../core/provider.js';
import { hashedId, type ToolIdRule, type ToolIds } from '../tool-ids.js';
import { encodeToolInput } from '../encode-tool-input.js';
import type { KeptTurn } from './history.js';

const LEGAL_TOOL_ID = /^[\w-]+$/;
const isLegalToolId = (id: string): boolean => LEGAL_TOOL_ID.test(id);
/** Chosen: the vendor's own have about 30 characters. */
const STAND_IN_LENGTH = 48;

/** Ids the vendor takes on tool calls. A refused one would end the conversation. */
export const TOOL_ID_RULE: ToolIdRule = {
  isLegal: isLegalToolId,
  standIn: (text) => hashedId(text, STAND_IN_LENGTH),
};

/**
 * One turn. What came in this format goes out as it came; the rest is built from the neutral fields.
 * @throws Untranslatable for a block the vendor has no form for
 */
export function encodeTurn({ message, blocks, index }: KeptTurn, target: Target, ids: ToolIds): JsonObject {
  const origin = message.origin?.vendor === 'anthropic' ? message.origin.value : undefined;
  if (origin && blocks === message.content && blocks.every(mayGoAsItCame)) return origin;
  const content: JsonObject[] = [];
  // Errors name the block's place in what the caller sent, so the dropped ones are counted as well.
  message.content.forEach((block, place) => {
    if (block !== blocks[content.length]) return;
    content.push(encodeBlock(block, blockPath(message, index, place), target, ids));
  });
  return origin ? { ...origin, content } : { role: message.role, content };
}

/**
 * The instructions. A single plain text is printed as a string, which is how such a one usually came.
 */
export function encodeSystem(
  system: readonly TextBlock[],
  target: Target,
  ids: ToolIds,
): string | JsonObject[] | undefined {
  // The vendor refuses empty ones.
  const kept = system.filter((block) => block.text.trim() !== '');
  if (kept.length === 0) return undefined;
  const only = kept[0]!;
  if (kept.length === 1 && !only.origin && !only.cacheMarker && !only.citations) return only.text;
  return encodeBlocks(kept, 'system', target, ids);
}

/** `{ type: 'ephemeral', ttl }` of a marker. */
export function encodeMarker(marker: CacheMarker | undefined): JsonObject | undefined {
  return marker && { type: 'ephemeral', ttl: marker.ttl };
}

function encodeBlocks(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  path: string,
  target: Target,
  ids: ToolIds,
): JsonObject[] {
  return blocks.map((block, index) => encodeBlock(block, `${path}.${index}`, target, ids));
}

/** False for a block that its own vendor would refuse: another's id or citation came in by a reply it never gave. */
function mayGoAsItCame(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
      return block.citations === undefined || !block.citations.some(isForeignCitation);
    case 'tool-use':
      return isLegalToolId(block.id) && isJsonObject(block.input);
    case 'tool-result':
      return isLegalToolId(block.toolUseId) && !block.content.some(isEmptyText);
    default:
      return true;
  }
}

/** The block as it came, but for what its vendor would refuse. */
function mended(value: JsonObject, block: ContentBlock | ToolReferenceBlock, ids: ToolIds): JsonObject {
  if (block.type === 'tool-reference' || mayGoAsItCame(block)) return value;
  switch (block.type) {
    case 'text':
      return { ...value, citations: ownCitations(block.citations) };
    case 'tool-use':
      return { ...value, id: ids.toWire(block.id), input: encodeToolInput(block.input) };
    case 'tool-result':
      return { ...value, tool_use_id: ids.toWire(block.toolUseId), content: saidBy(value['content']) };
    default:
      return value;
  }
}

/** Without empty texts; undefined where nothing is left. */
function saidBy(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const said = (content as readonly JsonObject[]).filter((part) => part['type'] !== 'text' || part['text'] !== '');
  return said.length > 0 ? said : undefined;
}

const isEmptyText = (part: ContentBlock | ToolReferenceBlock): boolean => part.type === 'text' && part.text === '';

function ownCitations(citations: readonly Json[] | undefined): readonly Json[] | undefined {
  const own = citations?.filter((citation) => !isForeignCitation(citation));
  return own && own.length > 0 ? own : undefined;
}

// Keys that are undefined are left out when the body is printed.
function encodeBlock(block: ContentBlock | ToolReferenceBlock, path: string, target: Target, ids: ToolIds): JsonObject {
  if (block.origin?.vendor === 'anthropic') return mended(block.origin.value, block, ids);
  const cache_control = encodeMarker(block.cacheMarker);
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, citations: ownCitations(block.citations), cache_control };
    case 'image':
      // `detail` has no counterpart here and is dropped: the vendor scales images by its own rule.
      return { type: 'image', source: encodeMedia(block.source), cache_control };
    case 'document':
      return {
        type: 'document',
        source: encodeDocumentSource(block, path, target, ids),
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
        content: encodeBlocks(block.content, `${path}.content`, target, ids),
        citations: encodeWantsCitations(block.wantsCitations),
        cache_control,
      };
    case 'tool-reference':
      return { type: 'tool_reference', tool_name: block.toolName, cache_control };
    case 'tool-use':
      return {
        type: 'tool_use',
        id: ids.toWire(block.id),
        name: block.name,
        input: encodeToolInput(block.input),
        cache_control,
      };
    case 'tool-result': {
      const content = block.content.filter((part) => !isEmptyText(part));
      return {
        type: 'tool_result',
        tool_use_id: ids.toWire(block.toolUseId),
        content: content.length > 0 ? encodeBlocks(content, `${path}.content`, target, ids) : undefined,
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

function encodeDocumentSource({ source }: DocumentBlock, path: string, target: Target, ids: ToolIds): JsonObject {
  switch (source.type) {
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'blocks':
      return { type: 'content', content: encodeBlocks(source.blocks, `${path}.source.content`, target, ids) };
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

/** What a foreign value calls itself, for errors. */
export function wireName(value: JsonObject): string {
  return typeof value['type'] === 'string' ? value['type'] : 'foreign';
}
