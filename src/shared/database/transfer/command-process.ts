import type { CommandContext } from './transfer-command.js';

/** This process as what a command runs in. A first signal ends the work and undoes it, a second one the process. */
export function ofProcess(): CommandContext {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  return {
    words: process.argv.slice(2),
    variables: process.env,
    workingDirectory: process.cwd(),
    print: (text) => process.stdout.write(text),
    printError: (text) => process.stderr.write(text),
    signal: stop.signal,
  };
}
