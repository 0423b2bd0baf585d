import type { MediaSource } from '../../../core/conversation/content.js';
import type { BlockDelta, BlockStart } from '../../../core/conversation/event.js';
import { printJson, isJsonObject, type Json, type JsonObject, type Opaque } from '../../../core/json/json.js';
import { malformed } from './fault.js';

/** The start of a block: its kind, and the content it already holds. */
export interface StartedBlock {
  readonly start: BlockStart;
  readonly deltas: readonly BlockDelta[];
  /** Arguments in the start: they hold unless deltas bring others, as in the vendor's own client. */
  readonly inputJson?: string;
}

const NO_DELTAS: readonly BlockDelta[] = [];

/** Reads a content block: empty at its start in a stream, complete in a whole reply. */
export function readBlock(block: Json | undefined): StartedBlock {
  if (!isJsonObject(block)) throw malformed('a content block is not an object');
  switch (block['type']) {
    case 'text':
      return readText(block);
    case 'thinking':
      return readThinking(block);
    case 'redacted_thinking': {
      const { type: _type, data, ...rest } = block;
      const start = { type: 'redacted-thinking', data: textOf(data, 'data'), ...extrasOf(rest) } as const;
      return { start, deltas: NO_DELTAS };
    }
    case 'tool_use':
      return readToolUse('tool-use', block);
    case 'server_tool_use':
      return readToolUse('server-tool-use', block);
    case 'image':
      return readImage(block);
    default:
      if (typeof block['type'] !== 'string') throw malformed('a content block has no type');
      return { start: { type: 'opaque', opaque: { vendor: 'anthropic', value: block } }, deltas: NO_DELTAS };
  }
}

/**
 * Reads one delta of an open block.
 * @returns undefined for an unknown kind: the vendor requires readers to ignore new kinds
 */
export function readDelta(delta: Json | undefined, open: BlockStart['type'] | undefined): BlockDelta | undefined {
  if (!isJsonObject(delta)) throw malformed('a delta is not an object');
  switch (delta['type']) {
    case 'text_delta':
      return { type: 'text', text: textOf(delta['text'], 'text') };
    case 'input_json_delta':
      return { type: 'input-json', json: textOf(delta['partial_json'], 'partial_json') };
    case 'thinking_delta':
      return { type: 'thinking', text: textOf(delta['thinking'], 'thinking') };
    case 'signature_delta':
      return { type: 'signature', signature: textOf(delta['signature'], 'signature') };
    case 'citations_delta':
      if (delta['citation'] === undefined) throw malformed('a citation delta has no citation');
      return { type: 'citation', citation: delta['citation'] };
    default:
      return open === 'opaque' ? { type: 'opaque', opaque: { vendor: 'anthropic', value: delta } } : undefined;
  }
}

/** `{ extras }` when there are keys that core does not model. */
export function extrasOf(rest: JsonObject): { extras?: Opaque } {
  return Object.keys(rest).length > 0 ? { extras: { vendor: 'anthropic', value: rest } } : {};
}

const TEXT: BlockStart = { type: 'text' };
const TEXT_KEYS: ReadonlySet<string> = new Set(['type', 'text', 'citations']);

function readText(block: JsonObject): StartedBlock {
  const { text, citations } = block;
  if (typeof text !== 'string') throw malformed('text is not a string');
  const deltas: BlockDelta[] = [];
  if (text !== '') deltas.push({ type: 'text', text });
  if (Array.isArray(citations)) {
    for (const citation of citations as readonly Json[]) deltas.push({ type: 'citation', citation });
  }
  return { start: hasOnly(block, TEXT_KEYS) ? TEXT : { type: 'text', ...extrasOf(besides(block, TEXT_KEYS)) }, deltas };
}

/** Whether a parsed object has no other keys. Nearly all have none, and copying the rest is expensive. */
export function hasOnly(value: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}

/** The members with other keys. */
export const besides = (value: JsonObject, keys: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)));

function readThinking(block: JsonObject): StartedBlock {
  const { type: _type, thinking, signature, ...rest } = block;
  const words = textOf(thinking, 'thinking');
  const deltas: BlockDelta[] = [];
  if (words !== '') deltas.push({ type: 'thinking', text: words });
  // A stream brings the signature later; some starts omit the key.
  if (typeof signature === 'string' && signature !== '') deltas.push({ type: 'signature', signature });
  return { start: { type: 'thinking', ...extrasOf(rest) }, deltas };
}

/** Reads an image in the form that requests use; an image in an unknown form stays unchanged. */
function readImage(block: JsonObject): StartedBlock {
  const { type: _type, source, ...rest } = block;
  const read = isJsonObject(source) ? readSource(source) : undefined;
  if (read === undefined)
    return { start: { type: 'opaque', opaque: { vendor: 'anthropic', value: block } }, deltas: NO_DELTAS };
  return { start: { type: 'image', source: read, ...extrasOf(rest) }, deltas: NO_DELTAS };
}

function readSource({ type, media_type: mediaType, data, url }: JsonObject): MediaSource | undefined {
  if (type === 'url') return typeof url === 'string' ? { type, url } : undefined;
  return type === 'base64' && typeof mediaType === 'string' && typeof data === 'string'
    ? { type, mediaType, data }
    : undefined;
}

function readToolUse(type: 'tool-use' | 'server-tool-use', block: JsonObject): StartedBlock {
  const { type: _type, id, name, input, ...rest } = block;
  const start = { type, id: textOf(id, 'id'), name: textOf(name, 'name'), ...extrasOf(rest) } as const;
  const json = argumentsOf(input);
  return { start, deltas: NO_DELTAS, ...(json !== undefined && { inputJson: json }) };
}

/** The arguments as JSON text; a text already is JSON. Undefined where there are none. */
function argumentsOf(input: Json | undefined): string | undefined {
  if (typeof input === 'string') return input.trim() === '' ? undefined : input;
  const isEmpty = input === undefined || input === null || (isJsonObject(input) && Object.keys(input).length === 0);
  return isEmpty ? undefined : print(input);
}

function textOf(value: Json | undefined, key: string): string {
  if (typeof value !== 'string') throw malformed(`${key} is not a string`);
  return value;
}

function print(input: Json): string {
  try {
    return printJson(input);
  } catch {
    // The parser accepts deeper nesting than the printer.
    throw malformed('the input of a tool call is nested too deep');
  }
}
