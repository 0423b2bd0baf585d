/** `npm run audit:verify`, and `node dist/audit/audit-verify.js` where there is no npm. */
import { runAuditVerification } from './verify-audit-command.js';

process.exitCode = await runAuditVerification({
  words: process.argv.slice(2),
  variables: process.env,
  workingDirectory: process.cwd(),
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
});
