import type { ModelRequest } from '../core/conversation/request.js';
import { InputEstimate, listSizes } from '../core/money/estimate.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';

/**
 * After this much text others have their turn, in bytes: less than a millisecond's work. All of the largest
 * body takes 4 to 30 ms (a single text of that size at most half as long), which is no more than handing it
 * to another thread would.
 */
const TURN_BYTES = 1024 * 1024;

/** About how many tokens a request's prompt has, as `estimateInputTokens` says; others are served meanwhile. */
export async function estimateInTurns(request: ModelRequest): Promise<number> {
  const estimate = new InputEstimate();
  let bytes = 0;
  for (const size of listSizes(request)) {
    estimate.add(size);
    bytes += size.bytes;
    if (bytes < TURN_BYTES) continue;
    bytes = 0;
    await yieldToEventLoop();
  }
  return estimate.tokens;
}
