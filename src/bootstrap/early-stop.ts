// Loading the application takes a second, and process 1 of a container ignores signals without a listener: a signal
// sent meanwhile would be lost, and the container killed after its grace period. Until the application listens, signals
// end the process here.
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 } as const;
type Signal = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as readonly Signal[];

const leave = (signal: NodeJS.Signals): void => process.exit(EXIT_CODES[signal as Signal]);
for (const signal of SIGNALS) process.on(signal, leave);

/** Called when the process is about to listen itself. */
export function endEarlyStop(): void {
  for (const signal of SIGNALS) process.off(signal, leave);
}
