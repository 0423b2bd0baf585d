import { join } from 'node:path';
import { ThreadFault, ThreadPool } from '../shared/thread-pool.js';
import type { Judgement } from './catalog-files.js';
import { judgementOf, type CatalogJob, type JudgementParcel } from './catalog-parcel.js';

/** From when a thread has the content. The largest that may be takes a tenth on a machine that has time. Chosen. */
const TIME_MS = 60_000;
/** The parser makes some fifty bytes of one of the file. Chosen. */
const HEAP_MEGABYTES = 1024;

/**
 * Judges content in a thread of its own, which ends with it: parsing takes a fifth of a second and more, and here it
 * takes the event loop only as long as copying the catalog. Undefined: there was no time for it.
 */
export async function judgeAside(job: CatalogJob): Promise<Judgement | undefined> {
  const threads = new ThreadPool<CatalogJob, JudgementParcel>(join(import.meta.dirname, 'catalog-thread.js'), {
    threadsMax: 1,
    waitingMax: 1,
    heapMegabytes: HEAP_MEGABYTES,
    startMs: TIME_MS,
  });
  try {
    return judgementOf(await threads.run(job, { timeMs: TIME_MS, totalMs: TIME_MS }));
  } catch (error) {
    if (error instanceof ThreadFault) return undefined;
    throw error;
  } finally {
    // It is in force before its thread has ended: on a busy machine that takes a while.
    void threads.close();
  }
}
