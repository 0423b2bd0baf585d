/** `npm run vault:rotate`, and `node dist/byok/vault-rotate.js` where there is no npm. */
import { ofProcess } from '../shared/database/transfer/command-process.js';
import { runRotation } from './rotate-command.js';

process.exitCode = await runRotation(ofProcess());
