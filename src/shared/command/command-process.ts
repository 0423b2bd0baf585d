import type { CommandContext } from './command-context.js';

/** This process as the context of a command. A signal ends it. */
export const ofProcess = (): CommandContext => ({
  words: process.argv.slice(2),
  variables: process.env,
  workingDirectory: process.cwd(),
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
});

/**
 * Context for work that is done completely or not at all: a first signal may undo it, a second one ends the process.
 */
export function ofStoppableProcess(): CommandContext {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  return { ...ofProcess(), signal: stop.signal };
}
