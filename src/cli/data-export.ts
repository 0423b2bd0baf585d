/** `npm run data:export`, or `node dist/cli/fairlead.js export` without npm. */
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { DATA_EXPORT, runTransfer } from '../shared/database/transfer/transfer-command.js';

process.exitCode = await runTransfer(DATA_EXPORT, ofStoppableProcess());
