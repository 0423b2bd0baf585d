import type { ModelEvent } from '../../core/conversation/event.js';

/** How a face writes a streamed reply. One per reply. */
export interface FramePrinter {
  /**
   * The wire form of a batch of events; `undefined` when it is empty. The end marker is written at the end of the
   * reply.
   */
  print(events: readonly ModelEvent[]): Uint8Array | string | undefined;
}
