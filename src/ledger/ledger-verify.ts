/** `npm run ledger:verify`, and `node dist/ledger/ledger-verify.js` where there is no npm. */
import { runVerification } from './verify-ledger-command.js';

process.exitCode = await runVerification({
  words: process.argv.slice(2),
  variables: process.env,
  workingDirectory: process.cwd(),
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
});
