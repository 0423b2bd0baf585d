import { pluralize } from '../../core/text/pluralize.js';
import { DONE, FAILED, readStoreLocation, runStoreCommand } from '../../shared/database/transfer/store-command.js';
import type { CommandContext } from '../../shared/command/command-context.js';
import { failureMessage } from '../../shared/command/command-failure.js';
import { keepVerification } from './kept-verification.js';
import { verifyLedger, type LedgerDifference, type LedgerReport } from './verify-ledger.js';

const USAGE = `npm run ledger:verify -- [--json]

Recomputes every balance, window and cost of the ledger from what was entered, the figures of every hour and day from
their generations, and every closed month from its entries and lines, and compares exactly: those of the store that
DATABASE_URL names, else of the embedded one in DATA_DIR, which no gateway may have open meanwhile.
Gateways on DATABASE_URL may be at work: all is read in one snapshot. Only the number of differences and warnings is
written, which GET /credits/verification and the console show; where that is impossible, the result is the same.

Prints a line for each difference and a summary, or with --json { counted, differences, unlisted, warnings }.
Ends with 0 when there is no difference, with 1 when there is one or nothing could be verified.
`;

/**
 * @returns the exit code: 0 no difference, 1 differences or failure, 2 wrong arguments. Never throws, never prints a
 *   secret.
 */
export const runVerification = (context: CommandContext): Promise<number> =>
  runStoreCommand(
    {
      name: 'ledger:verify',
      usage: USAGE,
      switches: ['json'],
      readLocation: readStoreLocation,
      run: async (database, { switches }) => {
        const report = await verifyLedger(database);
        // The store may be one that can only be read.
        await keepVerification(database, report).catch((error: unknown) =>
          context.printError(`ledger:verify: The result is not kept: ${failureMessage(error)}\n`),
        );
        context.print(switches.has('json') ? `${JSON.stringify(report, undefined, 2)}\n` : printReport(report));
        return report.differences.length > 0 ? FAILED : DONE;
      },
    },
    context,
  );

function printReport({ counted: of, differences, unlisted, warnings }: LedgerReport): string {
  const line = (kind: string, { what, expected, found }: LedgerDifference): string =>
    `${kind}: ${what}: expected ${expected}, found ${found}\n`;
  const summary = [
    pluralize(of.accounts, 'account'),
    pluralize(of.windows, 'window'),
    pluralize(of.generations, 'generation'),
    pluralize(of.entries, 'entry', 'entries'),
    pluralize(of.holds, 'hold'),
  ].join(', ');
  return [
    ...warnings.map((warning) => line('warning', warning)),
    ...differences.map((difference) => line('difference', difference)),
    unlisted > 0 ? `and ${pluralize(unlisted, 'more difference')}\n` : '',
    `${summary}: ${pluralize(differences.length + unlisted, 'difference')}, ${pluralize(warnings.length, 'warning')}\n`,
  ].join('');
}
