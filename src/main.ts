import './bootstrap/node-version.js';
// Listens for signals before anything else is loaded.
import './bootstrap/early-stop.js';
import './bootstrap/engine-flags.js';
import { answerCommandLine } from './bootstrap/command-line.js';

const answer = answerCommandLine(process.argv.slice(2));
if (answer) {
  (answer.code === 0 ? console.log : console.error)(answer.text);
  process.exit(answer.code);
}
await import('./bootstrap/serve.js');
