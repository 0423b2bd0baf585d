import type { CancelSignal } from '../core/cancellation.js';
import type { UpstreamFailure } from '../core/provider.js';
import type { UpstreamResponse } from './transport.js';

/** As much of an error's body as is read, and as long as it is waited for: the status alone says enough. */
const ERROR_BYTES_MAX = 64 * 1024;
const ERROR_MS_MAX = 2_000;

/**
 * An answer that is not a 2xx, with what there is to read of its body, within limits, whether it comes whole or breaks
 * off.
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
    // Closes the connection of what was not read to its end.
    await batches.return?.();
  }
  const { status, headers } = response;
  return { status, headers, body: Buffer.concat(chunks).toString('utf8', 0, ERROR_BYTES_MAX) };
}
