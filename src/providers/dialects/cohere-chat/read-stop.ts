import type { StopReason } from '../../../core/conversation/event.js';
import { unifiedStop } from '../stop-reason-table.js';
import { TABLE } from './table.js';

/** @param raw the provider's `finish_reason`, `null` when a whole reply has none */
export const readStop = (raw: string | null, hasToolCalls: boolean): StopReason => ({
  unified: unifiedStop(TABLE.stops, raw, hasToolCalls),
  raw,
  vendor: 'cohere',
});
