import type { DataSource } from 'typeorm';
import { pluralize } from '../../core/text/pluralize.js';
import { pathOf, type CommandContext } from '../../shared/command/command-context.js';
import type { EmbeddedOpener } from '../../shared/database/embedded.js';
import { FileRefused } from '../../shared/database/transfer/file-refused.js';
import {
  DONE,
  FAILED,
  MISUSED,
  readStoreLocation,
  runStoreCommand,
  type CommandWords,
} from '../../shared/database/transfer/store-command.js';
import { compareUsage, type Comparison, type UsageDifference } from './compare-usage.js';
import { EXPORT_FORMATS, FORMAT_NAMES, type FormatName } from './export-formats.js';
import { readLedgerUsage, type LedgerUsage } from './ledger-usage.js';
import { isDay, readExport, type Period, type VendorUsage } from './read-export.js';

const NAME = 'ledger:reconcile';
const USAGE = `npm run ledger:reconcile -- USAGE.csv [--format anthropic|openai|generic] [--provider SLUG]
  [--from DAY] [--to DAY] [--tolerance-tokens COUNT] [--credential ID] [--json]

Compares the usage export of a vendor with the ledger, by upstream model, class of tokens and day of UTC: in the store
that DATABASE_URL names, else in the embedded one in DATA_DIR, which no gateway may have open meanwhile. Gateways on
DATABASE_URL may be at work: all is read in one snapshot, and nothing is written.

--format is recognised by the header. --provider is anthropic or openai for their formats, and needed for generic.
--from and --to (YYYY-MM-DD, both included) bound the days; without them, those of the file from its first to its last.
--tolerance-tokens is the number of tokens by which a class may differ on a day; without it, 0.
--credential compares what went through this credential of a caller (GET /byok), in place of the operator's own.

Prints a line for each difference, its cost at list price and a summary, or with --json
{ format, provider, period, compared, differences, unlisted, totals, cost, unpriced, warnings }.
Ends with 0 when nothing differs by more than the tolerance, with 1 when something does or nothing could be compared,
with 2 for wrong arguments.
`;

const DAY = { pattern: /^\d{4}-\d{2}-\d{2}$/, reason: 'must be a day: YYYY-MM-DD' };

/** @returns the exit code, as documented in the usage. Never throws, never prints a secret. */
export const runReconciliation = (context: CommandContext, opener?: EmbeddedOpener): Promise<number> =>
  runStoreCommand(
    {
      name: NAME,
      usage: USAGE,
      operand: 'USAGE.csv',
      switches: ['json'],
      values: {
        format: {
          pattern: new RegExp(`^(?:${FORMAT_NAMES.join('|')})$`),
          reason: `is one of ${FORMAT_NAMES.join(', ')}`,
        },
        provider: { pattern: /^[\w.-]+$/, reason: 'must be the slug of a provider' },
        from: DAY,
        to: DAY,
        'tolerance-tokens': { pattern: /^\d{1,15}$/, reason: 'must be a number of tokens' },
        credential: { pattern: /^\S+$/, reason: 'must be the id of a credential' },
      },
      readLocation: readStoreLocation,
      run: (database, words) => reconcile(database, words, context),
    },
    context,
    opener,
  );

interface Reconciliation extends Comparison {
  readonly format: FormatName;
  readonly provider: string;
  readonly period: Period;
  readonly compared: { readonly rows: number; readonly generations: number };
  readonly warnings: readonly string[];
}

async function reconcile(database: DataSource, words: CommandWords, context: CommandContext): Promise<number> {
  const { values, switches } = words;
  const vendor = await readNamed(words.operand!, values.get('format') as FormatName | undefined, context);
  const provider = values.get('provider') ?? EXPORT_FORMATS[vendor.format].provider;
  if (provider === undefined) {
    context.printError(`${NAME}: --provider is needed: the form ${vendor.format} names none.\n\n${USAGE}`);
    return MISUSED;
  }
  const period = readPeriod(values, vendor);
  const ledger = await readLedgerUsage(database, period, { provider, credential: values.get('credential') });
  const comparison = compareUsage(vendor, ledger, period, BigInt(values.get('tolerance-tokens') ?? 0));
  const result: Reconciliation = {
    format: vendor.format,
    provider,
    period,
    compared: { rows: vendor.rows, generations: ledger.generations },
    ...comparison,
    warnings: warningsOf(ledger),
  };
  context.print(switches.has('json') ? `${JSON.stringify(result, undefined, 2)}\n` : printResult(result));
  return comparison.differences.length > 0 ? FAILED : DONE;
}

/** @throws FileRefused names the file */
async function readNamed(named: string, format: FormatName | undefined, context: CommandContext): Promise<VendorUsage> {
  try {
    return await readExport(pathOf(named, context), format);
  } catch (error) {
    throw new FileRefused(`${named}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws FileRefused */
function readPeriod(values: CommandWords['values'], vendor: VendorUsage): Period {
  const from = values.get('from') ?? vendor.period?.from;
  const to = values.get('to') ?? vendor.period?.to;
  if (from === undefined || to === undefined) throw new FileRefused('The file has no day: give --from and --to.');
  for (const day of [from, to]) if (!isDay(day)) throw new FileRefused(`${day} is no day of the calendar.`);
  if (from > to) throw new FileRefused(`The period ends before it begins: ${from} to ${to}.`);
  return { from, to };
}

function warningsOf(ledger: LedgerUsage): readonly string[] {
  const { estimated, withOperatorCost, unnamed, absentMonths } = ledger;
  return [
    ...absentMonths.map((month) => `the ledger has no generations of ${month}`),
    ...(unnamed > 0 ? [`${pluralize(unnamed, 'generation')} without an upstream model left out`] : []),
    ...(estimated > 0 ? [`${pluralize(estimated, 'generation')} with estimated tokens`] : []),
    ...(withOperatorCost > 0
      ? [
          `${pluralize(withOperatorCost, 'generation')} with operator cost: tokens of failed attempts are not in the ledger`,
        ]
      : []),
  ];
}

function printResult(result: Reconciliation): string {
  const { provider, period, compared, differences, unlisted, totals, cost, unpriced, warnings } = result;
  const count = differences.length + unlisted;
  const known = unpriced > 0 ? ` without ${pluralize(unpriced, 'difference')} of no known price` : '';
  return [
    ...warnings.map((warning) => `warning: ${warning}\n`),
    ...differences.map((difference) => `difference: ${printDifference(difference)}\n`),
    unlisted > 0 ? `and ${pluralize(unlisted, 'more difference')}\n` : '',
    ...totals.map((total) => `total: ${printDifference(total)}\n`),
    `${provider}, ${period.from} to ${period.to}: ${pluralize(compared.rows, 'row')}, ${pluralize(compared.generations, 'generation')}, `,
    `${pluralize(count, 'difference')}${count > 0 ? `, ${cost} USD${known}` : ''}, ${pluralize(warnings.length, 'warning')}\n`,
  ].join('');
}

function printDifference({ day, model, class: name, vendor, ledger, difference, cost }: UsageDifference): string {
  const subject = [...(day === undefined ? [] : [day]), model, name].join(' ');
  return `${subject}: vendor ${vendor}, ledger ${ledger}, difference ${difference}, ${cost === null ? 'no known price' : `${cost} USD`}`;
}
