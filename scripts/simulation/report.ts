import { formatUsd, type PicoUsd } from '../../src/core/money/credits.js';
import { HOURS, type ProviderTally, type Tally } from './tally.js';

/** Between the figures of two scenarios. */
const ARROW = ' → ';

type Table = readonly (readonly string[])[];

/** The tables of a day; with two days, the figures of both side by side. */
export function printReport(tallies: readonly Tally[]): string {
  const tables = [
    summaryTable(tallies),
    providerTable(tallies),
    unansweredTable(tallies),
    // Two days of hours side by side would be wider than a screen.
    tallies.length === 1 ? hourTable(tallies[0]!) : [],
  ];
  return tables
    .filter((table) => table.length > 1)
    .map(printTable)
    .join('\n');
}

/** The figures of each day, one line each. */
const FIGURES: readonly (readonly [string, (tally: Tally) => string])[] = [
  ['decisions', ({ decisions }) => whole(decisions)],
  ['answered', ({ answers, decisions }) => percent(answers, decisions)],
  ['needed more than one attempt (failovers)', ({ failovers, decisions }) => percent(failovers, decisions)],
  ['attempts per request', ({ attempts, decisions }) => (attempts / decisions).toFixed(3)],
  ['cost at list price, USD', ({ costPicoUsd }) => usd(costPicoUsd)],
  [
    'cost per 1,000 answers, USD',
    ({ costPicoUsd, answers }) => usd(answers > 0 ? (costPicoUsd * 1000n) / BigInt(answers) : 0n),
  ],
  ['time to first token, p50', (tally) => seconds(tally.firstTokenMs(0.5))],
  ['time to first token, p99', (tally) => seconds(tally.firstTokenMs(0.99))],
  ['turns answered elsewhere than the turn before', ({ moves, continued }) => percent(moves, continued)],
  ['sessions that moved', ({ sessionsMoved }) => whole(sessionsMoved)],
  ['prompt tokens, millions', ({ promptTokens }) => millions(promptTokens)],
  ['… read from caches', ({ cachedTokens, promptTokens }) => percent(cachedTokens, promptTokens)],
  ['… lost to caches by moves, millions', ({ cachedTokensLost }) => millions(cachedTokensLost)],
  ['answer tokens, millions', ({ answerTokens }) => millions(answerTokens)],
];

const summaryTable = (tallies: readonly Tally[]): Table => [
  ['the day', ''],
  ...FIGURES.map(([label, figure]) => [label, tallies.map(figure).join(ARROW)]),
];

const NOTHING: ProviderTally = {
  attempts: 0,
  rateLimited: 0,
  faults: 0,
  answers: 0,
  costPicoUsd: 0n,
  answersByHour: new Array<number>(HOURS).fill(0),
};

const PROVIDER_FIGURES: readonly (readonly [string, (provider: ProviderTally, tally: Tally) => string])[] = [
  ['share of answers', ({ answers }, tally) => percent(answers, tally.answers)],
  ['share of attempts', ({ attempts }, tally) => percent(attempts, tally.attempts)],
  ['its 429s', ({ rateLimited, attempts }) => percent(rateLimited, attempts)],
  ['its faults', ({ faults, attempts }) => percent(faults, attempts)],
  ['USD', ({ costPicoUsd }) => usd(costPicoUsd)],
];

function providerTable(tallies: readonly Tally[]): Table {
  const rows = providersOf(tallies).map((slug) => [
    slug,
    ...PROVIDER_FIGURES.map(([, figure]) =>
      tallies.map((tally) => figure(tally.providers.get(slug) ?? NOTHING, tally)).join(ARROW),
    ),
  ]);
  return [['provider', ...PROVIDER_FIGURES.map(([label]) => label)], ...rows];
}

function unansweredTable(tallies: readonly Tally[]): Table {
  const rows = (label: string, counts: (tally: Tally) => ReadonlyMap<string, number>): Table =>
    [...new Set(tallies.flatMap((tally) => [...counts(tally).keys()]))]
      .sort()
      .map((name) => [`${label} ${name}`, tallies.map((tally) => whole(counts(tally).get(name) ?? 0)).join(ARROW)]);
  return [
    ['not answered', 'requests'],
    ...rows('no route:', ({ refused }) => refused),
    ...rows('all attempts failed:', ({ failed }) => failed),
  ];
}

function hourTable(tally: Tally): Table {
  const slugs = providersOf([tally]);
  const rows = Array.from({ length: HOURS }, (_, hour) => {
    const answers = slugs.map((slug) => tally.providers.get(slug)!.answersByHour[hour]!);
    const sum = answers.reduce((one, other) => one + other, 0);
    return [`${String(hour).padStart(2, '0')}:00`, whole(sum), ...answers.map((count) => percent(count, sum))];
  });
  return [['share of answers by hour', 'answers', ...slugs], ...rows];
}

/** The providers, those with the most answers first. */
function providersOf(tallies: readonly Tally[]): readonly string[] {
  const answers = (slug: string): number =>
    tallies.reduce((sum, { providers }) => sum + (providers.get(slug)?.answers ?? 0), 0);
  const slugs = [...new Set(tallies.flatMap(({ providers }) => [...providers.keys()]))];
  return slugs.sort((one, other) => answers(other) - answers(one) || (one < other ? -1 : 1));
}

/** The first column is left-aligned, the others right-aligned. */
function printTable(table: Table): string {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  );
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return `${[lines[0], rule, ...lines.slice(1)].join('\n')}\n`;
}

const whole = (count: number): string => count.toLocaleString('en-US');
const percent = (part: number, of: number): string => (of === 0 ? '–' : `${((100 * part) / of).toFixed(1)} %`);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
const millions = (tokens: number): string => (tokens / 1_000_000).toFixed(2);
const usd = (amount: PicoUsd): string => Number(formatUsd(amount)).toFixed(2);
