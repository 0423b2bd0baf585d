// `npm run check`: format, lint, types and the specs of pure code, side by side on two cores. Everything is run and
// reported, regardless of earlier failures; the exit status is 1 when anything failed.
import process from 'node:process';
import { ParallelStages } from './parallel-stages.mjs';

/** @param {string} words */
const npm = (words) => ({ name: words, command: ['npm', 'run', '--silent', ...words.split(' ')] });

const lanes = new ParallelStages({ stopsAtFailure: false });
// The specs take longest: with a second worker they use the core that the other lane leaves free.
await lanes.run(
  [npm('test:unit -- --maxWorkers=2')],
  [npm('types'), npm('types:console'), npm('lint'), npm('format:check')],
);
process.exitCode = lanes.isSound ? 0 : 1;
