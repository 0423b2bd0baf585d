import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { ProviderFault, type FaultKind } from '../../../core/errors.js';

const UNIFIED: Readonly<Record<string, UnifiedStop>> = {
  stop: 'end-turn',
  eos: 'end-turn',
  end_turn: 'end-turn',
  length: 'output-limit',
  max_tokens: 'output-limit',
  model_length: 'context-limit',
  tool_calls: 'tool-use',
  function_call: 'tool-use',
  tool_use: 'tool-use',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'refusal',
};

/**
 * Words that end a stream in place of an answer: the reply is cut, whatever the status says
 * (docs/reasons/streams.md#cut-replies).
 */
const FAULTS: Readonly<Record<string, FaultKind>> = {
  error: 'server-error',
  network_error: 'server-error',
  insufficient_system_resource: 'unavailable',
};

/** What the reply held, as far as it changes what its stop means. */
export interface StopContext {
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
  /** The stop sequence that was met, where the provider names it. */
  readonly sequence: string | undefined;
}

/**
 * @param raw the provider's `finish_reason`, `null` when a whole reply has none
 * @throws ProviderFault when the word stands for a failure
 */
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
export const isWithheld = (raw: string): boolean =>
  Object.hasOwn(UNIFIED, raw) && (UNIFIED[raw] === 'content-filter' || UNIFIED[raw] === 'refusal');

/** @throws ProviderFault when the word stands for a failure */
export function assertNoFault(raw: string): void {
  const kind = Object.hasOwn(FAULTS, raw) ? FAULTS[raw] : undefined;
  if (kind !== undefined) {
    throw new ProviderFault(kind, 'The provider failed while it answered.', { providerCode: raw });
  }
}

function unifiedOf(raw: string | null, { hasToolCalls, hasRefusal, sequence }: StopContext): UnifiedStop {
  const unified = raw === null ? 'end-turn' : Object.hasOwn(UNIFIED, raw) ? UNIFIED[raw]! : 'other';
  if (unified === 'tool-use') return hasToolCalls ? 'tool-use' : 'end-turn';
  if (unified !== 'end-turn') return unified;
  // Several upstreams say "stop" after tool calls, and all of them after a refusal.
  if (hasToolCalls) return 'tool-use';
  if (hasRefusal) return 'refusal';
  return sequence === undefined ? 'end-turn' : 'stop-sequence';
}
