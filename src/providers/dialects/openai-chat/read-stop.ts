import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { unifiedStop } from '../stop-reason-table.js';
import { TABLE } from './table.js';

const WITHHELD: ReadonlySet<UnifiedStop | undefined> = new Set(['content-filter', 'refusal'] as const);

/** The content of the reply, as far as it changes the meaning of its stop. */
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

/** True of finish reasons for a withheld answer, although the call succeeded. */
export const isWithheld = (raw: string): boolean => WITHHELD.has(TABLE.stops.unified.get(raw));

function unifiedOf(raw: string | null, { hasToolCalls, hasRefusal, sequence }: StopContext): UnifiedStop {
  const unified = unifiedStop(TABLE.stops, raw, hasToolCalls);
  if (unified !== 'end-turn') return unified;
  // Several providers report "stop" after a refusal.
  if (hasRefusal) return 'refusal';
  return sequence === undefined ? 'end-turn' : 'stop-sequence';
}
