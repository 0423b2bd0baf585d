import './node-version.js';
// Signals are heard before anything else is loaded.
import './early-stop.js';
import './engine-flags.js';
import { answerCommandLine } from './command-line.js';

const answer = answerCommandLine(process.argv.slice(2));
if (answer) {
  (answer.code === 0 ? console.log : console.error)(answer.text);
  process.exit(answer.code);
}
await import('./serve.js');
