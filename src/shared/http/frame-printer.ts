import type { ModelEvent } from '../../core/conversation/event.js';
import type { GatewayError } from '../../core/errors.js';

/** How a face writes a streamed reply. One per reply. */
export interface FramePrinter {
  /** What a batch of events looks like on the wire; `undefined` when it shows nothing. The sentinel comes with the reply's end. */
  print(events: readonly ModelEvent[]): Uint8Array | string | undefined;
  /** The failure in the face's own form, and the sentinel. */
  fail(error: GatewayError): string;
}
