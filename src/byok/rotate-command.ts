import type { DataSource } from 'typeorm';
import { SystemClock } from '../core/time.js';
import type { EmbeddedOpener } from '../shared/database/embedded.js';
import { DONE, FAILED, runStoreCommand } from '../shared/database/transfer/store-command.js';
import type { CommandContext } from '../shared/command/command-context.js';
import { readEnvironment } from '../shared/read-environment.js';
import { createKeyService } from '../vault/create-key-service.js';
import { DATA_KEY_PURPOSES, DataKeys, type DataKeyPurpose } from '../vault/data-keys.js';
import { Vault } from '../vault/vault.js';
import { countByKey, rotateCredentials } from './rotate-credentials.js';

const USAGE = `npm run fairlead -- rotate [--dry-run] [--new-seal-key]

Re-encrypts all data keys with the first encryption key: those of stored provider credentials, of the seals of the audit
log, and of what tools store. It uses the variables of the gateway: the store of DATABASE_URL, or else the embedded one
in DATA_DIR, for which the gateway must be stopped.
With DATABASE_URL gateways keep running: first give all of them the new key, and keep the old key until this has ended
with 0. It can be interrupted and repeated.

--dry-run counts data keys by the id of their encryption key, and changes nothing. --new-seal-key seals later changes in
the audit log with a new key; earlier seals stay valid under theirs.
Exit codes: 0: all use the first key, or were counted. 1: one does not.
`;

/**
 * @returns the exit code: 0 done, 1 something is left or failed, 2 wrong arguments. Never throws, never prints a
 *   secret.
 */
export const runRotation = (context: CommandContext, opener?: EmbeddedOpener): Promise<number> =>
  runStoreCommand(
    {
      name: 'rotate',
      usage: USAGE,
      switches: ['dry-run', 'new-seal-key'],
      readLocation: ({ variables, workingDirectory }) => readEnvironment(variables, workingDirectory).environment,
      run: async (database, { switches }, environment) => {
        const clock = new SystemClock();
        const service = await createKeyService(environment, clock);
        const rotation = new Rotation(database, new Vault(service), new DataKeys(database, service, clock), context);
        if (switches.has('dry-run')) return rotation.printCounts();
        if (switches.has('new-seal-key')) await rotation.addSealKey();
        return rotation.run();
      },
    },
    context,
    opener,
  );

/** One run of the command. */
class Rotation {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly dataKeys: DataKeys,
    private readonly context: CommandContext,
  ) {}

  async printCounts(): Promise<number> {
    const counts = new Map<string, WrappedCounts>();
    const add = (keyId: string, { credentials, sealKeys }: WrappedCounts): void => {
      const known = counts.get(keyId) ?? NOTHING;
      counts.set(keyId, {
        credentials: known.credentials + credentials,
        sealKeys: known.sealKeys + sealKeys,
      });
    };
    for (const { keyId, credentials } of await countByKey(this.database)) add(keyId, { credentials, sealKeys: 0 });
    for (const purpose of PURPOSES)
      for (const { keyId } of await this.dataKeys.list(purpose)) add(keyId, { credentials: 0, sealKeys: 1 });
    for (const [keyId, wrapped] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
      this.context.print(`${keyId}${this.noteOn(keyId)}: ${count(wrapped)}\n`);
    if (counts.size === 0) this.context.print(`${count(NOTHING)}\n`);
    return DONE;
  }

  /** The next audit entries of all gateways are sealed under it. */
  async addSealKey(): Promise<void> {
    const [newest] = await this.dataKeys.list('audit-seal');
    await this.dataKeys.create('audit-seal', (newest?.number ?? 0) + 1);
    this.context.print('the audit log is sealed under a new key from now on\n');
  }

  async run(): Promise<number> {
    const { print, printError, signal } = this.context;
    const rewrapped = { credentials: 0, sealKeys: 0 };
    try {
      const credentials = await rotateCredentials(this.database, this.vault, {
        signal,
        onRewrapped: () => rewrapped.credentials++,
        onUnreadable: ({ id, label, reason }) => this.reportUnreadable(`${JSON.stringify(label)} (${id})`, reason),
      });
      let sealKeys = 0;
      for (const purpose of PURPOSES)
        sealKeys += await this.dataKeys.rewrapAll(purpose, {
          signal,
          onRewrapped: () => rewrapped.sealKeys++,
          onUnreadable: ({ id }, reason) =>
            this.reportUnreadable(`a key that ${DATA_KEY_PURPOSES[purpose]} (${id})`, reason),
        });
      if (credentials === 0 && sealKeys === 0) return DONE;
      printError(`rotate: ${count({ credentials, sealKeys })} still sealed under other keys: keep those keys.\n`);
      return FAILED;
    } finally {
      print(`${count(rewrapped)} put under ${this.vault.currentKeyId}\n`);
    }
  }

  private noteOn(keyId: string): string {
    if (keyId === this.vault.currentKeyId) return ' (the first)';
    return this.vault.hasKey(keyId) ? '' : ' (not known here)';
  }

  private reportUnreadable(what: string, reason: string): void {
    this.context.printError(`rotate: ${what} is left as it is: ${reason}\n`);
  }
}

const PURPOSES = Object.keys(DATA_KEY_PURPOSES) as DataKeyPurpose[];

/** Number of items that a key wraps. */
interface WrappedCounts {
  readonly credentials: number;
  /** Data keys of the gateway's own, of all purposes. */
  readonly sealKeys: number;
}
const NOTHING: WrappedCounts = { credentials: 0, sealKeys: 0 };

/** Seal keys are mentioned only where there are any. */
const count = ({ credentials, sealKeys }: WrappedCounts): string =>
  [
    ...(credentials > 0 || sealKeys === 0 ? [amount(credentials, 'credential')] : []),
    ...(sealKeys > 0 ? [amount(sealKeys, 'seal key')] : []),
  ].join(' and ');

const amount = (number: number, name: string): string =>
  `${number.toLocaleString('en-US')} ${name}${number === 1 ? '' : 's'}`;
