import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { unifiedStop } from '../stop-words.js';
import { TABLE } from './table.js';

const WITHHELD: ReadonlySet<UnifiedStop | undefined> = new Set(['content-filter', 'refusal'] as const);

/** What the reply held, as far as it changes what its stop means. */
export interface StopContext {
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
  /** The stop sequence that was met, where the provider names it. */
  readonly sequence: string | undefined;
}

/** @param raw the provider's `finish_reason`, `null` when a whole reply has none */
export function readStop(raw: string | null, context: StopContext): StopReason {
  const unified = unifiedOf(raw, context);
  return {
    unified,
    raw,
    vendor: 'openai',
    ...(unified === 'stop-sequence' && context.sequence !== undefined && { sequence: context.sequence }),
  };
}

/** True of words for an answer that is not given, though the call went well. */
export const isWithheld = (raw: string): boolean => WITHHELD.has(TABLE.stops.unified.get(raw));

function unifiedOf(raw: string | null, { hasToolCalls, hasRefusal, sequence }: StopContext): UnifiedStop {
  const unified = unifiedStop(TABLE.stops, raw, hasToolCalls);
  if (unified !== 'end-turn') return unified;
  // Several upstreams say "stop" after a refusal.
  if (hasRefusal) return 'refusal';
  return sequence === undefined ? 'end-turn' : 'stop-sequence';
}
