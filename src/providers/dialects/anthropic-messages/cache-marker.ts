import type { CacheMarker } from '../../../core/conversation/content.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { encodeMarker } from './encode-blocks.js';

/** Maximum number of cache markers that the vendor takes in one request. */
const MARKERS_MAX = 4;

/** The cacheable parts of a request in the vendor's form, in the order the vendor reads them. */
export interface Prompt {
  readonly tools: readonly JsonObject[] | undefined;
  readonly system: string | readonly JsonObject[] | undefined;
  readonly messages: readonly JsonObject[];
}

/**
 * Puts the request's own marker on its last cacheable block. The caller's markers have priority: with four of them, or
 * one on that block, nothing changes (docs/contribute/reasons/translation.md#number-of-markers). The given parts are
 * not changed; the result holds copies.
 */
export function markLastBlock(prompt: Prompt, marker: CacheMarker): Prompt {
  if (countMarkers(prompt) >= MARKERS_MAX) return prompt;
  for (let index = prompt.messages.length - 1; index >= 0; index--) {
    const message = prompt.messages[index]!;
    const content = markContent(message['content'], marker);
    if (content) return { ...prompt, messages: prompt.messages.with(index, { ...message, content }) };
  }
  const system = markContent(prompt.system, marker);
  if (system) return { ...prompt, system };
  const tools = markContent(prompt.tools, marker);
  return tools ? { ...prompt, tools } : prompt;
}

/** The content with the marker on the last block that can have one; undefined when none can. */
function markContent(content: Json | undefined, marker: CacheMarker): JsonObject[] | undefined {
  const cache_control = encodeMarker(marker);
  if (typeof content === 'string')
    return content.trim() === '' ? undefined : [{ type: 'text', text: content, cache_control }];
  if (!Array.isArray(content)) return undefined;
  const blocks = content as readonly JsonObject[];
  const last = blocks.findLastIndex(mayBeMarked);
  if (last === -1) return undefined;
  const block = blocks[last]!;
  return isMarked(block) ? [...blocks] : blocks.with(last, { ...block, cache_control });
}

/** The vendor refuses markers on reasoning, blank text and tools with a deferred definition. */
function mayBeMarked(block: JsonObject): boolean {
  switch (block['type']) {
    case 'thinking':
    case 'redacted_thinking':
      return false;
    case 'text':
      return typeof block['text'] === 'string' && block['text'].trim() !== '';
    default:
      return block['defer_loading'] !== true;
  }
}

function countMarkers({ tools, system, messages }: Prompt): number {
  let count = countIn(tools) + countIn(system);
  for (const message of messages) count += countIn(message['content']);
  return count;
}

/** Counts markers of the blocks and of the blocks in them: results of tools and documents nest. */
function countIn(content: Json | undefined): number {
  if (!Array.isArray(content)) return 0;
  let count = 0;
  for (const block of content as readonly Json[]) {
    if (!isJsonObject(block)) continue;
    if (isMarked(block)) count++;
    const { source, content: nested } = block;
    if (nested !== undefined) count += countIn(nested);
    if (isJsonObject(source)) count += countIn(source['content']);
  }
  return count;
}

const isMarked = (block: JsonObject): boolean => isJsonObject(block['cache_control']);
