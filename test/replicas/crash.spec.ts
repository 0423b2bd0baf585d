/**
 * The crash test (`npm run crash-test`, docs/contribute/reliability.md) works: three of its points on separate
 * processes. Its judge is tested in crash-judge.spec.ts.
 */
import { printReport } from '../../scripts/crash/print-report.js';
import { runCrashes } from '../../scripts/crash/run.js';
import { bundledProgram } from '../support/bundled-program.js';
import { describeOnPostgres } from '../support/database.js';

const POINTS = 3;
/** Seed whose kills happen under load, during the start, and under load. */
const SEED = 'f';
const RUN_MS_MAX = 240_000;

describeOnPostgres('killed gateways', (database) => {
  it(
    'leave ledger that are what the upstream and the clients saw',
    async () => {
      const report = await runCrashes({
        points: POINTS,
        seed: SEED,
        databaseUrl: database.settings.databaseUrl!.reveal(),
        program: [await bundledProgram()],
        stretches: 2,
        pointsMsMax: RUN_MS_MAX / 2,
      });
      expect(report.violations).toEqual([]);
      const { killed, counts, looks } = report;
      expect(killed).toEqual({ load: 2, start: 1, sweep: 0 });
      expect(counts.completed).toBeGreaterThan(0);
      expect(report.repeated).toBeGreaterThan(0);
      expect(report.joined).toBeGreaterThan(0);
      expect(counts).toMatchObject({ exact: counts.completed, missing: 0, doubled: 0, charged: counts.counted });
      expect(looks).toBeGreaterThan(POINTS);
      expect(printReport(report, SEED)).toContain(
        `| calls the upstream received | ${counts.upstreamCalls.toLocaleString('en-US')} |`,
      );
    },
    RUN_MS_MAX,
  );
});
