import type { PrimaryChannel, StopSignal } from './worker-channel.js';

const SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

export interface StopListeners {
  /** Starts the stop. Called once. */
  readonly stop: (signal: StopSignal) => void;
  /** The stop was requested again: exit immediately. */
  readonly stopNow: () => void;
  /** Set in a worker process. */
  readonly channel?: PrimaryChannel | undefined;
  /** The source of signals: the process. */
  readonly signals?: Pick<NodeJS.EventEmitter, 'on'>;
}

/**
 * Listens for requests to stop: the first SIGTERM or SIGINT starts the stop, the second forces it. In a worker the
 * primary's message counts as well, and signals never force it: a terminal and a process supervisor signal the whole
 * group, so a worker receives one request twice. Until it is installed, `early-stop.ts` listens.
 */
export function listenForStop({ stop, stopNow, channel, signals = process }: StopListeners): void {
  let stopping = false;
  const requestStop = (signal: StopSignal): void => {
    if (!stopping) {
      stopping = true;
      stop(signal);
    } else if (!channel) {
      stopNow();
    }
  };
  for (const signal of SIGNALS) signals.on(signal, () => requestStop(signal));
  channel?.listen((message) => {
    if (message.fairlead === 'stop') requestStop(message.signal);
  });
}
