import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { PdfSize } from '../core/money/pdf-size.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { ThreadPool } from '../shared/thread-pool.js';

/** Most base64 of one request that is counted: a thread would hardly be done with more in time. Chosen. */
const BASE64_LENGTH_MAX = 16 * 1024 * 1024;
/** What is copied in one turn of the event loop (docs/decisions/0027-large-bodies-in-small-steps.md). */
const PIECE_LENGTH = 512 * 1024;
/** For all PDFs of a request, from when a thread has them. */
const TIME_MS = 100;
/** The same with the wait for a thread: longer only where threads do not come up. Chosen. */
const TOTAL_MS = 1_000;
/** Other work has the other cores. Chosen. */
const THREADS_MAX = 2;
/** Requests whose PDFs wait for a thread, each a copy of at most the above in memory. Chosen. */
const WAITING_MAX = 6;
const HEAP_MEGABYTES = 256;

/** Counts pages and text of PDFs, outside of the event loop. */
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

  /** Requests. */
  private underWay = 0;

  /**
   * @param pdfs of one request, in base64
   * @returns in their order; undefined for what could not be counted, or not in time. Never rejects.
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
      for (const pdf of pdfs) copies.push(await copyInTurns(pdf));
      // Why not is of no use to anyone.
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

/** Base64 in memory that can be handed over as it is: the engine would copy a text in one go. */
async function copyInTurns(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const copy = Buffer.allocUnsafeSlow(base64.length);
  for (let offset = 0; offset < base64.length; offset += PIECE_LENGTH) {
    if (offset > 0) await yieldToEventLoop();
    copy.write(base64.slice(offset, offset + PIECE_LENGTH), offset, 'latin1');
  }
  return copy;
}
