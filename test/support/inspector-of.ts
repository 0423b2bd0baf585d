import { Cancellation } from '../../src/core/cancellation.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { Inspector, type ContentFilter, type Inspection } from '../../src/guardrails/inspector.js';
import { ScanTurns } from '../../src/guardrails/scan-turns.js';

/** An inspector with turns of its own, for a caller who stays unless it is said otherwise. */
export function inspectorOf(filters: readonly ContentFilter[]): {
  inspect(request: ModelRequest, signal?: Cancellation): Promise<Inspection>;
} {
  const inspector = new Inspector(filters, new ScanTurns());
  return { inspect: (request, signal = new Cancellation()) => inspector.inspect(request, signal) };
}
