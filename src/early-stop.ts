// Loading the application takes a second, and as process 1 of a container a process that does not listen ignores
// signals: one that was sent meanwhile would be lost, and the container killed at the end of its patience. Until
// somebody listens, they end the process.
const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 } as const;
type Signal = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as readonly Signal[];

const leave = (signal: NodeJS.Signals): void => process.exit(EXIT_CODES[signal as Signal]);
for (const signal of SIGNALS) process.on(signal, leave);

/** The process is about to listen for itself. */
export function endEarlyStop(): void {
  for (const signal of SIGNALS) process.off(signal, leave);
}
