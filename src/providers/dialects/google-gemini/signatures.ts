import type { RedactedThinkingBlock, ThinkingBlock } from '../../../core/conversation/content.js';
import type { ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { isJsonObject, parseJson, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { printed } from '../read-json.js';

/*
 * A signature may stand on any part of a Gemini turn, and must come back on the very part. The neutral vocabulary has a
 * place for one on reasoning alone, so those of other parts are sealed reasoning of their own, beside the block that
 * they belong to (docs/translation/google-gemini.md#signatures):
 *
 * - that of a call stands in front of it, and its mark has the call's id
 * - that of a text stands behind it, and its mark has no id
 * - that of a picture stands in front of it, and its mark has its number
 * - a part that only Gemini understands is sealed as a whole: its JSON
 */

const FORMAT = 'google-gemini-v1';

/** Takes the place of a signature that nobody has: a call of another vendor's model (thought-signatures, FAQ). */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Stands for the id of a picture, which has none: its number in the turn, from 1. */
export const pictureId = (number: number): string => `picture ${number}`;

/** Whose reasoning it is, and of which call or picture. */
export const markOf = (provider: string, id?: string): ReasoningMark =>
  id === undefined ? { format: FORMAT, provider } : { format: FORMAT, provider, id };

/** What the vendor's own tools did. A part of anything else that a caller brings sealed was not told so by anybody. */
const OWN_PARTS: ReadonlySet<string> = new Set(['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult']);
const BESIDE: ReadonlySet<string> = new Set(['thoughtSignature', 'thought']);

/** Whether only the vendor understands this part, and the next turn must hold it. */
export function isOwnPart(part: JsonObject): boolean {
  const keys = Object.keys(part);
  return keys.some((key) => OWN_PARTS.has(key)) && keys.every((key) => OWN_PARTS.has(key) || BESIDE.has(key));
}

/** Whether it is a picture for the caller: those among the thoughts are drafts. */
export function isPicture({ inlineData, thought }: JsonObject): boolean {
  if (!isJsonObject(inlineData) || thought === true) return false;
  const { mimeType, data } = inlineData;
  return typeof mimeType === 'string' && mimeType.startsWith('image/') && typeof data === 'string' && data !== '';
}

/** What a part of the vendor's own is sealed as. No signature begins with a brace: they are base64. */
export const sealPart = (part: JsonObject): string => printed(part);

export const isSealedPart = (data: string): boolean => data.startsWith('{');

/** The part that was sealed; undefined where it is none that is ever sealed. */
export function unsealPart(data: string): JsonObject | undefined {
  try {
    const part: unknown = parseJson(data);
    return isJsonObject(part) && isOwnPart(part) ? part : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the target made this reasoning: a signature holds at the provider that told it. One that a caller brings of
 * whom nobody says is taken on its word.
 */
export const isOwn = ({ mark }: ThinkingBlock | RedactedThinkingBlock, { endpoint }: Target): boolean =>
  mark?.format === FORMAT && (mark.provider === undefined || mark.provider === endpoint.provider.slug);
