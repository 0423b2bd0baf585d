import cluster from 'node:cluster';
import type { MetricReport } from './telemetry/metrics.js';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** Messages from a worker to the primary. `ask` numbers the questions of one worker. */
export type WorkerMessage =
  | { readonly fairlead: 'readiness-answer'; readonly ask: number; readonly ready: boolean }
  | { readonly fairlead: 'metrics-ask'; readonly ask: number }
  | {
      readonly fairlead: 'metrics-answer';
      readonly asker: number;
      readonly ask: number;
      readonly report: MetricReport[];
    };

/** The `asker` of questions from the primary itself. */
export const PRIMARY = 0;

/** Messages from the primary to a worker. `asker` is the id of the requesting worker, or `PRIMARY`. */
export type PrimaryMessage =
  | { readonly fairlead: 'readiness-wanted'; readonly ask: number }
  | { readonly fairlead: 'stop'; readonly signal: StopSignal }
  | { readonly fairlead: 'metrics-expect'; readonly ask: number; readonly count: number }
  | { readonly fairlead: 'metrics-wanted'; readonly asker: number; readonly ask: number }
  | { readonly fairlead: 'metrics-given'; readonly ask: number; readonly report: MetricReport[] };

/** A worker's channel to the primary process. */
export interface PrimaryChannel {
  send(message: WorkerMessage): void;
  listen(listener: (message: PrimaryMessage) => void): void;
}

/** This process's channel to the primary; undefined when it is not one of several workers. */
export function findPrimaryChannel(): PrimaryChannel | undefined {
  if (!cluster.isWorker) return undefined;
  return {
    send(message) {
      // The end of the primary ends this process, so a failed send needs no report.
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
 * Distinguishes the gateway's messages from those of the runtime and of libraries. Both ends run the same build, so the
 * marker suffices.
 */
export function isOurs<Message extends WorkerMessage | PrimaryMessage>(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'fairlead' in message;
}
