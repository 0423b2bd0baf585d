/** `npm run decision`, and `node dist/routing/decision-explain.js` where there is no npm. */
import { join } from 'node:path';
import { runDecision } from './decision-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runDecision(ofProcess(), join(import.meta.dirname, '..', '..'));
