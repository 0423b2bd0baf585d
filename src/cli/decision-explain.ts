/** `npm run decision`, or `node dist/cli/decision-explain.js` without npm. */
import { join } from 'node:path';
import { runDecision } from '../routing/decision-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runDecision(ofProcess(), join(import.meta.dirname, '..', '..'));
