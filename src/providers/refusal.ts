import type { CancelSignal } from '../core/cancellation.js';
import type { UpstreamFailure } from '../core/provider.js';
import type { UpstreamResponse } from './transport/transport.js';

/** Limits for reading an error's body: the status alone is informative enough. */
const ERROR_BYTES_MAX = 64 * 1024;
const ERROR_MS_MAX = 2_000;

/**
 * An answer that is not a 2xx, with as much of its body as the limits permit, also when the body breaks off.
 * @throws the signal's reason
 */
export async function readRefusal(response: UpstreamResponse, signal: CancelSignal): Promise<UpstreamFailure> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const batches = response.chunks[Symbol.asyncIterator]();
  const limit = setTimeout(() => void batches.return?.(), ERROR_MS_MAX);
  try {
    while (bytes < ERROR_BYTES_MAX) {
      const next = await batches.next();
      if (next.done) break;
      for (const chunk of next.value) {
        chunks.push(chunk);
        bytes += chunk.length;
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    clearTimeout(limit);
    // Closes the connection of a body that was not read to its end.
    await batches.return?.();
  }
  const { status, headers } = response;
  return { status, headers, body: Buffer.concat(chunks).toString('utf8', 0, ERROR_BYTES_MAX) };
}
