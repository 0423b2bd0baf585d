import type { PrimaryChannel, StopSignal } from './worker-channel.js';

const SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

export interface StopListeners {
  /** Begin to stop. Called once. */
  readonly stop: (signal: StopSignal) => void;
  /** Somebody insists: leave at once. */
  readonly stopNow: () => void;
  /** Set in a worker process. */
  readonly channel?: PrimaryChannel | undefined;
  /** Where signals arrive: the process. */
  readonly signals?: Pick<NodeJS.EventEmitter, 'on'>;
}

/**
 * Listens for the wish to stop: the first SIGTERM or SIGINT asks for it, the second insists. In a worker the primary's
 * word counts as well, and signals never insist: a terminal and a process supervisor signal the whole group, so a
 * worker hears of one wish twice. Before it is installed `early-stop.ts` listens.
 */
export function listenForStop({ stop, stopNow, channel, signals = process }: StopListeners): void {
  let stopping = false;
  const ask = (signal: StopSignal): void => {
    if (!stopping) {
      stopping = true;
      stop(signal);
    } else if (!channel) {
      stopNow();
    }
  };
  for (const signal of SIGNALS) signals.on(signal, () => ask(signal));
  channel?.listen((message) => {
    if (message.fairlead === 'stop') ask(message.signal);
  });
}
