import type { Reply } from '../../core/conversation/reply.js';
import { isJsonObject, type Json } from '../../core/json/json.js';

/** An image as a data URL; the first of a reply, as its vendor tells it. Undefined: there is none. */
export function imageOf({ blocks }: Pick<Reply, 'blocks'>): string | undefined {
  for (const { start } of blocks) {
    if (start.type !== 'opaque') continue;
    const { vendor, value } = start.opaque;
    const url = READERS[vendor]?.(value);
    if (url !== undefined) return url;
  }
  return undefined;
}

type Reader = (value: Readonly<Record<string, Json | undefined>>) => string | undefined;

const dataUrl = (mediaType: Json | undefined, data: Json | undefined): string | undefined =>
  typeof mediaType === 'string' && typeof data === 'string' ? `data:${mediaType};base64,${data}` : undefined;

const READERS: Readonly<Record<string, Reader>> = {
  google: ({ inlineData }) =>
    isJsonObject(inlineData) ? dataUrl(inlineData['mimeType'], inlineData['data']) : undefined,
  'openai-responses': ({ type, result, output_format: format = 'png' }) =>
    type === 'image_generation_call' ? dataUrl(`image/${format as string}`, result) : undefined,
  anthropic: ({ type, source }) =>
    type === 'image' && isJsonObject(source) ? dataUrl(source['media_type'], source['data']) : undefined,
};
