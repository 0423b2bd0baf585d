import type { ModelEvent } from '../../core/conversation/event.js';

/** How a face writes a streamed reply. One per reply. */
export interface FramePrinter {
  /**
   * What a batch of events looks like on the wire; `undefined` when it shows nothing. The sentinel
   * comes with the reply's end.
   */
  print(events: readonly ModelEvent[]): Uint8Array | string | undefined;
}
