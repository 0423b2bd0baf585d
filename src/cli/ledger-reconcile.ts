/** `npm run ledger:reconcile`, and `node dist/cli/fairlead.js reconcile` where there is no npm. */
import { runReconciliation } from '../ledger/reconcile/reconcile-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runReconciliation(ofProcess());
