import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { StoredCredential } from '../core/routing/credential.js';
import type { Secret } from '../core/secret.js';
import { Clock } from '../core/time.js';
import { FreshCache } from '../shared/fresh-cache.js';
import { RepeatedLog } from '../shared/telemetry/repeated-log.js';
import { notReadable, withinTime } from '../shared/within-time.js';
import { CredentialOpener, nameInLog, type Opening } from './credential-opener.js';
import type { Finding } from './credential-verdict.js';
import { CredentialsRepository } from './credentials.repository.js';
import type { KnownStatus, ProviderCredentialEntity } from './provider-credential.entity.js';

/** Workspaces whose credentials are cached. */
const WORKSPACES_MAX = 10_000;
/** Least time between two log lines for one credential and cause, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

/** The cached credentials of a workspace. */
interface WorkspaceCredentials {
  readonly all: readonly CachedCredential[];
  /** The usable credentials, if all callers may use the same ones; undefined: they depend on the caller. */
  readonly usableByAll: readonly StoredCredential[] | undefined;
}

/** The known state of a credential: whether it works. */
export interface CredentialState {
  readonly row: Pick<ProviderCredentialEntity, 'accountId' | 'id' | 'wrappedKey'>;
  /** When its text or its traits changed last, in epoch milliseconds. */
  readonly changedAtMs: number;
  status: KnownStatus;
  reason: string | null;
  /** When this process wrote it last, in epoch milliseconds. */
  writtenAtMs: number;
  /** The last use that is stored, in epoch milliseconds. */
  usedAtMs: number;
  /** The latest finding that is not yet written to the database. */
  waiting?: Finding | undefined;
}

/** A cached credential. */
interface CachedCredential {
  readonly stored: StoredCredential;
  readonly state: CredentialState;
  /** Undefined while the credential cannot be decrypted. */
  readonly secret: Secret | undefined;
  readonly keyHashes: ReadonlySet<string> | undefined;
  readonly userIds: ReadonlySet<string> | undefined;
}

/**
 * The provider credentials of workspaces as the request path uses them. A change is in force everywhere within five
 * seconds.
 */
@Injectable()
export class CredentialStore {
  private readonly logger = new Logger('byok');
  private readonly workspaces: FreshCache<WorkspaceCredentials>;
  private readonly repeated: RepeatedLog;

  constructor(
    private readonly credentials: CredentialsRepository,
    private readonly opener: CredentialOpener,
    clock: Clock,
  ) {
    this.repeated = new RepeatedLog(clock, LOG_INTERVAL_MS);
    this.workspaces = new FreshCache((key) => this.load(key), clock, { known: WORKSPACES_MAX, missing: 1 });
  }

  /**
   * The credentials that this caller may use: enabled, readable, and allowed for this key and user. An unreadable one
   * is left out, unless the operator's credential must not replace it: then it stays, its calls fail, and are charged
   * to no other credential. Synchronous while they are cached, and mostly the same list again.
   * @throws GatewayError `service-unavailable` when the store does not answer in time
   */
  usableBy(caller: Caller): readonly StoredCredential[] | Promise<readonly StoredCredential[]> {
    const key = keyOf(caller);
    const cached = this.workspaces.peek(key);
    if (cached) return cached.usableByAll ?? usableIn(cached, caller);
    return this.workspaces.find(key).then((found) => found?.usableByAll ?? (found ? usableIn(found, caller) : NONE));
  }

  /** The current text of one of them; undefined where it no longer exists. */
  async reveal(caller: Caller, id: string): Promise<Secret | undefined> {
    const credentials = await this.workspaces.find(keyOf(caller));
    const cached = credentials?.all.find(({ stored }) => stored.id === id);
    return cached && isFor(cached, caller) ? cached.secret : undefined;
  }

  /** The known state of one of them; undefined where it no longer exists. */
  async stateOf(caller: Caller, id: string): Promise<CredentialState | undefined> {
    const credentials = await this.workspaces.find(keyOf(caller));
    return credentials?.all.find(({ stored }) => stored.id === id)?.state;
  }

  /** Must be called after a change is committed: the cache of its workspace is invalidated. */
  forget(row: CredentialOwner): void {
    this.workspaces.forget(keyOf(row));
  }

  private async load(key: string): Promise<WorkspaceCredentials> {
    const [accountId, workspaceId] = key.split(' ') as [string, string];
    const rows = await this.list(accountId, workspaceId);
    const all = await Promise.all(rows.map(async (row) => toCached(row, await this.open(row))));
    const isForAll = all.every(({ keyHashes, userIds }) => !keyHashes && !userIds);
    return { all, usableByAll: isForAll ? storedOf(all) : undefined };
  }

  private async list(accountId: string, workspaceId: string): Promise<ProviderCredentialEntity[]> {
    try {
      return await withinTime(this.credentials.listEnabled(accountId, workspaceId));
    } catch (error) {
      this.logger.warn('Provider credentials cannot be looked up.', error);
      throw notReadable('The provider credentials', error);
    }
  }

  private async open(row: ProviderCredentialEntity): Promise<Secret | undefined> {
    const opening = await this.opener.open(row);
    if (opening.status === 'ok') return opening.secret;
    this.report(row, opening);
    return undefined;
  }

  private report(row: ProviderCredentialEntity, { status, cause }: Exclude<Opening, { readonly status: 'ok' }>): void {
    if (this.repeated.admit(`${row.id} ${status}`) === undefined) return;
    const message = `The provider credential ${nameInLog(row)} cannot be used`;
    if (status === 'undecryptable') this.logger.error(`${message}: it cannot be decrypted.`, cause);
    else this.logger.warn(`${message}: the key service does not answer.`, cause);
  }
}

const NONE: readonly never[] = [];

/** The owner of a credential. */
type CredentialOwner = Pick<ProviderCredentialEntity, 'accountId' | 'workspaceId'>;

const keyOf = ({ accountId, workspaceId }: CredentialOwner): string => `${accountId} ${workspaceId}`;

function toCached(row: ProviderCredentialEntity, secret: Secret | undefined): CachedCredential {
  return {
    stored: {
      id: row.id,
      label: row.label,
      provider: row.provider,
      isFallback: row.isFallback,
      sortOrder: row.sortOrder,
      ...(row.allowedModels && { allowedModels: row.allowedModels }),
      ...((row.isRequired || row.isByokOnly) && { replacesShared: true }),
    },
    state: {
      row: { accountId: row.accountId, id: row.id, wrappedKey: row.wrappedKey },
      changedAtMs: (row.updatedAt ?? row.createdAt).getTime(),
      status: row.status,
      reason: row.statusReason,
      writtenAtMs: 0,
      usedAtMs: row.lastUsedAt?.getTime() ?? 0,
    },
    secret,
    keyHashes: row.allowedApiKeyHashes ? new Set(row.allowedApiKeyHashes) : undefined,
    userIds: row.allowedUserIds ? new Set(row.allowedUserIds) : undefined,
  };
}

const usableIn = ({ all }: WorkspaceCredentials, caller: Caller): readonly StoredCredential[] =>
  storedOf(all.filter((cached) => isFor(cached, caller)));

const storedOf = (cached: readonly CachedCredential[]): readonly StoredCredential[] =>
  cached.filter(({ secret, stored }) => secret || stored.replacesShared).map(({ stored }) => stored);

/** A key without user is on no list of users. */
const isFor = ({ keyHashes, userIds }: CachedCredential, { keyHash, userId }: Caller): boolean =>
  (!keyHashes || keyHashes.has(keyHash)) && (!userIds || (userId !== null && userIds.has(userId)));
