/** `npm run vault:rotate`, and `node dist/byok/vault-rotate.js` where there is no npm. */
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { runRotation } from './rotate-command.js';

process.exitCode = await runRotation(ofStoppableProcess());
