/** `npm run ledger:verify`, and `node dist/cli/fairlead.js verify ledger` where there is no npm. */
import { runVerification } from '../ledger/verify/verify-ledger-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runVerification(ofProcess());
