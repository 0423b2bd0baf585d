/** `npm run data:backup`, or `node dist/cli/fairlead.js backup` without npm. */
import { ofStoppableProcess } from '../shared/command/command-process.js';
import { runBackup } from '../shared/database/backup/backup-command.js';

process.exitCode = await runBackup(ofStoppableProcess());
