/** `npm run decision`, and `node dist/routing/decision-explain.js` where there is no npm. */
import { join } from 'node:path';
import { runDecision } from './decision-command.js';

process.exitCode = await runDecision(
  {
    words: process.argv.slice(2),
    variables: process.env,
    workingDirectory: process.cwd(),
    print: (text) => process.stdout.write(text),
    printError: (text) => process.stderr.write(text),
  },
  join(import.meta.dirname, '..', '..'),
);
