import { JSON_DEPTH_MAX } from '../json/json-scan.js';
import { parseJson, type Json, type Opaque } from '../json/json.js';
import type { ContentBlock, Message } from './content.js';
import type { Reply, ReplyBlock } from './reply.js';

/** A finished reply as the turn of the conversation, for the request that continues it. */
export const assistantTurn = ({ blocks }: Pick<Reply, 'blocks'>): Message => ({
  role: 'assistant',
  content: blocks.map(contentOf).filter((block) => block !== undefined),
});

/** @returns undefined for a block that is not part of a conversation */
function contentOf({ start, text, signature, citations, opaqueDeltas }: ReplyBlock): ContentBlock | undefined {
  switch (start.type) {
    case 'text':
      if (text === '') return undefined;
      return {
        type: 'text',
        text,
        ...(citations.length > 0 && { citations }),
        ...(start.phase !== undefined && { phase: start.phase }),
      };
    case 'thinking':
      return {
        type: 'thinking',
        thinking: text,
        ...(signature !== undefined && { signature }),
        ...(start.mark && { mark: start.mark }),
      };
    case 'redacted-thinking':
      return { type: 'redacted-thinking', data: start.data, ...(start.mark && { mark: start.mark }) };
    case 'tool-use':
      return { type: 'tool-use', id: start.id, name: start.name, input: readInput(text) };
    case 'server-tool-use': {
      const { id, name, extras } = start;
      const value = { ...extras?.value, type: 'server_tool_use', id, name, input: readInput(text) };
      return { type: 'opaque', opaque: { vendor: 'anthropic', value } };
    }
    case 'opaque':
      return { type: 'opaque', opaque: withDeltas(start.opaque, opaqueDeltas) };
    case 'image':
      return { type: 'image', source: start.source };
    case 'service-tool-result':
      return undefined;
  }
}

/** The keys of a delta replace those of the block, as in the vendor's own client. */
const withDeltas = ({ vendor, value }: Opaque, deltas: readonly Opaque[]): Opaque => ({
  vendor,
  value: deltas.reduce((whole, { value: { type: _type, ...fields } }) => ({ ...whole, ...fields }), value),
});

/** Characters of the arguments of one call, which are parsed in one step. Chosen far above any use. */
export const ARGUMENTS_LENGTH_MAX = 1024 * 1024;

/** Levels of a call's arguments: with the levels around them in a request, as deep as a body may be. */
const ARGUMENTS_DEPTH_MAX = JSON_DEPTH_MAX - 10;

/** The arguments of a call, `{}` where there are none; undefined for invalid JSON, or more than any tool reads. */
export function readArguments(text: string): Json | undefined {
  if (text.length > ARGUMENTS_LENGTH_MAX) return undefined;
  if (text.trim() === '') return {};
  try {
    const value = parseJson(text) as Json;
    return isDeeper(value, ARGUMENTS_DEPTH_MAX) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner as Json, levels - 1));
}

/** Unreadable arguments were answered with an error, and are sent as `{}`. */
const readInput = (text: string): Json => readArguments(text) ?? {};
