/** `npm run fairlead -- rotate`, and `node dist/cli/fairlead.js rotate` where there is no npm. */
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { runRotation } from '../byok/rotate-command.js';

process.exitCode = await runRotation(ofStoppableProcess());
