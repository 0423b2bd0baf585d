import type { DataSource } from 'typeorm';
import { Undecryptable } from '../vault/key-service.js';
import type { SealedCredential, Vault } from '../vault/vault.js';

const BATCH_ROWS = 100;
/** Further passes cover what gateways without the new key stored meanwhile. */
const PASSES_MAX = 3;
/** Lower than every real id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A credential that cannot be re-wrapped. */
export interface UnreadableCredential {
  readonly id: string;
  readonly label: string;
  readonly reason: string;
}

export interface RotationOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once for each. */
  readonly onUnreadable: (credential: UnreadableCredential) => void;
  /** Called after each credential that is now under the current key. */
  readonly onRewrapped: () => void;
}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly provider: string;
  readonly label: string;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly sealed: Buffer;
}

/**
 * Wraps the data key of every credential by the current key. Each row is changed by one statement, and only if it is as
 * it was read: a concurrent change wins, and an interruption leaves each row under one key or the other. It may be
 * repeated and run concurrently.
 *
 * @returns how many are left under other keys
 * @throws KeyServiceUnavailable
 */
export async function rotateCredentials(
  database: DataSource,
  vault: Vault,
  { signal, onUnreadable, onRewrapped }: RotationOptions,
): Promise<number> {
  const unreadable = new Set<string>();
  for (let pass = 1; ; pass++) {
    for await (const row of rowsUnderOtherKeys(database, vault.currentKeyId)) {
      signal?.throwIfAborted();
      try {
        if (await rewrap(database, vault, row)) onRewrapped();
      } catch (error) {
        if (!(error instanceof Undecryptable)) throw error;
        if (!unreadable.has(row.id)) onUnreadable({ id: row.id, label: row.label, reason: error.message });
        unreadable.add(row.id);
      }
    }
    const left = (await countByKey(database))
      .filter(({ keyId }) => keyId !== vault.currentKeyId)
      .reduce((sum, { credentials }) => sum + credentials, 0);
    if (left <= unreadable.size || pass === PASSES_MAX) return left;
  }
}

/** Number of credentials that each key wraps, in order of key ids. */
export async function countByKey(
  database: DataSource,
): Promise<readonly { readonly keyId: string; readonly credentials: number }[]> {
  return database.query(
    `select key_id as "keyId", count(*)::int as credentials from provider_credentials where deleted_at is null
     group by key_id order by key_id`,
  );
}

async function* rowsUnderOtherKeys(database: DataSource, currentKeyId: string): AsyncGenerator<Row> {
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const rows: Row[] = await database.query(
      `select id, account_id, workspace_id, provider, label, key_id, wrapped_key, sealed from provider_credentials
       where deleted_at is null and key_id <> $1 and id > $2 order by id limit ${BATCH_ROWS}`,
      [currentKeyId, after],
    );
    yield* rows;
    after = rows.length === BATCH_ROWS ? rows.at(-1)!.id : undefined;
  }
}

/** @returns false when the row has changed meanwhile */
async function rewrap(database: DataSource, vault: Vault, row: Row): Promise<boolean> {
  const before: SealedCredential = {
    keyId: row.key_id,
    wrappedKey: Buffer.from(row.wrapped_key),
    sealed: Buffer.from(row.sealed),
  };
  const owner = { id: row.id, workspaceId: row.workspace_id, provider: row.provider };
  const after = await vault.rewrap(before, owner);
  // updated_at stays: nothing has changed for the credential's administrators.
  const [, changed]: [unknown, number] = await database.query(
    `update provider_credentials set key_id = $1, wrapped_key = $2
     where id = $3 and account_id = $4 and key_id = $5 and wrapped_key = $6 and deleted_at is null`,
    [after.keyId, after.wrappedKey, row.id, row.account_id, before.keyId, before.wrappedKey],
  );
  return changed === 1;
}
