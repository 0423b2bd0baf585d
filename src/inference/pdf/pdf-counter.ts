import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { PdfSize } from '../../core/money/pdf-size.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { ThreadPool } from '../../shared/thread-pool.js';

/** The most base64 of one request that is counted: a thread would hardly finish more in time. Chosen. */
const BASE64_LENGTH_MAX = 16 * 1024 * 1024;
/** The amount copied in one turn of the event loop (docs/contribute/decisions/0055-large-work-by-turns.md). */
const PIECE_LENGTH = 512 * 1024;
/** The time for all PDFs of a request, after a thread has received them. */
const TIME_MS = 100;
/** Includes the wait for a thread, which is long only if threads do not start. Chosen. */
const TOTAL_MS = 1_000;
/** Leaves the other cores to other work. Chosen. */
const THREADS_MAX = 2;
/** Requests whose PDFs wait for a thread, each with a copy of at most the above in memory. Chosen. */
const WAITING_MAX = 6;
const HEAP_MEGABYTES = 256;

/** Counts pages and text of PDFs outside the event loop. */
@Injectable()
export class PdfCounter implements OnApplicationShutdown {
  private readonly threads = new ThreadPool<readonly Uint8Array[], (PdfSize | undefined)[]>(
    join(import.meta.dirname, 'pdf-thread.js'),
    {
      threadsMax: THREADS_MAX,
      waitingMax: WAITING_MAX,
      heapMegabytes: HEAP_MEGABYTES,
    },
  );

  /** Requests that are being counted. */
  private underWay = 0;

  /**
   * @param pdfs of one request, in base64
   * @returns in their order; undefined for those that could not be counted in time. Never rejects.
   */
  async measure(pdfs: readonly string[]): Promise<readonly (PdfSize | undefined)[]> {
    const length = pdfs.reduce((sum, pdf) => sum + pdf.length, 0);
    const isTooMuch = length > BASE64_LENGTH_MAX || this.underWay >= THREADS_MAX + WAITING_MAX;
    const sizes = isTooMuch ? undefined : await this.count(pdfs);
    return sizes ?? pdfs.map(() => undefined);
  }

  private async count(pdfs: readonly string[]): Promise<(PdfSize | undefined)[] | undefined> {
    this.underWay++;
    try {
      const copies: Uint8Array<ArrayBuffer>[] = [];
      for (const pdf of pdfs) copies.push(await copyInSlices(pdf));
      // The reason of a failure does not matter.
      return await this.threads
        .run(copies, { timeMs: TIME_MS, totalMs: TOTAL_MS, moved: copies.map(({ buffer }) => buffer) })
        .catch(() => undefined);
    } finally {
      this.underWay--;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}

/** Base64 in memory that can be transferred: the engine would copy a string in one go. */
async function copyInSlices(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const copy = Buffer.allocUnsafeSlow(base64.length);
  for (let offset = 0; offset < base64.length; offset += PIECE_LENGTH) {
    if (offset > 0) await yieldToEventLoop();
    copy.write(base64.slice(offset, offset + PIECE_LENGTH), offset, 'latin1');
  }
  return copy;
}
