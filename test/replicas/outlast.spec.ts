/**
 * Holds outlive a crash of the database, a pause of their replica and a change of time-outs: caps and budgets are
 * enforced all along, and every reply that ended has its one charge (docs/contribute/reliability.md). One round of `npm
 * run outlast-test`, with its own PostgreSQL server that is killed, processes that are stopped for longer than a
 * replica may be silent, and one that is replaced.
 */
import { OwnCluster } from '../../scripts/crash/own-cluster.js';
import { printOutlast, runOutlast } from '../../scripts/crash/outlast.js';
import { bundledProgram } from '../support/bundled-program.js';

const RUN_MS_MAX = 180_000;
const PAUSE_MS = 22_000;

describe('replicas on a database that is killed', () => {
  it(
    'keep every cap and every charge, paused and replaced as well',
    async () => {
      const binaries = await OwnCluster.findBinaries();
      // Without the programs of PostgreSQL on this machine nothing is tested, and nothing claimed.
      if (binaries === undefined) return expect(globalThis.__SERVICES__.postgres).toBeNull();
      const report = await runOutlast({
        rounds: 1,
        seed: 'o',
        program: [await bundledProgram()],
        binaries,
        pauseMs: PAUSE_MS,
      });
      expect(report.violations).toEqual([]);
      expect(report).toMatchObject({ crashes: 1, pauses: 1, rolls: 1, overspent: 0 });
      expect(report.counts.completed).toBeGreaterThan(0);
      expect(report.counts).toMatchObject({ missing: 0, doubled: 0 });
      expect(report.looks).toBeGreaterThan(100);
      expect(printOutlast(report)).toContain(`| requests sent | ${report.counts.requests} |`);
    },
    RUN_MS_MAX,
  );
});
