import type { ModelEvent } from '../../core/conversation/event.js';

/** Prints a streamed reply in the format of a face. One per reply. */
export interface FramePrinter {
  /**
   * The wire form of a batch of events; `undefined` when it is empty. The end marker is written at the end of the
   * reply.
   */
  print(events: readonly ModelEvent[]): Uint8Array | string | undefined;
}
