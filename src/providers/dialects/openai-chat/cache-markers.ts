import type { ChatMessage, ChatTool, WireCacheControl } from './wire.js';

/** Most breakpoints a request may have (docs/wire/messages.md#cache-markers). */
export const CACHE_MARKERS_MAX = 4;

/**
 * Marks the last part of the last message that has one. The caller's own markers come first: with four of them, or one
 * already in that place, nothing is added.
 */
export function markLastPart(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  marker: WireCacheControl,
): void {
  if (countMarkers(messages, tools) >= CACHE_MARKERS_MAX) return;
  const last = messages.findLast((message) => message.content !== null && message.content.length > 0);
  if (last === undefined || last.content === null) return;
  if (typeof last.content === 'string') {
    last.content = [{ type: 'text', text: last.content, cache_control: marker }];
  } else {
    const part = last.content.at(-1);
    if (part !== undefined) part.cache_control ??= marker;
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
