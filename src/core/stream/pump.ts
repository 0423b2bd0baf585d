import type { Step } from './step.js';

/**
 * The one asynchronous loop of a reply: pulls chunks, gives each to the step and yields what came of it, one array a chunk, so
 * that one upstream chunk becomes one write. It pulls only when asked: a slow reader slows the source.
 *
 * What a chunk gave before the step threw is yielded first when `keepsPartial` says so, for whoever has begun to tell it.
 *
 * Cancellation is the `AbortSignal` the source was opened with. `return()` closes the source as well, once it is idle.
 */
export async function* pump<In, Out>(
  source: AsyncIterable<readonly In[]>,
  step: Step<In, Out>,
  keepsPartial: () => boolean = () => true,
): AsyncGenerator<Out[], void, undefined> {
  for await (const chunks of source) {
    const out: Out[] = [];
    try {
      for (const chunk of chunks) step.push(chunk, out);
    } catch (error) {
      if (out.length > 0 && keepsPartial()) yield out;
      throw error;
    }
    if (out.length > 0) yield out;
  }
  const last: Out[] = [];
  step.end(last);
  if (last.length > 0) yield last;
}
