/**
 * `npm run outlast-test`: kills its own PostgreSQL server under load, pauses gateways and replaces them by some with
 * other time-outs, and compares the ledger with the upstream's count. docs/contribute/reliability.md describes what it
 * proves.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OwnCluster } from './crash/own-cluster.js';
import { printOutlast, runOutlast } from './crash/outlast.js';

// The compiled file is in dist/crash-test/scripts.
const PROGRAM = join(import.meta.dirname, '../../main.js');
const LISTED_MAX = 50;

const HELP = `npm run outlast-test -- [options]

Each round kills the database under load, pauses a gateway, and replaces it by one with other time-outs. Needs the programs of
PostgreSQL; exits 1 when anything differs.

  --rounds N           default: 8, some seven minutes
  --pause-seconds N    how long a gateway stands still; default: 30
  --seed TEXT          other moments and other requests of the same kind; default: the time
  --help
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '8' },
      'pause-seconds': { type: 'string', default: '30' },
      seed: { type: 'string', default: String(Date.now()) },
      help: { type: 'boolean', default: false },
    },
  });
  for (const name of ['rounds', 'pause-seconds'] as const) {
    if (!/^[1-9]\d{0,2}$/.test(values[name])) throw new Error(`--${name} must be a whole number from 1 to 999`);
  }
  return { ...values, rounds: Number(values.rounds), pauseMs: Number(values['pause-seconds']) * 1_000 };
}

async function main(): Promise<void> {
  const { rounds, pauseMs, seed, help } = readOptions();
  if (help) return void process.stdout.write(HELP);
  const binaries = await OwnCluster.findBinaries();
  if (binaries === undefined) throw new Error('The programs of PostgreSQL are not on this machine.');
  const report = await runOutlast({
    rounds,
    pauseMs,
    seed,
    binaries,
    program: [PROGRAM],
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${printOutlast(report)}\nseed: ${seed}\n`);
  for (const line of report.violations.slice(0, LISTED_MAX)) process.stderr.write(`violation: ${line}\n`);
  if (report.violations.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
