// `npm run check`: format, lint, types and the specs of pure code, in two lanes side by side, one for each of two
// cores. Everything is run and told, whatever fails before it; the exit status is 1 when anything did.
import { spawn } from 'node:child_process';
import process from 'node:process';

/** Over at about the same time. */
const LANES = [['test:unit -- --maxWorkers=1'], ['types', 'lint', 'format:check']];

/**
 * The output comes as a whole when the part is over: two at once could not be read.
 *
 * @param {string} part
 * @returns {Promise<boolean>} whether it passed
 */
function run(part) {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', ...part.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => (output += `${error.message}\n`));
    child.on('close', (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(`${output}${code === 0 ? 'passed' : 'FAILED'}: ${part} (${seconds} s)\n`);
      resolve(code === 0);
    });
  });
}

/** @param {readonly string[]} parts */
async function runLane(parts) {
  let isSound = true;
  for (const part of parts) isSound = (await run(part)) && isSound;
  return isSound;
}

const results = await Promise.all(LANES.map(runLane));
process.exitCode = results.every(Boolean) ? 0 : 1;
