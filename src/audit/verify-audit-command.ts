import { DONE, FAILED, readStorePlace, runStoreCommand } from '../shared/database/transfer/store-command.js';
import type { CommandContext } from '../shared/database/transfer/transfer-command.js';
import { verifyAudit, type ChainReport } from './verify-audit.js';

const USAGE = `npm run audit:verify

Walks the audit log of every account and recomputes each hash: in the store that DATABASE_URL names, else in the embedded
one in DATA_DIR, which no gateway may have open meanwhile. Gateways on DATABASE_URL may be at work: all is read in one
snapshot, and nothing is written.

Prints a line for each account, with its last hash: keep that elsewhere, for a chain does not show that its newest
entries were cut off. Ends with 0 when every chain is whole, with 1 when one is broken or nothing could be verified.
`;

/**
 * @returns the exit code: 0 every chain is whole, 1 broken or failed, 2 wrong words. Never
 *   throws, never prints a secret.
 */
export const runAuditVerification = (context: CommandContext): Promise<number> =>
  runStoreCommand(
    {
      name: 'audit:verify',
      usage: USAGE,
      switches: [],
      readPlace: readStorePlace,
      run: async (database) => {
        let isBroken = false;
        await verifyAudit(database, (report) => {
          isBroken ||= report.broken !== undefined;
          context.print(printReport(report));
        });
        return isBroken ? FAILED : DONE;
      },
    },
    context,
  );

function printReport({ accountId, entries, last, broken }: ChainReport): string {
  const walked = `account ${accountId}: ${entries.toLocaleString('en-US')} ${entries === 1 ? 'entry' : 'entries'}`;
  if (broken) return `${walked}, then BROKEN at seq ${broken.seq}: the entry ${broken.reason}\n`;
  return `${walked}, unbroken, last seq ${last.seq}, last hash ${last.hash}\n`;
}
