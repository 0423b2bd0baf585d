/** `npm run import`, and `node dist/import.js` where there is no npm. */
import { join } from 'node:path';
import { SystemClock } from './core/time.js';
import { runImport } from './import/import-command.js';
import { ofStoppableProcess } from './shared/command/command-process.js';

process.exitCode = await runImport(ofStoppableProcess(), {
  packageDirectory: join(import.meta.dirname, '..'),
  clock: new SystemClock(),
});
