import type { BlockStart, StopReason } from '../core/conversation/event.js';
import type { ReplyBlock } from '../core/conversation/reply.js';
import { readToolInput } from '../core/conversation/tool-input.js';
import type { Json, JsonObject } from '../core/json.js';
import { ownExtras } from './view-ending.js';

/**
 * A block as it begins: in its empty form, or whole where it arrives whole (WIRE 1.28).
 * @returns undefined for a block of another vendor's own, which the Messages format has no word for: it is not shown
 */
export function viewBlockStart(block: BlockStart): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', ...ownExtras(block.extras), text: '', citations: [] };
    case 'thinking':
      return { type: 'thinking', ...ownExtras(block.extras), thinking: '', signature: '' };
    case 'redacted-thinking':
      return { type: 'redacted_thinking', ...ownExtras(block.extras), data: block.data };
    case 'tool-use':
      return { type: 'tool_use', ...ownExtras(block.extras), id: block.id, name: block.name, input: {} };
    case 'server-tool-use':
      return { type: 'server_tool_use', ...ownExtras(block.extras), id: block.id, name: block.name, input: {} };
    case 'opaque':
      return block.opaque.vendor === 'anthropic' ? block.opaque.value : undefined;
  }
}

/**
 * A finished block.
 * @returns undefined for a block that is not shown, as `viewBlockStart`
 * @throws ProviderFault `malformed-reply` for a tool call whose arguments are no JSON object
 */
export function viewBlock(block: ReplyBlock, stop: StopReason): JsonObject | undefined {
  const { start, text } = block;
  const empty = viewBlockStart(start);
  if (!empty) return undefined;
  switch (start.type) {
    case 'text':
      // DESIGN 11: `[]` when there are none, never null.
      return { ...empty, text, citations: block.citations };
    case 'thinking':
      return { ...empty, thinking: text, signature: block.signature ?? '' };
    case 'redacted-thinking':
      return empty;
    case 'tool-use':
    case 'server-tool-use':
      return { ...empty, input: readToolInput(text, start.name, stop) };
    case 'opaque':
      return viewOpaque(empty, block, stop);
  }
}

/** A block of the vendor's own with its deltas put in, as the vendor's own client does it: the keys of a delta replace. */
function viewOpaque(value: JsonObject, { text, citations, opaqueDeltas }: ReplyBlock, stop: StopReason): JsonObject {
  let whole = value;
  if (text !== '') whole = { ...whole, ...grown(value, text, stop) };
  if (citations.length > 0) {
    const before = Array.isArray(value['citations']) ? (value['citations'] as readonly Json[]) : [];
    whole = { ...whole, citations: [...before, ...citations] };
  }
  for (const { vendor, value: delta } of opaqueDeltas) {
    if (vendor !== 'anthropic') continue;
    const { type: _type, ...fields } = delta;
    whole = { ...whole, ...fields };
  }
  return whole;
}

function grown(value: JsonObject, text: string, stop: StopReason): JsonObject {
  const { name } = value;
  if (Object.hasOwn(value, 'input')) return { input: readToolInput(text, typeof name === 'string' ? name : '', stop) };
  return { text: typeof value['text'] === 'string' ? value['text'] + text : text };
}
