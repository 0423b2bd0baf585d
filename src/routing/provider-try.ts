/** `npm run provider:try`, and `node dist/routing/provider-try.js` where there is no npm. */
import { join } from 'node:path';
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { runProviderTry } from './provider-try-command.js';

process.exitCode = await runProviderTry(ofStoppableProcess(), join(import.meta.dirname, '..', '..'));
