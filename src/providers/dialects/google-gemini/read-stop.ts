import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { ProviderFault, type FaultKind } from '../../../core/errors.js';
import { safeMessage } from '../faults.js';

/** Says nothing. */
export const NO_REASON = 'FINISH_REASON_UNSPECIFIED';

/** What the words of `finishReason` mean (ai.google.dev/api/generate-content, FinishReason). */
const UNIFIED: Readonly<Record<string, UnifiedStop>> = {
  STOP: 'end-turn',
  MAX_TOKENS: 'output-limit',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  // Its calls are told, also of tools that nobody declared: the caller can say so to the model.
  UNEXPECTED_TOOL_CALL: 'other',
  TOO_MANY_TOOL_CALLS: 'other',
  NO_IMAGE: 'other',
  IMAGE_OTHER: 'other',
  OTHER: 'other',
};

/**
 * Words that end a reply in place of an answer: what the model wrote could not be read, and another attempt may go
 * better.
 */
const FAULTS: Readonly<Record<string, FaultKind>> = {
  MALFORMED_FUNCTION_CALL: 'malformed-reply',
  MALFORMED_RESPONSE: 'malformed-reply',
  MISSING_THOUGHT_SIGNATURE: 'rejected-request',
};

/**
 * @param raw the provider's `finishReason`, `null` when a whole reply has none, undefined when there was no candidate
 * @param blockReason why the prompt was refused
 */
export function readStop(
  raw: string | null | undefined,
  blockReason: string | undefined,
  hasToolCalls: boolean,
): StopReason {
  if (raw === undefined) return { unified: 'content-filter', raw: blockReason ?? null, vendor: 'google' };
  return { unified: unifiedOf(raw, hasToolCalls), raw, vendor: 'google' };
}

/**
 * @param words what the provider says of it
 * @throws ProviderFault when the word stands for a failure
 */
export function assertNoFault(raw: string, words: string | undefined): void {
  const kind = Object.hasOwn(FAULTS, raw) ? FAULTS[raw] : undefined;
  if (kind === undefined) return;
  const said = words === undefined ? '' : safeMessage(words);
  throw new ProviderFault(kind, said === '' ? "The provider could not read its model's answer." : said, {
    providerCode: raw,
  });
}

function unifiedOf(raw: string | null, hasToolCalls: boolean): UnifiedStop {
  const unified = raw === null ? 'end-turn' : Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw]! : 'other';
  // There is no word of its own for calls.
  return hasToolCalls && (unified === 'end-turn' || unified === 'other') ? 'tool-use' : unified;
}
