import cluster from 'node:cluster';
import type { MetricReport } from './metrics.js';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** What a worker tells the primary. `ask` numbers the questions of one worker. */
export type WorkerMessage =
  | { readonly fairlead: 'readiness-answer'; readonly ask: number; readonly ready: boolean }
  | { readonly fairlead: 'metrics-ask'; readonly ask: number }
  | {
      readonly fairlead: 'metrics-answer';
      readonly asker: number;
      readonly ask: number;
      readonly report: MetricReport[];
    };

/** The `asker` that is no worker. */
export const PRIMARY = 0;

/** What the primary tells a worker. `asker` is the id of the worker that wants to know, or `PRIMARY`. */
export type PrimaryMessage =
  | { readonly fairlead: 'readiness-wanted'; readonly ask: number }
  | { readonly fairlead: 'stop'; readonly signal: StopSignal }
  | { readonly fairlead: 'metrics-expect'; readonly ask: number; readonly count: number }
  | { readonly fairlead: 'metrics-wanted'; readonly asker: number; readonly ask: number }
  | { readonly fairlead: 'metrics-given'; readonly ask: number; readonly report: MetricReport[] };

/** A worker's line to the primary process. */
export interface PrimaryChannel {
  send(message: WorkerMessage): void;
  listen(listener: (message: PrimaryMessage) => void): void;
}

/** This process's line to the primary; undefined when it is not one of several workers. */
export function findPrimaryChannel(): PrimaryChannel | undefined {
  if (!cluster.isWorker) return undefined;
  return {
    send(message) {
      // A primary that has gone ends this process by itself; there is nobody to tell of a failed send.
      if (process.connected) process.send?.(message, () => undefined);
    },
    listen(listener) {
      process.on('message', (message: unknown) => {
        if (isOurs<PrimaryMessage>(message)) listener(message);
      });
    },
  };
}

/**
 * Tells our messages from those of the runtime and of libraries. Both ends run the same build, so
 * the mark is proof enough.
 */
export function isOurs<Message extends WorkerMessage | PrimaryMessage>(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'fairlead' in message;
}
