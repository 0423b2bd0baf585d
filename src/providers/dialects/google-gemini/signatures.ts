import type { RedactedThinkingBlock, ThinkingBlock } from '../../../core/conversation/content.js';
import type { ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { isJsonObject, parseJson, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { printed } from '../read-json.js';

/*
 * Any part of a Gemini turn may have a signature, which must return on the same part. The neutral vocabulary has
 * signatures only for reasoning. So the signatures of other parts become blocks of encrypted reasoning
 * (docs/use/translation/google-gemini.md#signatures):
 *
 * - of a call: before the call, with the id of the call in its mark
 * - of a text: after the text, without an id in its mark
 * - of an image: before the image, with the number of the image in its mark
 * - of a part that only Gemini understands: the block contains the JSON of the whole part
 */

const FORMAT = 'google-gemini-v1';

/** Replaces a missing signature: the call is from another vendor's model (thought-signatures, FAQ). */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Stands for the id of an image, which has none: its number in the turn, from 1. */
export const pictureId = (number: number): string => `picture ${number}`;

/** The provider of the reasoning, and its call or image. */
export const markOf = (provider: string, id?: string): ReasoningMark =>
  id === undefined ? { format: FORMAT, provider } : { format: FORMAT, provider, id };

/**
 * Parts of the vendor's own tools. If a caller's encrypted reasoning is any other kind of part, the vendor did not make
 * it.
 */
const OWN_PARTS: ReadonlySet<string> = new Set(['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult']);
const BESIDE: ReadonlySet<string> = new Set(['thoughtSignature', 'thought']);

/** Whether only the vendor understands this part, and the next turn must contain it. */
export function isOwnPart(part: JsonObject): boolean {
  const keys = Object.keys(part);
  return keys.some((key) => OWN_PARTS.has(key)) && keys.every((key) => OWN_PARTS.has(key) || BESIDE.has(key));
}

/** Whether it is an image for the caller: images among the thoughts are drafts. */
export function isPicture({ inlineData, thought }: JsonObject): boolean {
  if (!isJsonObject(inlineData) || thought === true) return false;
  const { mimeType, data } = inlineData;
  return typeof mimeType === 'string' && mimeType.startsWith('image/') && typeof data === 'string' && data !== '';
}

/** The encoded form of a vendor's own part. Signatures are base64, so none begins with a brace. */
export const sealPart = (part: JsonObject): string => printed(part);

export const isSealedPart = (data: string): boolean => data.startsWith('{');

/** The part in its encoded form; undefined where it is none of the vendor's own kinds. */
export function unsealPart(data: string): JsonObject | undefined {
  try {
    const part: unknown = parseJson(data);
    return isJsonObject(part) && isOwnPart(part) ? part : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the target made this reasoning: a signature is valid at the provider that emitted it. Reasoning without a
 * provider in its mark is accepted.
 */
export const isOwn = ({ mark }: ThinkingBlock | RedactedThinkingBlock, { endpoint }: Target): boolean =>
  mark?.format === FORMAT && (mark.provider === undefined || mark.provider === endpoint.provider.slug);
