/** `npm run data:import`, and `node dist/shared/database/transfer/data-import.js` where there is no npm. */
import { ofStoppableProcess } from '../../command/command-process.js';
import { DATA_IMPORT, runTransfer } from './transfer-command.js';

process.exitCode = await runTransfer(DATA_IMPORT, ofStoppableProcess());
