import type { BlockStart } from '../core/conversation/event.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../core/json/json.js';
import { REASONING_FORMAT } from './reasoning-format.js';

/** A text in which a vendor of this format refuses to answer. */
export const isRefusal = (block: BlockStart): boolean =>
  block.type === 'text' && block.extras?.vendor === 'openai' && block.extras.value['type'] === 'refusal';

/** What a model thought, in part or complete; the signature makes it the vendor's. */
export const reasoningText = (index: number, text: string | undefined, signature?: string): JsonObject => ({
  type: 'reasoning.text',
  ...(text !== undefined && { text }),
  ...(signature !== undefined && { signature, format: REASONING_FORMAT }),
  index,
});

/** What only the vendor can read. */
export const reasoningSealed = (index: number, data: string): JsonObject => ({
  type: 'reasoning.encrypted',
  data,
  format: REASONING_FORMAT,
  index,
});

/** How likely the words were, as a vendor of this format tells it beside them; undefined for anything else. */
export function logprobsOf({ vendor, value }: Opaque): JsonObject | undefined {
  const { logprobs } = value;
  return vendor === 'openai' && isJsonObject(logprobs) ? logprobs : undefined;
}

/** What was told piece by piece, as one: lists grow. */
export function joinLogprobs(pieces: readonly JsonObject[]): JsonObject | null {
  if (pieces.length === 0) return null;
  const whole: { [key: string]: Json } = { content: null, refusal: null };
  for (const piece of pieces) {
    for (const key of ['content', 'refusal']) {
      const added = piece[key];
      const known = whole[key];
      if (Array.isArray(added)) whole[key] = [...(Array.isArray(known) ? (known as Json[]) : []), ...(added as Json[])];
    }
  }
  return whole;
}

/** A call without arguments is a call with none. */
export const NO_ARGUMENTS = '{}';

/**
 * The citations of one text as annotations of the content it stands in. Only addresses have a form here: citations of
 * the caller's own documents are left out.
 */
export function viewAnnotations(citations: readonly Json[], start: number, end: number): JsonObject[] {
  const annotations: JsonObject[] = [];
  for (const citation of citations) {
    if (!isJsonObject(citation) || typeof citation['url'] !== 'string') continue;
    const { url, title, cited_text: content } = citation;
    annotations.push({
      type: 'url_citation',
      url_citation: {
        url,
        title: typeof title === 'string' ? title : url,
        ...(typeof content === 'string' && { content }),
        start_index: start,
        end_index: end,
      },
    });
  }
  return annotations;
}
