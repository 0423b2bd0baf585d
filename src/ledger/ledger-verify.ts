/** `npm run ledger:verify`, and `node dist/ledger/ledger-verify.js` where there is no npm. */
import { runVerification } from './verify-ledger-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runVerification(ofProcess());
