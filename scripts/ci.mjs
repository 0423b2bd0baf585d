// The checks of `.ci/run` after the packages are installed: independent stages run side by side on two cores. The
// output of a stage is printed when it ends, the first failure ends the rest, and the summary gives the seconds of each
// stage and how many tests passed, failed and were skipped.
import process from 'node:process';
import { ParallelStages } from './parallel-stages.mjs';

/**
 * @param {string} name
 * @param {string} command
 */
const stage = (name, command) => ({ name, command: command.split(' ') });
const startedAt = performance.now();
const lanes = new ParallelStages({ stopsAtFailure: true });

await lanes.run([stage('check', 'npm run --silent check')], [stage('build', 'npm run --silent build')]);

// The cost of a request, and bounds of computing time. Alone, because other work would be measured as well.
await lanes.run([
  stage('bounds of time', 'npm run --silent test:speed'),
  stage('path', 'node scripts/path.mjs --check'),
  // Compared with the revision in bench/baseline; fails where it exceeds the bound twice. A shallow clone does not
  // contain that revision. In the foreground, so that it is stopped with the rest.
  {
    ...stage('pair', 'timeout --foreground 900 node bench/pair.mjs --twice --only cold,whole,paced'),
    mayNotRun: true,
  },
]);

await lanes.run(
  // One run of jest: its longest suites begin first, and no worker waits between the rings. Three workers, because
  // suites of both rings wait for processes and timers about as long as they compute.
  [stage('quick and slow ring', 'npx --no-install jest --selectProjects integration slow --maxWorkers=3')],
  // These wait more than they compute.
  [
    stage('recordings', 'timeout 1800 bash scripts/play-recordings.sh'),
    stage('smoke', 'bash scripts/smoke.sh'),
    stage('commands of the pages', 'node scripts/docs-commands.mjs'),
    stage('production', 'bash scripts/production.sh'),
    stage('behind proxies', 'bash scripts/behind-proxies.sh --requests 300'),
  ],
);

/**
 * The sum over all of jest's summary lines.
 * @param {'passed' | 'failed' | 'skipped'} outcome
 */
function countTests(outcome) {
  const lines = lanes.results.flatMap(({ output }) => output.match(/^Tests: .*$/gm) ?? []);
  const counts = lines.map((line) => Number(new RegExp(`(\\d+) ${outcome}`).exec(line)?.[1] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

for (const { name, outcome, seconds } of lanes.results)
  process.stdout.write(`${seconds.toFixed(0).padStart(5)} s  ${outcome.padEnd(7)}  ${name}\n`);
process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  in all\n`);
process.stdout.write(
  `${countTests('passed')} passed, ${countTests('failed')} failed, ${countTests('skipped')} skipped\n`,
);
process.exitCode = lanes.isSound ? 0 : 1;
