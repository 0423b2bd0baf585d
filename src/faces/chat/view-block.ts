import { append } from '../../core/append.js';
import type { MediaSource } from '../../core/conversation/content.js';
import type { BlockStart } from '../../core/conversation/event.js';
import { ANTHROPIC_REASONING, UNNAMED_REASONING, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { readWebCitation } from '../../core/conversation/web-citation.js';
import { definedOnly } from '../../core/defined.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../../core/json/json.js';
import { sealToolResults, type SealUse } from '../common/seal-tool-results.js';
import type { ContentText } from './content-text.js';

/** A text in which a vendor of this format refuses to answer. */
export const isRefusal = (block: BlockStart): boolean =>
  block.type === 'text' && block.extras?.vendor === 'openai' && block.extras.value['type'] === 'refusal';

/**
 * The phase of a message's text, where its vendor reports one and all texts have the same: the format has only one
 * text.
 */
export function viewPhase(phases: ReadonlySet<string | undefined>): JsonObject {
  const [phase] = phases;
  return phases.size === 1 && phase !== undefined ? { phase } : {};
}

/** Reasoning text, in part or complete; the signature identifies the vendor. */
export const reasoningText = (
  index: number,
  text: string | undefined,
  signature: string | undefined,
  mark: ReasoningMark | undefined,
): JsonObject => ({
  type: mark?.isSummary ? 'reasoning.summary' : 'reasoning.text',
  ...(text !== undefined && { [mark?.isSummary ? 'summary' : 'text']: text }),
  ...(signature !== undefined && { signature }),
  ...(mark ? viewMark(mark) : signature !== undefined && { format: ANTHROPIC_REASONING }),
  index,
});

/** Reasoning that only the vendor can read. */
export const reasoningSealed = (index: number, data: string, mark: ReasoningMark | undefined): JsonObject => ({
  type: 'reasoning.encrypted',
  data,
  ...(mark ? viewMark(mark) : { format: ANTHROPIC_REASONING }),
  index,
});

/** A sealed block that belongs only to the text before it. */
export type SealedText = Extract<BlockStart, { type: 'redacted-thinking' }>;

export const isSealOfText = (block: SealedText): boolean => block.mark?.isOfText === true;

/**
 * The seals of a reply's texts, after all other entries. None where there are several texts: the format joins them, and
 * a client could not return each seal with its own text.
 * @param index the index of the first entry
 */
export const sealedText = (seals: readonly SealedText[], { isSeveral }: ContentText, index: number): JsonObject[] =>
  isSeveral ? [] : seals.map(({ data, mark }, sealIndex) => reasoningSealed(index + sealIndex, data, mark));

/**
 * The sealed results of the gateway's tools in a reply that also calls the caller's tools. The client returns them with
 * the results of its own tools (docs/use/chat.md#reasoning-details). They name no vendor: a client drops names that it
 * does not know (`@openrouter/ai-sdk-provider`), and the seal identifies itself.
 * @param seals in the order of the results
 * @param index the index of the first entry
 */
export const sealedTools = (seals: readonly SealUse[], index: number): JsonObject[] =>
  sealToolResults(seals).map((seal, sealIndex) =>
    reasoningSealed(index + sealIndex, seal, { format: UNNAMED_REASONING }),
  );

const viewMark = ({ format, provider, id }: ReasoningMark): JsonObject => definedOnly({ format, id, provider });

/** The log probabilities that a vendor of this format sends beside its text; undefined for anything else. */
export function logprobsOf({ vendor, value }: Opaque): JsonObject | undefined {
  const { logprobs } = value;
  return vendor === 'openai' && isJsonObject(logprobs) ? logprobs : undefined;
}

/** Joins pieces that were sent separately: lists are concatenated. */
export function joinLogprobs(pieces: readonly JsonObject[]): JsonObject | null {
  if (pieces.length === 0) return null;
  const whole: { content: Json[] | null; refusal: Json[] | null } = { content: null, refusal: null };
  for (const piece of pieces) {
    for (const key of ['content', 'refusal'] as const) {
      const added = piece[key];
      if (Array.isArray(added)) append((whole[key] ??= []), added as readonly Json[]);
    }
  }
  return whole;
}

/** An image that a model or a tool made, in the form in which callers send images. */
export const viewImage = (source: MediaSource, index: number): JsonObject => ({
  type: 'image_url',
  index,
  image_url: { url: source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}` },
});

/** A call without arguments is a call with none. */
export const NO_ARGUMENTS = '{}';

/**
 * The citations of one text as annotations of the content that contains it. Only web addresses have a form here:
 * citations of the caller's own documents are left out. Where the provider gives the cited range, so does the
 * annotation.
 */
export function viewAnnotations(citations: readonly Json[], start: number, end: number): JsonObject[] {
  const annotations: JsonObject[] = [];
  for (const citation of citations) {
    const page = readWebCitation(citation);
    if (!page) continue;
    const { url, title, quote, span: sealIndex } = page;
    const isInside = sealIndex !== undefined && sealIndex.end <= end;
    annotations.push({
      type: 'url_citation',
      url_citation: {
        url,
        title: title ?? url,
        ...(quote !== undefined && { content: quote }),
        // An empty text adds nothing to the content, so `start` may lie past `end`.
        start_index: isInside ? sealIndex.start : Math.min(start, end),
        end_index: isInside ? sealIndex.end : end,
      },
    });
  }
  return annotations;
}
