import type { DataSource } from 'typeorm';
import { SystemClock } from '../core/time.js';
import type { EmbeddedOpener } from '../shared/database/embedded.js';
import { DONE, FAILED, runStoreCommand } from '../shared/database/transfer/store-command.js';
import type { CommandContext } from '../shared/database/transfer/transfer-command.js';
import { readEnvironment } from '../shared/read-environment.js';
import { countByKey, rotateCredentials } from './rotate-credentials.js';
import { createKeyService } from './vault/create-key-service.js';
import { Vault } from './vault/vault.js';

const USAGE = `npm run vault:rotate -- [--dry-run]

Puts every stored provider credential under the first of the encryption keys, with the same variables as the gateway: in
the store that DATABASE_URL names, else in the embedded one in DATA_DIR, which no gateway may have open meanwhile.
Gateways on DATABASE_URL go on working: give all of them the new key before this is run, and keep the old one until it
has ended with 0. It may be stopped and run again at any time.

With --dry-run it only counts the credentials by the id of their key, and changes nothing.
Ends with 0 when all are under the first key or were counted, with 1 when one is not.
`;

/**
 * @returns the exit code: 0 done, 1 something is left or failed, 2 wrong words. Never throws, never prints a secret.
 */
export const runRotation = (context: CommandContext, opener?: EmbeddedOpener): Promise<number> =>
  runStoreCommand(
    {
      name: 'vault:rotate',
      usage: USAGE,
      switches: ['dry-run'],
      readPlace: ({ variables, workingDirectory }) => readEnvironment(variables, workingDirectory).environment,
      run: async (database, switches, environment) => {
        const vault = new Vault(await createKeyService(environment, new SystemClock()));
        return switches.has('dry-run') ? printCounts(database, vault, context) : rotate(database, vault, context);
      },
    },
    context,
    opener,
  );

async function printCounts(database: DataSource, vault: Vault, { print }: CommandContext): Promise<number> {
  const counts = await countByKey(database);
  for (const { keyId, credentials } of counts) {
    const note = keyId === vault.currentKeyId ? ' (the first)' : vault.hasKey(keyId) ? '' : ' (not known here)';
    print(`${keyId}${note}: ${count(credentials)}\n`);
  }
  if (counts.length === 0) print(`${count(0)}\n`);
  return DONE;
}

async function rotate(
  database: DataSource,
  vault: Vault,
  { print, printError, signal }: CommandContext,
): Promise<number> {
  let rewrapped = 0;
  try {
    const left = await rotateCredentials(database, vault, {
      signal,
      onRewrapped: () => rewrapped++,
      onUnreadable: ({ id, label, reason }) =>
        printError(`vault:rotate: ${JSON.stringify(label)} (${id}) is left as it is: ${reason}\n`),
    });
    if (left === 0) return DONE;
    printError(`vault:rotate: ${count(left)} left under other keys, which must be kept.\n`);
    return FAILED;
  } finally {
    print(`${count(rewrapped)} put under ${vault.currentKeyId}\n`);
  }
}

const count = (number: number): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? 'credential' : 'credentials'}`;
