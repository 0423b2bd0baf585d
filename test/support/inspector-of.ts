import { Cancellation } from '../../src/core/cancellation.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { Inspector, type ContentFilter, type Inspection } from '../../src/guardrails/inspector.js';

/** An inspector for a caller that stays connected by default. */
export function inspectorOf(filters: readonly ContentFilter[]): {
  inspect(request: ModelRequest, signal?: Cancellation): Promise<Inspection>;
} {
  const inspector = new Inspector(filters);
  return { inspect: (request, signal = new Cancellation()) => inspector.inspect(request, signal) };
}
