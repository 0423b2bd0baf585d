/** `npm run data:backup`, and `node dist/shared/database/backup/data-backup.js` where there is no npm. */
import { ofProcess } from '../transfer/command-process.js';
import { runBackup } from './backup-command.js';

process.exitCode = await runBackup(ofProcess());
