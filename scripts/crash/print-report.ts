import { formatUsd } from '../../src/core/money/credits.js';
import type { CrashReport } from './run.js';

/** The counts as a table of Markdown. */
export function printReport(
  { killed, counts, repeated, joined, lost, lostNamed, looks, overspent, differences, seconds }: CrashReport,
  seed: string,
): string {
  const number = (count: number): string => count.toLocaleString('en-US');
  const rows: readonly (readonly [string, string])[] = [
    ['points: processes killed with SIGKILL', number(killed.load + killed.start + killed.sweep)],
    ['– under load', number(killed.load)],
    ['– while starting', number(killed.start)],
    ['– under load, about the moment of its recovery of dead replicas', number(killed.sweep)],
    ['requests sent', number(counts.requests)],
    ['– refused, because the cap had no room (402)', number(counts.unpaid)],
    ['calls the upstream received', number(counts.upstreamCalls)],
    ['– for so many requests', number(counts.called)],
    ['rows in `generations`', number(counts.rows)],
    ['– of requests that never reached the upstream', number(counts.rowsWithoutCall)],
    ['– recovered by another replica', number(counts.recovered)],
    ['calls without a row', number(counts.missing)],
    ['replies whose last byte came', number(counts.completed)],
    ['– charged exactly what the upstream counted', number(counts.exact)],
    ['– USD by the upstream’s count', formatUsd(counts.counted)],
    ['– USD entered in the ledger', formatUsd(counts.charged)],
    ['– repeated with the same idempotency key, and given again without a call', number(repeated)],
    ['– joined with the same idempotency key while they ran, and equal', number(joined)],
    ['replies that were lost with their process: charges stated to their repetitions, as entered', number(lost)],
    ['– with the id of their generation', number(lostNamed)],
    ['generations with two rows or two charges', number(counts.doubled)],
    ['looks at the counters, all along', number(looks)],
    ['– that found more used and held than the cap', number(overspent)],
    ['differences found by the verification of the ledger', number(differences)],
    ['seconds', seconds.toFixed(0)],
    ['seed', seed],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`), ''].join('\n');
}
