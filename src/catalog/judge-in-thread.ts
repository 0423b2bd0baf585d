import { join } from 'node:path';
import { ThreadFault, ThreadPool } from '../shared/thread-pool.js';
import type { Judgement } from './catalog-files.js';
import { unpackJudgement, type CatalogJob, type PackedJudgement } from './judgement-transfer.js';

/**
 * Time limit from when a thread has the content. The largest allowed content takes a tenth of it on an idle machine.
 * Chosen.
 */
const TIME_MS = 60_000;
/** The parser uses about fifty bytes per byte of the file. Chosen. */
const HEAP_MEGABYTES = 1024;

/**
 * Judges content in a separate thread: parsing takes at least a fifth of a second, and this way the event loop is
 * blocked only while the catalog is copied. Undefined: the time limit was exceeded.
 */
export async function judgeInThread(job: CatalogJob): Promise<Judgement | undefined> {
  const threads = new ThreadPool<CatalogJob, PackedJudgement>(join(import.meta.dirname, 'catalog-thread.js'), {
    threadsMax: 1,
    waitingMax: 1,
    heapMegabytes: HEAP_MEGABYTES,
    startMs: TIME_MS,
  });
  try {
    return unpackJudgement(await threads.run(job, { timeMs: TIME_MS, totalMs: TIME_MS }));
  } catch (error) {
    if (error instanceof ThreadFault) return undefined;
    throw error;
  } finally {
    // Not awaited: on a busy machine the thread takes a while to end.
    void threads.close();
  }
}
