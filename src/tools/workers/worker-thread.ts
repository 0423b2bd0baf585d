import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { ExtensionFault } from '../../core/extension.js';
import { faultTrace } from '../../shared/telemetry/fault-trace.js';
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
  /** A stack trace without the input, which is not shown to callers. */
  | { readonly failure: string };

/** Binary data, which the heap limit does not cover. Chosen: the largest PDF takes a fifth. */
const BUFFER_BYTES_MAX = 128 * 1024 * 1024;

/** The default of `nice`. */
const NICER_BY = 10;

/** A thread of `ToolWorkers`: receives one job at a time and posts its outcome. */
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
 * Lowers the priority of the thread below the rest of the process, on systems that schedule threads individually: there
 * may be only one core.
 */
function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER_BY));
}

lowerPriority();
boundBuffers(BUFFER_BYTES_MAX);
announceCompression(workerData as ThreadState);
// Libraries would print messages about a hostile file into the log of the process.
for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) console[level] = () => undefined;
// Reports that the thread is ready.
parentPort!.postMessage(undefined);
