/**
 * Goal: a signal that comes while the application is still being loaded ends the process. Method: the module that listens first, alone in a
 * real process, and the whole start with a signal in its first moments.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s before anybody else listens ends the process with %d', async (signal, code) => {
  const program =
    "await import('./dist/early-stop.js'); process.stdout.write('up'); setInterval(() => undefined, 1000);";
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
  await once(child.stdout, 'data');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([code, null]);
});

it('leaves signals to whoever listens afterwards', async () => {
  const program = `const { endEarlyStop } = await import('./dist/early-stop.js'); endEarlyStop();
    process.on('SIGTERM', () => process.exit(7)); process.stdout.write('up'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
