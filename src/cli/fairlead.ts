#!/usr/bin/env node
/** `npm run fairlead -- <command>`, and `node dist/cli/fairlead.js <command>` where there is no npm. */
import { chooseCommand } from './commands.js';

const [program = process.execPath, file = '', ...words] = process.argv;
const choice = chooseCommand(words);
if ('command' in choice) {
  process.argv = [program, file, ...choice.words];
  await choice.command.start();
} else {
  (choice.code === 0 ? process.stdout : process.stderr).write(choice.text);
  process.exitCode = choice.code;
}
