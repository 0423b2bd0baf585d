import type { JsonObject } from '../../../core/json/json.js';
import { splitWords } from './words.js';

/** One block of an answer, in the pieces of its stream. */
export type AnswerBlock =
  | { readonly type: 'text'; readonly words: readonly string[] }
  | { readonly type: 'thinking'; readonly words: readonly string[]; readonly signature: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject };

/** A reply of the sandbox, independent of how it is sent, whole or streamed. */
export interface Message {
  readonly kind: 'message';
  readonly blocks: readonly AnswerBlock[];
  readonly stopReason: string;
  readonly stopDetails?: JsonObject;
  /** Prompt tokens read from and written to the cache; the rest of the prompt is uncached. */
  readonly cached?: { readonly read: number; readonly written: number };
  readonly delays?: ReplyDelays;
  /** Damage to the reply on its way; absent: it arrives intact. */
  readonly flaw?: Flaw;
}

/** Milliseconds before the first piece and between two. */
export interface ReplyDelays {
  readonly firstMs: number;
  readonly nextMs: number;
}

/** `cut`: ends after a few pieces. `error`: an error event after a few. `malformed`: broken JSON at once. */
export type Flaw = 'cut' | 'error' | 'malformed';

/** A status other than 200. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `silent`: the call is taken and never answered. */
export type Answer = Message | Refusal | { readonly kind: 'silent' };

/** Tokens of an image, whatever it shows. */
const IMAGE_TOKENS = 256;

/** Output tokens of a block: one for each word of its text or of a call's arguments. */
export function countTokens(block: AnswerBlock): number {
  if (block.type === 'image') return IMAGE_TOKENS;
  return block.type === 'tool_use' ? splitWords(argumentsText(block.input)).length : block.words.length;
}

/** The arguments of a call in a stream. */
export const argumentsText = (input: JsonObject): string => JSON.stringify(input);
