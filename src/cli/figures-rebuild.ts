/** `npm run fairlead -- rebuild figures`, and `node dist/cli/fairlead.js rebuild figures` where there is no npm. */
import { runFiguresRebuild } from '../ledger/figures/rebuild-figures-command.js';
import { ofProcess } from '../shared/command/command-process.js';

process.exitCode = await runFiguresRebuild(ofProcess());
