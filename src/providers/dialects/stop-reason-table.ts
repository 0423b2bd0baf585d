import type { UnifiedStop } from '../../core/conversation/event.js';
import type { StopReasonTable } from '../../core/translation.js';
import { inBandFault } from './faults.js';

/**
 * The unified stop for a vendor's value. An unknown value is `other`; a missing one is the end of the turn. The calls
 * in the reply decide between end of turn and tool use, because several vendors report the wrong one of the two.
 * @param raw the vendor's value, `null` when a whole reply has none
 */
export function unifiedStop({ unified }: StopReasonTable, raw: string | null, hasToolCalls: boolean): UnifiedStop {
  const stop = raw === null ? 'end-turn' : (unified.get(raw) ?? 'other');
  if (stop !== 'end-turn' && stop !== 'tool-use') return stop;
  return hasToolCalls ? 'tool-use' : 'end-turn';
}

/**
 * @param message the provider's message about it
 * @param otherwise the message where the provider gives none
 * @throws ProviderFault when the value stands for a failure
 */
export function assertNoFault({ faults }: StopReasonTable, raw: string, message?: string, otherwise?: string): void {
  const kind = faults.get(raw);
  if (kind !== undefined) throw inBandFault(kind, message, { providerCode: raw }, otherwise);
}
