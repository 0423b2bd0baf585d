import type { DataSource } from 'typeorm';
import { pluralize } from '../core/text/pluralize.js';
import { SystemClock } from '../core/time.js';
import type { EmbeddedOpener } from '../shared/database/embedded.js';
import type { StoreLocation } from '../shared/database/transfer/open-store.js';
import { DONE, FAILED, readStoreLocation, runStoreCommand } from '../shared/database/transfer/store-command.js';
import type { CommandContext } from '../shared/command/command-context.js';
import { readEnvironment } from '../shared/read-environment.js';
import { findKeyService, type KeySettings } from '../vault/create-key-service.js';
import { DataKeys } from '../vault/data-keys.js';
import { verifyAudit, type ChainReport } from './verify-audit.js';

const WITHOUT_SEALS = 'without-seals';
const USAGE = `npm run fairlead -- verify audit [--newest SEAL] [--unsealed COUNT] [--without-seals]

Walks the audit log of every account and recomputes each hash and each seal, with the same variables as the gateway: in
the store that DATABASE_URL names, else in the embedded one in DATA_DIR, which no gateway may have open meanwhile.
Gateways on DATABASE_URL may be at work: all is read in one snapshot, and nothing is written.

--newest takes the seal from the last line "A change was recorded." of the gateways' logs: where no entry has it, the
newest entries were cut off. Without it, a chain does not show that; each line ends with the last hash and seal.
--unsealed gives the total number of entries from before there were seals: more of them without one are not accepted.
It is 0 where it is not given, and the number that was found when the store was brought to this release never rises.
--without-seals walks the hashes alone, where the encryption keys are not available.

Ends with 0 when every chain is whole, with 1 when one is broken, a seal could not be checked, more have none than may,
or nothing could be verified.
`;

type AuditLocation = StoreLocation & { readonly keySettings?: KeySettings };

/**
 * @returns the exit code: 0 every chain is whole, 1 broken, not checked or failed, 2 wrong arguments. Never throws,
 *   never prints a secret.
 */
export const runAuditVerification = (context: CommandContext, opener?: EmbeddedOpener): Promise<number> =>
  runStoreCommand<AuditLocation>(
    {
      name: 'fairlead verify audit',
      usage: USAGE,
      switches: [WITHOUT_SEALS],
      values: {
        newest: { pattern: /^[0-9a-f]{64}$/, reason: 'must be a seal: 64 hexadecimal digits' },
        unsealed: { pattern: /^\d{1,15}$/, reason: 'must be a number of entries' },
      },
      readLocation: (all, { switches }) => {
        if (switches.has(WITHOUT_SEALS)) return readStoreLocation(all);
        const { environment } = readEnvironment(all.variables, all.workingDirectory);
        return { ...readStoreLocation(all), keySettings: environment };
      },
      run: async (database, { values }, { keySettings }) => {
        const keys = keySettings && (await dataKeysOf(database, keySettings));
        const seals = { keys, unsealedMax: keySettings ? Number(values.get('unsealed') ?? 0) : Infinity };
        return verify(database, seals, values.get('newest'), context);
      },
    },
    context,
    opener,
  );

async function dataKeysOf(database: DataSource, settings: KeySettings): Promise<DataKeys | undefined> {
  const clock = new SystemClock();
  const service = await findKeyService(settings, clock);
  return service && new DataKeys(database, service, clock);
}

/** The seals that the verification requires; none where `unsealedMax` is Infinity. */
interface SealRule {
  readonly keys: DataKeys | undefined;
  readonly unsealedMax: number;
}

async function verify(
  database: DataSource,
  { keys, unsealedMax }: SealRule,
  newest: string | undefined,
  { print, printError }: CommandContext,
): Promise<number> {
  let isWhole = true;
  let isNewestThere = false;
  let unsealed = 0;
  const onReport = (report: ChainReport): void => {
    isWhole &&= report.broken === undefined && (report.unchecked === 0 || unsealedMax === Infinity);
    isNewestThere ||= report.newestAt !== undefined;
    unsealed += report.unsealed;
    print(printReport(report));
  };
  await verifyAudit(database, { keys, newest, onReport });
  // An attacker with write access to the database can remove all seals and rewrite the entries. The next change would
  // be sealed on top of that, so the position of the first seal proves nothing.
  if (unsealed > unsealedMax) {
    printError(
      `fairlead verify audit: ${pluralize(unsealed, 'entry is', 'entries are')} not sealed, and ${unsealedMax.toLocaleString('en-US')} may be: ` +
        `their seals were taken off, or they are from before there were any (--unsealed).\n`,
    );
    isWhole = false;
  }
  if (newest !== undefined && !isNewestThere) {
    printError(
      `fairlead verify audit: no entry has the seal ${newest}: the newest entries were cut off, or retention has removed it.\n`,
    );
    return FAILED;
  }
  return isWhole ? DONE : FAILED;
}

function printReport({
  accountId,
  entries,
  unsealed,
  unchecked,
  last,
  lastSeal,
  newestAt,
  broken,
}: ChainReport): string {
  const walked = [
    `account ${accountId}: ${pluralize(entries, 'entry', 'entries')}`,
    unsealed > 0 ? `${unsealed.toLocaleString('en-US')} not sealed` : '',
    unchecked > 0 ? `${pluralize(unchecked, 'seal', 'seals')} NOT CHECKED` : '',
    newestAt === undefined ? '' : `the given seal at seq ${newestAt}`,
  ].filter((part) => part !== '');
  if (broken) return `${walked.join(', ')}, then BROKEN at seq ${broken.seq}: the entry ${broken.reason}\n`;
  const end = [`last seq ${last.seq}`, `last hash ${last.hash}`, ...(lastSeal ? [`last seal ${lastSeal.seal}`] : [])];
  return `${[...walked, 'unbroken', ...end].join(', ')}\n`;
}
