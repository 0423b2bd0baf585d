import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { ExtensionFault } from '../../core/extension.js';
import { faultTrace } from '../../shared/fault-trace.js';
import { announceCompression, type ThreadState } from '../../shared/thread-end.js';
import { boundBuffers } from './bound-buffers.js';
import { WORKER_JOBS } from './jobs.js';

export interface WorkerTask {
  readonly job: string;
  readonly input: unknown;
}

export type WorkerOutcome =
  | { readonly output: unknown }
  | { readonly fault: { readonly kind: ExtensionFault['kind']; readonly message: string } }
  /** What is none of the caller's business: a trace, without what was worked on. */
  | { readonly failure: string };

/** Of binary data, which the limit of heap says nothing of. Chosen: a PDF of the largest size takes a fifth. */
const BUFFER_BYTES_MAX = 128 * 1024 * 1024;

/** As much as `nice` says by itself. */
const NICER_BY = 10;

/** A thread of `ToolWorkers`: one job at a time comes in, what it comes to goes out. */
parentPort!.on('message', (task: WorkerTask) => {
  void run(task).then((outcome) => parentPort!.postMessage(outcome));
});

async function run({ job, input }: WorkerTask): Promise<WorkerOutcome> {
  try {
    const work = await WORKER_JOBS[job]!.load();
    return { output: await work(input as never) };
  } catch (error) {
    if (error instanceof ExtensionFault) return { fault: { kind: error.kind, message: error.message } };
    return { failure: faultTrace(error) };
  }
}

/**
 * Behind whatever else the process has to do, where the system counts threads and not processes: a core may be all that
 * there is.
 */
function standBack(): void {
  if (process.platform === 'linux') setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER_BY));
}

standBack();
boundBuffers(BUFFER_BYTES_MAX);
announceCompression(workerData as ThreadState);
// Libraries would print what they think of a hostile file into the log of the process.
for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) console[level] = () => undefined;
// It has been loaded.
parentPort!.postMessage(undefined);
