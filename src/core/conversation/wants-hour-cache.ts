import type { CacheMarker, ContentBlock, ToolReferenceBlock } from './content.js';
import type { ModelRequest } from './request.js';

/** Whether any cache marker of this request has a lifetime of an hour rather than of five minutes. */
export function wantsHourCache({ cacheMarker, tools, system, messages }: ModelRequest): boolean {
  return (
    isHour(cacheMarker) ||
    tools.some((tool) => isHour(tool.cacheMarker)) ||
    system.some((block) => isHour(block.cacheMarker)) ||
    messages.some(({ content }) => content.some(isCachedForHour))
  );
}

function isCachedForHour(block: ContentBlock | ToolReferenceBlock): boolean {
  if (isHour(block.cacheMarker)) return true;
  return block.type === 'tool-result' && block.content.some(isCachedForHour);
}

const isHour = (marker: CacheMarker | undefined): boolean => marker?.ttl === '1h';
