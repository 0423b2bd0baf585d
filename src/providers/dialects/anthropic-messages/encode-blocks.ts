import { append } from '../../../core/append.js';
import {
  blockPath,
  type CacheMarker,
  type ContentBlock,
  type DocumentBlock,
  type MediaSource,
  type TextBlock,
  type ToolReferenceBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../../core/conversation/content.js';
import { isForeignCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { SILENT_ERROR } from '../block-text.js';
import type { EncodeContext, NamingRules } from '../encode-context.js';
import { encodeToolInput } from '../encode-tool-input.js';
import { errorInWords, holdsMediaOfError } from '../error-results.js';
import { hashedId, type ToolIdRule } from '../tool-ids.js';
import type { KeptTurn } from './history.js';

const LEGAL_TOOL_ID = /^[\w-]+$/;
/** Chosen: the vendor's own ids have about 30 characters. */
const STAND_IN_LENGTH = 48;

/** `^[a-zA-Z0-9_-]{1,128}$`: the vendor names this pattern when it refuses a name (read 2026-11-24). */
const NAME_MAX = 128;

const CALL_IDS: ToolIdRule = {
  isLegal: (id) => LEGAL_TOOL_ID.test(id),
  standIn: (text) => hashedId(text, STAND_IN_LENGTH),
};

/** Names and ids that the vendor accepts for tools and their calls. One refused name would end the conversation. */
export const NAMING: NamingRules = {
  callIds: CALL_IDS,
  nameMax: NAME_MAX,
};

/**
 * Encodes a turn that cannot be sent unchanged. Blocks that came in this format are sent unchanged; the others are
 * built from the neutral fields.
 * @throws Untranslatable for a block that the vendor has no form for
 */
export function* encodeTurn({ message, blocks, index }: KeptTurn, context: EncodeContext): Steps<JsonObject> {
  const origin = message.origin?.vendor === 'anthropic' ? message.origin.value : undefined;
  const content: JsonObject[] = [];
  const carried: ContentBlock[] = [];
  let carriedTo = 0;
  // Errors name the block's path in the caller's request, so dropped blocks are counted as well.
  for (const [blockIndex, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    if (block !== blocks[content.length]) continue;
    const path = blockPath(message, index, blockIndex);
    if (block.type === 'tool-use') {
      content.push(yield* encodeCall(block, context));
      continue;
    }
    const isCarrying = block.type === 'tool-result' && holdsMediaOfError(block);
    const split = isCarrying ? errorInWords(block, context.callId(block)) : undefined;
    if (split) append(carried, split.carried);
    const encoded = encodeBlock(split?.result ?? block, path, context);
    // Members of a result that core does not model are kept.
    const came = split && block.origin?.vendor === 'anthropic' ? block.origin.value : undefined;
    content.push(came ? { ...came, ...encoded } : encoded);
    // The vendor accepts nothing between results.
    if (block.type === 'tool-result') carriedTo = content.length;
  }
  const behind = carried.map((block) => encodeBlock(block, `messages.${index}`, context));
  const all = behind.length === 0 ? content : [...content.slice(0, carriedTo), ...behind, ...content.slice(carriedTo)];
  return origin ? { ...origin, content: all } : { role: message.role, content: all };
}

/** The instructions. A single plain text is printed as a string, the form in which it usually came. */
export function encodeSystem(system: readonly TextBlock[], context: EncodeContext): string | JsonObject[] | undefined {
  // The vendor refuses empty ones.
  const kept = system.filter((block) => block.text.trim() !== '');
  if (kept.length === 0) return undefined;
  const only = kept[0]!;
  if (kept.length === 1 && !only.origin && !only.cacheMarker && !only.citations) return only.text;
  return encodeBlocks(kept, 'system', context);
}

/** The wire form of a marker: `{ type: 'ephemeral', ttl, scope }`. */
export function encodeMarker(marker: CacheMarker | undefined): JsonObject | undefined {
  return marker && { type: 'ephemeral', ttl: marker.ttl, scope: marker.scope };
}

function encodeBlocks(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  path: string,
  context: EncodeContext,
): JsonObject[] {
  return blocks.map((block, index) => encodeBlock(block, `${path}.${index}`, context));
}

/** False for a block that its own vendor would refuse, such as a call that another provider's reply contained. */
export function mayGoAsItCame(block: ContentBlock, context: EncodeContext): boolean {
  switch (block.type) {
    case 'text':
      return block.citations === undefined || !block.citations.some(isForeignCitation);
    case 'tool-use':
      return (
        context.callId(block) === block.id &&
        context.names.toWire(block.name) === block.name &&
        isJsonObject(block.input)
      );
    case 'tool-result':
      return (
        context.callId(block) === block.toolUseId &&
        !isSilentError(block) &&
        !(block.isError === true && holdsMediaOfError(block)) &&
        block.content.every((part) => !isEmptyText(part) && !isStoredFile(part))
      );
    case 'document':
      return !isStoredFile(block);
    default:
      return true;
  }
}

/** The call unchanged, except for names and ids that its vendor would refuse. */
function* encodeCall(block: ToolUseBlock, context: EncodeContext): Steps<JsonObject> {
  const came = block.origin?.vendor === 'anthropic' ? block.origin.value : undefined;
  if (came && mayGoAsItCame(block, context)) return came;
  const fields = {
    id: context.callId(block),
    name: context.names.toWire(block.name),
    input: yield* encodeToolInput(block.input),
  };
  return came
    ? { ...came, ...fields }
    : { type: 'tool_use', ...fields, cache_control: encodeMarker(block.cacheMarker) };
}

/** A file that only the vendor that stores it can read. */
const isStoredFile = (block: ContentBlock | ToolReferenceBlock): boolean =>
  block.type === 'document' && block.source.type === 'file';

/** @throws Untranslatable where the table refuses stored files */
function assertReachable(block: ContentBlock | ToolReferenceBlock, path: string, context: EncodeContext): void {
  if (isStoredFile(block)) context.admits('document_file', path);
  if (block.type !== 'tool-result') return;
  for (const [index, part] of block.content.entries()) assertReachable(part, `${path}.content.${index}`, context);
}

/** The block unchanged, except for what its vendor would refuse. */
function mended(value: JsonObject, block: ContentBlock | ToolReferenceBlock, context: EncodeContext): JsonObject {
  if (block.type === 'tool-reference' || mayGoAsItCame(block, context)) return value;
  switch (block.type) {
    case 'text':
      return { ...value, citations: ownCitations(block.citations) };
    case 'tool-result':
      return {
        ...value,
        tool_use_id: context.callId(block),
        content: isSilentError(block) ? SILENT_ERROR : withoutEmptyTexts(value['content']),
      };
    default:
      return value;
  }
}

/** Content without empty texts; undefined where nothing is left. */
function withoutEmptyTexts(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const kept = (content as readonly JsonObject[]).filter((part) => part['type'] !== 'text' || part['text'] !== '');
  return kept.length > 0 ? kept : undefined;
}

/** An error without text is refused (github.com/bytedance/trae-agent, issue 230, read 2026-11-24). */
const isSilentError = ({ isError, content }: ToolResultBlock): boolean =>
  isError === true && content.every(isEmptyText);

const isEmptyText = (part: ContentBlock | ToolReferenceBlock): boolean => part.type === 'text' && part.text === '';

function ownCitations(citations: readonly Json[] | undefined): readonly Json[] | undefined {
  const own = citations?.filter((citation) => !isForeignCitation(citation));
  return own && own.length > 0 ? own : undefined;
}

// Undefined keys are left out when the body is printed.
function encodeBlock(block: ContentBlock | ToolReferenceBlock, path: string, context: EncodeContext): JsonObject {
  assertReachable(block, path, context);
  if (block.origin?.vendor === 'anthropic') return mended(block.origin.value, block, context);
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
        source: encodeDocumentSource(block, path, context),
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
        content: encodeBlocks(block.content, `${path}.content`, context),
        citations: encodeWantsCitations(block.wantsCitations),
        cache_control,
      };
    case 'tool-reference':
      return { type: 'tool_reference', tool_name: context.names.toWire(block.toolName), cache_control };
    case 'tool-result': {
      const content = block.content.filter((part) => !isEmptyText(part));
      return {
        type: 'tool_result',
        tool_use_id: context.callId(block),
        content: isSilentError(block)
          ? SILENT_ERROR
          : content.length > 0
            ? encodeBlocks(content, `${path}.content`, context)
            : undefined,
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
      return context.refuseForm('foreign_item', path, wireName(block.opaque.value));
    case 'audio':
      return context.refuseForm('audio', path);
    case 'tool-use':
      return context.refuseIn('this place', path, block);
    case 'video':
      return context.refuseForm(block.source.type === 'url' ? 'video_url' : 'video_bytes', path);
  }
}

function encodeMedia(source: MediaSource): JsonObject {
  return source.type === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data };
}

function encodeDocumentSource({ source }: DocumentBlock, path: string, context: EncodeContext): JsonObject {
  switch (source.type) {
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'blocks':
      return { type: 'content', content: encodeBlocks(source.blocks, `${path}.source.content`, context) };
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

/** The type of a foreign value, for errors. */
function wireName(value: JsonObject): string {
  return typeof value['type'] === 'string' ? value['type'] : 'foreign';
}
