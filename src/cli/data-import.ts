/** `npm run data:import`, or `node dist/cli/fairlead.js import store` without npm. */
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { DATA_IMPORT, runTransfer } from '../shared/database/transfer/transfer-command.js';

process.exitCode = await runTransfer(DATA_IMPORT, ofStoppableProcess());
