import type { MediaSource } from '../../core/conversation/content.js';
import type { Reply } from '../../core/conversation/reply.js';

/** The first picture of a reply; undefined where there is none. */
export function imageOf({ blocks }: Pick<Reply, 'blocks'>): MediaSource | undefined {
  for (const { start } of blocks) if (start.type === 'image') return start.source;
  return undefined;
}

/** The address of an image, or a data URL of its bytes. */
export const urlOf = (source: MediaSource): string =>
  source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
