/** `npm run data:export`, and `node dist/shared/database/transfer/data-export.js` where there is no npm. */
import { ofStoppableProcess } from '../../command/command-process.js';
import { DATA_EXPORT, runTransfer } from './transfer-command.js';

process.exitCode = await runTransfer(DATA_EXPORT, ofStoppableProcess());
