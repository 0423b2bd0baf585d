import type { ChatMessage, ChatTool, WireCacheControl } from './wire.js';

/** Maximum number of breakpoints a request may have (docs/use/messages.md#cache-markers). */
export const CACHE_MARKERS_MAX = 4;

/**
 * Marks the last part that can have a marker: a text that is not blank. The caller's own markers have priority: with
 * four of them, or one already at that block, nothing is added.
 */
export function markLastPart(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  marker: WireCacheControl,
): void {
  if (countMarkers(messages, tools) >= CACHE_MARKERS_MAX) return;
  for (const message of messages.toReversed()) {
    if (typeof message.content === 'string' && message.content.trim() !== '') {
      message.content = [{ type: 'text', text: message.content, cache_control: marker }];
      return;
    }
    if (!Array.isArray(message.content)) continue;
    const part = message.content.findLast((candidate) => candidate.type === 'text' && candidate.text.trim() !== '');
    if (part === undefined) continue;
    part.cache_control ??= marker;
    return;
  }
}

function countMarkers(messages: readonly ChatMessage[], tools: readonly ChatTool[]): number {
  let count = tools.filter((tool) => tool.cache_control !== undefined).length;
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const part of content) if (part.cache_control !== undefined) count++;
  }
  return count;
}
