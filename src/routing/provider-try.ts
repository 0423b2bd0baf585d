/** `npm run provider:try`, and `node dist/routing/provider-try.js` where there is no npm. */
import { join } from 'node:path';
import { ofProcess } from '../shared/database/transfer/command-process.js';
import { runProviderTry } from './provider-try-command.js';

process.exitCode = await runProviderTry(ofProcess(), join(import.meta.dirname, '..', '..'));
