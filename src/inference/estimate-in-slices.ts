import type { ModelRequest } from '../core/conversation/request.js';
import { InputEstimate, listSizes } from '../core/money/estimate.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';

/**
 * Bytes of text of one slice: less than a millisecond's work. The largest body takes 4 to 30 ms in all (a single text
 * of that size at most half as long), no more than passing it to another thread.
 */
const SLICE_BYTES = 1024 * 1024;

/** `estimateInputTokens` that yields to the event loop after each slice. */
export async function estimateInSlices(request: ModelRequest): Promise<number> {
  const estimate = new InputEstimate();
  let bytes = 0;
  for (const size of listSizes(request)) {
    estimate.add(size);
    bytes += size.bytes;
    if (bytes < SLICE_BYTES) continue;
    bytes = 0;
    await yieldToEventLoop();
  }
  return estimate.tokens;
}
