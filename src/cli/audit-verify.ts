/** `npm run fairlead -- verify audit`, and `node dist/cli/fairlead.js verify audit` where there is no npm. */
import { runAuditVerification } from '../audit/verify-audit-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runAuditVerification(ofProcess());
