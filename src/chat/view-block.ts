import { append } from '../core/append.js';
import type { MediaSource } from '../core/conversation/content.js';
import type { BlockStart, ServiceToolResult } from '../core/conversation/event.js';
import { ANTHROPIC_REASONING, UNNAMED_REASONING, type ReasoningMark } from '../core/conversation/reasoning-mark.js';
import { readWebCitation } from '../core/conversation/web-citation.js';
import { definedOnly } from '../core/defined.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../core/json/json.js';
import type { ContentText } from './content-text.js';

/** A text in which a vendor of this format refuses to answer. */
export const isRefusal = (block: BlockStart): boolean =>
  block.type === 'text' && block.extras?.vendor === 'openai' && block.extras.value['type'] === 'refusal';

/**
 * What part of the model's work the words of a message are, where its vendor says so and they are of one: the format
 * has one text for all.
 */
export function viewPhase(phases: ReadonlySet<string | undefined>): JsonObject {
  const [phase] = phases;
  return phases.size === 1 && phase !== undefined ? { phase } : {};
}

/** What a model thought, in part or complete; the signature makes it the vendor's. */
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

/** What only the vendor can read. */
export const reasoningSealed = (index: number, data: string, mark: ReasoningMark | undefined): JsonObject => ({
  type: 'reasoning.encrypted',
  data,
  ...(mark ? viewMark(mark) : { format: ANTHROPIC_REASONING }),
  index,
});

/** A sealed block that holds for the text in front of it alone. */
export type SealedText = Extract<BlockStart, { type: 'redacted-thinking' }>;

export const isSealOfText = (block: SealedText): boolean => block.mark?.isOfText === true;

/**
 * The seals of a reply's words, behind all else: the format has one text for all, so that of several texts none would
 * come back to its own.
 * @param index of the first entry
 */
export const sealedText = (seals: readonly SealedText[], { isSeveral }: ContentText, index: number): JsonObject[] =>
  isSeveral ? [] : seals.map(({ data, mark }, place) => reasoningSealed(index + place, data, mark));

/** Closes what a use of a tool brought, in at most so many characters; undefined where there is more of it. */
export type SealUse = ServiceToolResult['seal'];

/** Of what the gateway's tools brought with one reply, in characters: what was brought first is left out beyond. */
const SEALED_LENGTH_MAX = 256 * 1024;

/**
 * What the gateway's tools brought with a reply that calls the caller's, so that it comes back with their results
 * (docs/wire/chat.md#reasoning-details). Told without a name: a client that knows its vendors' names drops all others
 * (`@openrouter/ai-sdk-provider`), and the seal is known by itself.
 * @param seals in the order of the results
 * @param index of the first entry
 */
export function sealedTools(seals: readonly SealUse[], index: number): JsonObject[] {
  const kept: string[] = [];
  let room = SEALED_LENGTH_MAX;
  for (const seal of seals.toReversed()) {
    const sealed = seal(room);
    if (sealed === undefined) break;
    room -= sealed.length;
    kept.unshift(sealed);
  }
  return kept.map((seal, place) => reasoningSealed(index + place, seal, { format: UNNAMED_REASONING }));
}

const viewMark = ({ format, provider, id }: ReasoningMark): JsonObject => definedOnly({ format, id, provider });

/** How likely the words were, as a vendor of this format tells it beside them; undefined for anything else. */
export function logprobsOf({ vendor, value }: Opaque): JsonObject | undefined {
  const { logprobs } = value;
  return vendor === 'openai' && isJsonObject(logprobs) ? logprobs : undefined;
}

/** What was told piece by piece, as one: lists grow. */
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

/** A picture that a model, or a tool, has drawn: in the form that callers send theirs in. */
export const viewImage = (source: MediaSource, index: number): JsonObject => ({
  type: 'image_url',
  index,
  image_url: { url: source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}` },
});

/** A call without arguments is a call with none. */
export const NO_ARGUMENTS = '{}';

/**
 * The citations of one text as annotations of the content it stands in. Only addresses have a form here: citations of
 * the caller's own documents are left out. Where the provider says which words are meant, the annotation does.
 */
export function viewAnnotations(citations: readonly Json[], start: number, end: number): JsonObject[] {
  const annotations: JsonObject[] = [];
  for (const citation of citations) {
    const page = readWebCitation(citation);
    if (!page) continue;
    const { url, title, quote, place } = page;
    const isInside = place !== undefined && place.end <= end;
    annotations.push({
      type: 'url_citation',
      url_citation: {
        url,
        title: title ?? url,
        ...(quote !== undefined && { content: quote }),
        // A text that says nothing is not put in.
        start_index: isInside ? place.start : Math.min(start, end),
        end_index: isInside ? place.end : end,
      },
    });
  }
  return annotations;
}
