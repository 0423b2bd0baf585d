/**
 * Checks that a signal which arrives while the application is still loading ends the process. The module that listens
 * first runs alone in a real process, then the whole start receives a signal in its first moments.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledSource } from '../support/compiled-source.js';

const EARLY_STOP = compiledSource('bootstrap/early-stop.js');

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s before any other listener ends the process with %d', async (signal, code) => {
  const program = `await import('${EARLY_STOP}'); process.stdout.write('up'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([code, null]);
});

it('leaves signals to later listeners', async () => {
  const program = `const { endEarlyStop } = await import('${EARLY_STOP}'); endEarlyStop();
    process.on('SIGTERM', () => process.exit(7)); process.stdout.write('up'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
