/** `npm run catalog:check`, or `node dist/cli/fairlead.js check` without npm. */
import { join } from 'node:path';
import { runCatalogCheck } from '../catalog/check/catalog-check-command.js';
import { SystemClock } from '../core/time.js';
import { ProviderRegistry } from '../providers/registry.js';
import { UndiciTransport } from '../providers/transport/undici-transport.js';
import { ofProcess } from '../shared/command/command-process.js';

const clock = new SystemClock();

process.exitCode = await runCatalogCheck(
  ofProcess(),
  // Only its static knowledge is used: its transport is never opened.
  {
    known: new ProviderRegistry(new UndiciTransport(), clock),
    clock,
    packageDirectory: join(import.meta.dirname, '..', '..'),
  },
);
