/// <reference lib="es2024.sharedmemory" />
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Worker } from 'node:worker_threads';

// Node 20 aborts the whole process with a failed assertion ("close before init") where a thread is terminated between
// the creation and the initialisation of a compressor. A thread therefore announces each call of zlib, and begins none
// once it should end.

/** Shared by a thread and its process: 1 while the thread is within a call of zlib; 1 once it should end. */
export type ThreadState = Int32Array<SharedArrayBuffer>;
const WITHIN = 0;
const ENDS = 1;

/** A longer call is past the critical moment. Chosen. */
const WAIT_MS_MAX = 1_000;

export const newThreadState = (): ThreadState => new Int32Array(new SharedArrayBuffer(8));

/** Terminates a thread at a safe moment: at once, unless it is within a call of zlib. */
export async function endThread(thread: Worker, state: ThreadState): Promise<void> {
  Atomics.store(state, ENDS, 1);
  // The wait alone would not keep the process alive.
  thread.ref();
  await Atomics.waitAsync(state, WITHIN, 1, WAIT_MS_MAX).value;
  await thread.terminate();
}

/** Called in the thread: all later calls of zlib go through this, with imports of either kind. */
export function announceCompression(state: ThreadState): void {
  const zlib = createRequire(import.meta.url)('node:zlib') as Record<string, unknown>;
  for (const [name, call] of Object.entries(zlib)) {
    if (typeof call === 'function' && name.endsWith('Sync')) zlib[name] = announced(call as Call, state);
  }
  syncBuiltinESMExports();
}

type Call = (...parameters: readonly unknown[]) => unknown;

const announced =
  (call: Call, state: ThreadState): Call =>
  (...parameters) => {
    Atomics.store(state, WITHIN, 1);
    // The process that ends the thread has seen it outside zlib, or waits until it is. The thread waits to be
    // terminated.
    if (Atomics.load(state, ENDS) === 1) {
      leave(state);
      Atomics.wait(state, ENDS, 1);
    }
    try {
      return call(...parameters);
    } finally {
      leave(state);
    }
  };

function leave(state: ThreadState): void {
  Atomics.store(state, WITHIN, 0);
  Atomics.notify(state, WITHIN);
}
