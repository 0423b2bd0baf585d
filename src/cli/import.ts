/** `npm run import`, or `node dist/cli/fairlead.js import` without npm. */
import { join } from 'node:path';
import { SystemClock } from '../core/time.js';
import { runImport } from '../import/import-command.js';
import { ofStoppableProcess } from '../shared/command/command-process.js';

process.exitCode = await runImport(ofStoppableProcess(), {
  packageDirectory: join(import.meta.dirname, '..', '..'),
  clock: new SystemClock(),
});
