import type { StopReason, UnifiedStop } from '../core/conversation/event.js';
import type { Json, JsonObject, Opaque } from '../core/json.js';

const STOP_REASONS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'end_turn',
  'output-limit': 'max_tokens',
  'context-limit': 'model_context_window_exceeded',
  'stop-sequence': 'stop_sequence',
  'tool-use': 'tool_use',
  pause: 'pause_turn',
  refusal: 'refusal',
  'content-filter': 'refusal',
  compaction: 'compaction',
  other: 'end_turn',
};

/** Why a vendor of another format refused is not told. */
const UNEXPLAINED_REFUSAL: JsonObject = { type: 'refusal', category: null, explanation: null };

/** How a reply ended: the same keys in a whole reply and in the `delta` of `message_delta` (WIRE 1.15, 1.28). */
export interface Ending extends JsonObject {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: Json;
  readonly container: Json;
}

export function viewEnding(stop: StopReason, startExtras: Opaque | undefined, endExtras: Opaque | undefined): Ending {
  const start = ownExtras(startExtras);
  const { context_management: _shownApart, stop_reason: _ours, ...end } = ownExtras(endExtras);
  const reason = stop.vendor === 'anthropic' && stop.raw !== null ? stop.raw : STOP_REASONS[stop.unified];
  return {
    stop_reason: reason,
    ...end,
    stop_sequence: stop.sequence ?? null,
    stop_details: end['stop_details'] ?? (isForeignRefusal(stop) ? UNEXPLAINED_REFUSAL : null),
    container: end['container'] ?? start['container'] ?? null,
  };
}

/** What the vendor cleared from the conversation, `null` when it told of nothing. */
export const viewContextManagement = (endExtras: Opaque | undefined): Json =>
  ownExtras(endExtras)['context_management'] ?? null;

const isForeignRefusal = ({ unified, vendor }: StopReason): boolean =>
  vendor !== 'anthropic' && (unified === 'refusal' || unified === 'content-filter');

/** Keys that belong to this gateway: an upstream that is itself a gateway must not speak in its name. */
const GATEWAY_KEYS: ReadonlySet<string> = new Set(['provider', 'router_metadata', 'openrouter_metadata']);

/** What an upstream of this format said beyond the neutral model; nothing of any other format. */
export function ownExtras(extras: Opaque | undefined): JsonObject {
  if (extras?.vendor !== 'anthropic') return {};
  const { value } = extras;
  for (const key of GATEWAY_KEYS) {
    if (Object.hasOwn(value, key)) {
      return Object.fromEntries(Object.entries(value).filter(([own]) => !GATEWAY_KEYS.has(own)));
    }
  }
  return value;
}
