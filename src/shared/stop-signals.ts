import type { PrimaryChannel, StopSignal } from './worker-channel.js';

const SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];
/** Terminals and supervisors signal the whole group, and npm passes its own signal on: one request arrives twice. */
const REPEATED_MS_MAX = 2000;

export interface StopListeners {
  /** Starts the stop. Called once. */
  readonly stop: (signal: StopSignal) => void;
  /** The stop was requested again: exit immediately. */
  readonly stopNow: () => void;
  /** Set in a worker process. */
  readonly channel?: PrimaryChannel | undefined;
  /** The source of signals: the process. */
  readonly signals?: Pick<NodeJS.EventEmitter, 'on'>;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Listens for requests to stop: the first SIGTERM or SIGINT starts the stop, one that follows more than two seconds
 * later forces it. In a worker the primary's message counts as well, and signals never force it. Until it is installed,
 * `early-stop.ts` listens.
 */
export function listenForStop({
  stop,
  stopNow,
  channel,
  signals = process,
  now = () => performance.now(),
}: StopListeners): void {
  let stoppingSince: number | undefined;
  const requestStop = (signal: StopSignal): void => {
    if (stoppingSince === undefined) {
      stoppingSince = now();
      stop(signal);
    } else if (!channel && now() - stoppingSince > REPEATED_MS_MAX) {
      stopNow();
    }
  };
  for (const signal of SIGNALS) signals.on(signal, () => requestStop(signal));
  channel?.listen((message) => {
    if (message.fairlead === 'stop') requestStop(message.signal);
  });
}
