/** `npm run audit:verify`, and `node dist/audit/audit-verify.js` where there is no npm. */
import { runAuditVerification } from './verify-audit-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runAuditVerification(ofProcess());
