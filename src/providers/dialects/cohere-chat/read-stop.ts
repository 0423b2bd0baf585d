import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import type { FaultKind } from '../../../core/errors.js';
import { faultOfWords } from './fault.js';

/** docs.cohere.com/reference/chat, and the words of the version before, which some deployments still say. */
const UNIFIED: Readonly<Record<string, UnifiedStop>> = {
  COMPLETE: 'end-turn',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'output-limit',
  TOOL_CALL: 'tool-use',
  ERROR_LIMIT: 'context-limit',
  ERROR_TOXIC: 'content-filter',
  USER_CANCEL: 'other',
};

/** Words that stand in place of an answer: the reply is cut, whatever the status says. */
const FAULTS: Readonly<Record<string, FaultKind>> = {
  ERROR: 'server-error',
  TIMEOUT: 'timed-out',
};

/** @param words what the vendor says of it @throws ProviderFault when the word stands for a failure */
export function assertNoFault(raw: string, words: string | undefined): void {
  if (Object.hasOwn(FAULTS, raw)) throw faultOfWords(words, raw, FAULTS[raw]);
}

/** @param raw the provider's `finish_reason`, `null` when a whole reply has none */
export function readStop(raw: string | null, hasToolCalls: boolean): StopReason {
  return { unified: unifiedOf(raw, hasToolCalls), raw, vendor: 'cohere' };
}

function unifiedOf(raw: string | null, hasToolCalls: boolean): UnifiedStop {
  const unified = raw === null ? 'end-turn' : Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw]! : 'other';
  if (unified === 'tool-use') return hasToolCalls ? 'tool-use' : 'end-turn';
  return unified === 'end-turn' && hasToolCalls ? 'tool-use' : unified;
}
