/** `npm run provider:try`, or `node dist/cli/fairlead.js try` without npm. */
import { join } from 'node:path';
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { runProviderTry } from '../routing/provider-try-command.js';

process.exitCode = await runProviderTry(ofStoppableProcess(), join(import.meta.dirname, '..', '..'));
