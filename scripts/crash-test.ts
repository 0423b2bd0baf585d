/**
 * `npm run crash-test`: kills gateways with SIGKILL under load and compares the ledger with the upstream's count.
 * docs/contribute/reliability.md describes what it proves and how. The counts go to standard output, the progress and
 * every violation to standard error.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPostgresDatabase } from '../test/support/postgres-database.js';
import { printReport } from './crash/print-report.js';
import { runCrashes } from './crash/run.js';

// The compiled file is in dist/crash-test/scripts.
const PROGRAM = join(import.meta.dirname, '../../main.js');
/** Consecutive points with a replica that stays, then as many without. */
const STRETCH_POINTS = 25;
const LISTED_MAX = 50;

const HELP = `npm run crash-test -- [options]

Starts gateways on a PostgreSQL database of the test's own, sends requests through them to a loopback upstream, kills them with
SIGKILL at random moments and compares the ledger with the upstream's count. Exits 1 when anything differs.

  --points N           processes to kill; default: 200
  --seed TEXT          other moments and other requests of the same kind; default: the time
  --database URL       a server where databases may be made; default: postgres://postgres@127.0.0.1:5432/postgres
  --minutes N          time for all points; default: 20
  --verbose            a line for each point
  --help
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      points: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Date.now()) },
      database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
      minutes: { type: 'string', default: '20' },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  for (const name of ['points', 'minutes'] as const) {
    if (!/^[1-9]\d{0,4}$/.test(values[name])) throw new Error(`--${name} must be a whole number from 1 to 99999`);
  }
  return { ...values, points: Number(values.points), minutes: Number(values.minutes) };
}

async function main(): Promise<void> {
  const { points, seed, database, minutes, verbose, help } = readOptions();
  if (help) return void process.stdout.write(HELP);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));
  const own = await createPostgresDatabase(database);
  try {
    const report = await runCrashes({
      points,
      seed,
      databaseUrl: own.url,
      program: [PROGRAM],
      stretches: Math.ceil(points / STRETCH_POINTS),
      pointsMsMax: minutes * 60_000,
      signal: stop.signal,
      ...(verbose && { report: (line) => void process.stderr.write(`${line}\n`) }),
    });
    process.stdout.write(printReport(report, seed));
    list('errors in the logs of the gateways', report.complaints);
    list('violations', report.violations);
    if (report.violations.length > 0) process.exitCode = 1;
  } finally {
    await own.drop();
  }
}

function list(name: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  process.stderr.write(`\n${lines.length} ${name}:\n`);
  for (const line of lines.slice(0, LISTED_MAX)) process.stderr.write(`  ${line}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
