/** `npm run data:backup`, and `node dist/shared/database/backup/data-backup.js` where there is no npm. */
import { ofStoppableProcess } from '../../command/command-process.js';
import { runBackup } from './backup-command.js';

process.exitCode = await runBackup(ofStoppableProcess());
