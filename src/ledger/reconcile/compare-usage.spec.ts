// Every class of a day and model that differs by more than the tolerance is listed with its exact cost, and nothing
// else. Method: sums by hand.
import type { ClassPrices } from '../../core/routing/leg-price.js';
import { compareUsage, type Comparison } from './compare-usage.js';
import type { DayUsage } from './read-export.js';
import { noTokens, usageKey, type TokenCounts } from './usage-classes.js';

const PERIOD = { from: '2026-10-01', to: '2026-10-31' };
/** 0.000000000003 USD for a token of the prompt, 0.000002 of the completion. */
const PRICES = { prompt: 3n, completion: 2_000_000n } as ClassPrices;

const usage = (...rows: readonly [day: string, model: string, tokens: Partial<TokenCounts>][]) =>
  new Map(
    rows.map(([day, model, tokens]): [string, DayUsage] => [
      usageKey(day, model),
      { day, model, tokens: { ...noTokens(), ...tokens } },
    ]),
  );

const compare = (vendor: Map<string, DayUsage>, ledger: Map<string, DayUsage>, tolerance = 0n): Comparison =>
  compareUsage({ usage: vendor }, { usage: ledger, prices: new Map([['m', PRICES]]) }, PERIOD, tolerance);

it('finds nothing where both have the same, and where the ledger has more days than the period', () => {
  const same = usage(['2026-10-01', 'm', { input: 5n, output: 9n }]);
  const more = new Map([...same, ...usage(['2026-11-01', 'm', { input: 1n }])]);
  expect(compare(same, more)).toEqual({ differences: [], unlisted: 0, totals: [], cost: '0', unpriced: 0 });
});

it('lists what either has alone, with its sign and its cost', () => {
  const found = compare(
    usage(['2026-10-02', 'm', { input: 5n }], ['2026-10-01', 'n', { output: 7n }]),
    usage(['2026-10-02', 'm', { output: 1n }]),
  );
  expect(found.differences).toEqual([
    { day: '2026-10-01', model: 'n', class: 'output', vendor: '7', ledger: '0', difference: '7', cost: null },
    {
      day: '2026-10-02',
      model: 'm',
      class: 'input',
      vendor: '5',
      ledger: '0',
      difference: '5',
      cost: '0.000000000015',
    },
    { day: '2026-10-02', model: 'm', class: 'output', vendor: '0', ledger: '1', difference: '-1', cost: '-0.000002' },
  ]);
  expect(found).toMatchObject({ cost: '-0.000001999985', unpriced: 1 });
});

it('shows in the totals that what moved over midnight is all there', () => {
  const { differences, totals } = compare(
    usage(['2026-10-01', 'm', { input: 100n }], ['2026-10-02', 'm', { input: 50n }]),
    usage(['2026-10-01', 'm', { input: 90n }], ['2026-10-02', 'm', { input: 60n }]),
  );
  expect(differences.map(({ difference }) => difference)).toEqual(['10', '-10']);
  expect(totals).toEqual([{ model: 'm', class: 'input', vendor: '150', ledger: '150', difference: '0', cost: '0' }]);
});

it('takes a tolerance for each class of a day', () => {
  const vendor = usage(['2026-10-01', 'm', { input: 10n, output: 11n }]);
  expect(compare(vendor, usage(), 10n).differences.map((one) => one.class)).toEqual(['output']);
  expect(compare(vendor, usage(), 11n).differences).toEqual([]);
});

it('lists a thousand, and counts the others and the cost of all', () => {
  const many = usage(
    ...Array.from({ length: 1_234 }, (_, n) => ['2026-10-01', `m${n}`, { input: 1n }] as const).map(
      ([day, model, tokens]): [string, string, Partial<TokenCounts>] => [day, model, tokens],
    ),
  );
  const found = compare(many, usage());
  expect([found.differences.length, found.unlisted, found.unpriced]).toEqual([1_000, 234, 1_234]);
});
