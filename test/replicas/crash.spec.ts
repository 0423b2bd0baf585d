/**
 * Goal: the crash test (`npm run crash-test`, docs/reliability.md) works, and would see what it is there to see.
 * Method: three points of it on processes of their own; and its judge before evidence with one thing wrong each.
 */
import type { Evidence } from '../../scripts/crash/evidence.js';
import { judge } from '../../scripts/crash/judge.js';
import { printReport } from '../../scripts/crash/print-report.js';
import { runCrashes } from '../../scripts/crash/run.js';
import { compiledSource } from '../support/compiled-source.js';
import { describeOnPostgres } from '../support/database.js';

const PROGRAM = [compiledSource('main.js')];
const POINTS = 3;
/** Its moments: under load, in the start, under load. */
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
        program: PROGRAM,
        stretches: 2,
        pointsMsMax: RUN_MS_MAX / 2,
      });
      expect(report.violations).toEqual([]);
      const { killed, counts, looks } = report;
      expect(killed).toEqual({ load: 2, start: 1, sweep: 0 });
      expect(counts.completed).toBeGreaterThan(0);
      expect(counts).toMatchObject({ exact: counts.completed, missing: 0, doubled: 0, charged: counts.counted });
      expect(looks).toBeGreaterThan(POINTS);
      expect(printReport(report, SEED)).toContain(
        `| calls the upstream received | ${counts.upstreamCalls.toLocaleString('en-US')} |`,
      );
    },
    RUN_MS_MAX,
  );
});

describe('the judge of the crash test', () => {
  const cost = 24_000_000n;
  const call = { isRefused: false, cost };
  const reply = { marker: 'v1-0', id: 'gen-1', status: 200, isComplete: true, reportedCost: 0.000024 };
  const row = {
    id: 'gen-1',
    marker: 'v1-0',
    outcome: 'completed',
    cost,
    bound: cost,
    operatorCost: 0n,
    isRecovered: false,
  };
  const entered = { id: 'gen-1', charges: 1, corrections: 0, amount: cost };
  const sound: Evidence = {
    calls: new Map([['v1-0', [{ isRefused: true, cost: 7n }, call]]]),
    replies: [reply],
    generations: [row],
    entries: [entered],
  };

  it('finds nothing where nothing is wrong, an attempt that failed before the answer included', () => {
    const { counts, violations } = judge(sound);
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({
      upstreamCalls: 2,
      called: 1,
      rows: 1,
      completed: 1,
      exact: 1,
      counted: cost,
      charged: cost,
    });
  });

  it('lets a call that was cut off be charged less than it came to, and one that never went out nothing', () => {
    const cut = { ...reply, isComplete: false, reportedCost: undefined };
    const unsent = { marker: 'v1-1', id: undefined, status: undefined, isComplete: false, reportedCost: undefined };
    const { counts, violations } = judge({
      ...sound,
      replies: [cut, unsent],
      generations: [
        { ...row, outcome: 'recovered', cost: 1n, isRecovered: true },
        { ...row, id: 'gen-2', marker: 'v1-1', outcome: 'recovered', cost: 0n, isRecovered: true },
      ],
      entries: [
        { ...entered, amount: 1n },
        { ...entered, id: 'gen-2', amount: 0n },
      ],
    });
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({ recovered: 2, rowsWithoutCall: 1 });
  });

  it('lets what was settled late be cut by what the operator has borne, and only where that can be', () => {
    const late = { ...row, cost: cost - 7n, operatorCost: 7n };
    const evidence = { ...sound, generations: [late], entries: [{ ...entered, amount: cost - 7n }] };
    expect(judge({ ...evidence, mayBeLate: true })).toMatchObject({ violations: [], counts: { exact: 0, late: 1 } });
    expect(judge(evidence).violations).not.toEqual([]);
    const short = { ...evidence, generations: [{ ...late, operatorCost: 6n }], mayBeLate: true };
    expect(judge(short).violations).not.toEqual([]);
  });

  it.each<[string, Partial<Evidence>, RegExp]>([
    ['a call without a row', { generations: [], entries: [], replies: [{ ...reply, isComplete: false }] }, /v1-0: reached the upstream and has 0 rows/],
    ['a call with two rows', { generations: [row, { ...row, id: 'gen-2' }], entries: [entered, { ...entered, id: 'gen-2' }] }, /has 2 rows gen-1 gen-2/],
    ['a row of nobody', { generations: [row, { ...row, id: 'gen-2', marker: undefined, cost: 0n }], entries: [entered, { ...entered, id: 'gen-2', amount: 0n }] }, /gen-2: is a row of no request/],
    ['two charges', { entries: [{ ...entered, charges: 2 }] }, /gen-1: has 2 charges/],
    ['two corrections', { entries: [{ ...entered, corrections: 2 }] }, /gen-1: has 1 charges and 2 corrections/],
    ['a row without an entry', { entries: [] }, /gen-1: has a row and no entry/],
    ['an entry without a row', { entries: [entered, { ...entered, id: 'gen-2' }] }, /gen-2: has entries and no row/],
    ['an entry that is not what its row says', { entries: [{ ...entered, amount: cost - 1n }] }, /gen-1: its row says 0.000024 USD, entered is 0.000023999999/],
    ['a complete reply that counts as cut off', { generations: [{ ...row, outcome: 'recovered' }] }, /gen-1: its last byte went out and it counts as recovered/],
    ['a complete reply that is charged less', { generations: [{ ...row, cost: cost - 1n }], entries: [{ ...entered, amount: cost - 1n }] }, /gen-1: the upstream counted 0.000024 USD, its row says 0.000023999999/],
    ['a complete reply of another id', { replies: [{ ...reply, id: 'gen-9' }] }, /gen-9: its row bears another id, gen-1/],
    ['a client that is told another cost', { replies: [{ ...reply, reportedCost: 0.000025 }] }, /its client was told 0.000025/],
    ['a charge above what the upstream counted', { replies: [{ ...reply, isComplete: false }], calls: new Map([['v1-0', [{ ...call, cost: cost - 1n }]]]) }, /gen-1: is charged 0.000024 USD, the upstream counted 0.000023999999/],
    ['a charge above the bound', { generations: [{ ...row, bound: cost - 1n }] }, /gen-1: is charged 0.000024 USD, above its bound/],
    ['a charge for what was never called', { calls: new Map() }, /gen-1: is charged 0.000024 USD, the upstream counted 0/],
    ['a refused call that went upstream', { replies: [{ ...reply, status: 402, isComplete: false }] }, /v1-0: was refused with 402 and reached the upstream/],
  ])('finds %s', (_, wrong, violation) => {
    expect(judge({ ...sound, ...wrong }).violations.join('\n')).toMatch(violation);
  }); // prettier-ignore
});
