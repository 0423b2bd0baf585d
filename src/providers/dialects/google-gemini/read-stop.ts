import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { unifiedStop } from '../stop-reason-table.js';
import { TABLE } from './table.js';

/** The vendor's value for no reason. */
export const NO_REASON = 'FINISH_REASON_UNSPECIFIED';

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

function unifiedOf(raw: string | null, hasToolCalls: boolean): UnifiedStop {
  const unified = unifiedStop(TABLE.stops, raw, hasToolCalls);
  return hasToolCalls && unified === 'other' ? 'tool-use' : unified;
}
