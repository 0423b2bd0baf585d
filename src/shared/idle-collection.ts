import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 1_000;
/** The share of a second in which an idle process does something: its jobs and health checks. */
const BUSY_MAX = 0.02;
/** Seconds in a row without work, so that a pause between two requests is none. */
const IDLE_LOOKS = 3;
/** The first collection frees objects, the second the pages that it has emptied. */
const COLLECTIONS = 2;
/** What is not worth a pause of some 50 ms. */
const GROWTH_BYTES_MIN = 8 * 1024 * 1024;

/** What it looks at, and what it does. */
export interface Heap {
  /** The share of the time since the last call in which the event loop did something, from 0 to 1. */
  readonly utilization: () => number;
  /** Bytes of objects that have outlived young collections, dead ones included. */
  readonly oldBytes: () => number;
  /** Collects all garbage, and returns when that is done. */
  readonly collect: () => void;
}

/**
 * Gives memory back when nothing is being served. V8 collects old objects when they have grown by half, and not when
 * there is time for it: a gateway that was under load keeps its garbage until the next load.
 */
export class IdleCollection {
  private timer: NodeJS.Timeout | undefined;
  private idleLooks = 0;
  private collections = COLLECTIONS;
  /** After the last collection. */
  private keptBytes = 0;

  constructor(private readonly heap: Heap = engineHeap()) {}

  /** Looks once a second; keeps no process alive. */
  start(): void {
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  look(): void {
    const isIdle = this.heap.utilization() <= BUSY_MAX;
    this.idleLooks = isIdle ? this.idleLooks + 1 : 0;
    if (this.idleLooks < IDLE_LOOKS) return;
    if (this.collections === COLLECTIONS && this.heap.oldBytes() - this.keptBytes < GROWTH_BYTES_MIN) return;
    this.heap.collect();
    // A collection is work as well.
    this.heap.utilization();
    this.keptBytes = this.heap.oldBytes();
    this.collections = this.collections > 1 ? this.collections - 1 : COLLECTIONS;
  }
}

/** The heap of this thread. */
export function engineHeap(): Heap {
  // Node offers a collection to programs that were started with this flag, and to contexts that are made after it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return {
    utilization: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    oldBytes: () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size,
    collect: () => collect(),
  };
}
