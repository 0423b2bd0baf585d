import type { UnifiedStop } from '../../core/conversation/event.js';
import type { StopWords } from '../../core/translation.js';
import { inBandFault } from './faults.js';

/**
 * The stop that a vendor's word stands for. A word that nobody knows is `other`, none at all the end of the turn.
 * Several vendors say that the turn has ended though a tool is called, and some that one is called though none is.
 * @param raw the vendor's word, `null` when a whole reply has none
 */
export function unifiedStop({ unified }: StopWords, raw: string | null, hasToolCalls: boolean): UnifiedStop {
  const stop = raw === null ? 'end-turn' : (unified.get(raw) ?? 'other');
  if (stop !== 'end-turn' && stop !== 'tool-use') return stop;
  return hasToolCalls ? 'tool-use' : 'end-turn';
}

/**
 * @param words what the provider says of it @param otherwise what is said where it says nothing
 * @throws ProviderFault when the word stands in place of an answer
 */
export function assertNoFault({ faults }: StopWords, raw: string, words?: string, otherwise?: string): void {
  const kind = faults.get(raw);
  if (kind !== undefined) throw inBandFault(kind, words, { providerCode: raw }, otherwise);
}
