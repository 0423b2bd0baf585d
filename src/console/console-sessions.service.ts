import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { hashKey } from '../core/ids.js';
import { Clock, MINUTE_MS } from '../core/time.js';
import { secretOf, type ActiveKey } from '../keys/active-key.js';
import { AuthenticationGuard } from '../keys/authentication.guard.js';
import { INACTIVE_KEY } from '../keys/key-refusals.js';
import { ManagedChanges } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import { systemCode } from '../shared/database/system-code.js';
import { isKeyHash } from '../shared/http/field-patterns.js';
import type { Page } from '../shared/http/page.dto.js';
import type { ConsoleSessionEntity, SignedInPerson } from './console-session.entity.js';
import { ConsoleSessionsRepository, SESSION_MS_MAX, type SessionOwner } from './console-sessions.repository.js';
import { viewTerms } from './session-view.js';

/** Token length; only its hash is stored. */
const TOKEN_BYTES = 32;
/** SQLSTATE. */
const UNIQUE_VIOLATION = '23505';
const LINK_MS_MAX = 15 * MINUTE_MS;
const DEAD_LINK = 'This link has been used, or its time is over. Sign in with a management key.';

/** Sessions as the audit log shows them. */
const CONSOLE_SESSION = new ManagedKind<ConsoleSessionEntity>('console_session', (session) => ({
  target: session.id,
  view: viewTerms(session),
}));

/** A new session, with its token: the only moment at which that is known. */
export interface OpenedSession {
  readonly token: string;
  readonly session: ConsoleSessionEntity;
}

/** Origin of a sign-in. */
export interface SignInFrom {
  readonly address: string | undefined;
  /** Browser and system. */
  readonly label: string;
}

/** The owner of a session, as its row has it. */
type OwnerColumns = Pick<ConsoleSessionEntity, 'keyHash' | 'secretHash' | 'personId' | 'person' | 'signIn'>;

/**
 * Signs callers in to the console, and manages their sessions. A session belongs to the key that it acts by, or to a
 * person whose rights follow from the settings.
 */
@Injectable()
export class ConsoleSessionsService {
  constructor(
    private readonly sessions: ConsoleSessionsRepository,
    private readonly guard: AuthenticationGuard,
    private readonly changes: ManagedChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError `unauthenticated`, `forbidden` for an inference key, `rate-limited` */
  async signIn(key: string, from: SignInFrom): Promise<OpenedSession> {
    // The key of a header has no blanks at its ends either.
    return this.open(await this.guard.authenticate(from.address, hashKey(key.trim()), INACTIVE_KEY), from, undefined);
  }

  /** @throws GatewayError `unauthenticated`, `rate-limited` */
  async signInByLink(token: string, from: SignInFrom): Promise<OpenedSession> {
    const link = hashKey(token);
    const known = await this.sessions.findLink(link, this.now());
    if (!known) return this.guard.fail(from.address, DEAD_LINK);
    return this.open(await this.guard.authenticate(from.address, known.keyHash, DEAD_LINK), from, link);
  }

  /**
   * @param signIn hash of the state of the sign-in
   * @returns undefined where that has opened a session before
   */
  async openForPerson(
    caller: Caller,
    person: SignedInPerson,
    from: SignInFrom,
    signIn: string,
  ): Promise<OpenedSession | undefined> {
    const owner = { keyHash: null, secretHash: null, personId: caller.keyHash, person, signIn };
    try {
      return await this.insert(
        caller,
        from,
        owner,
        async (manager) => !(await this.sessions.hasSignIn(manager, signIn)),
      );
    } catch (error) {
      // Another process has used the sign-in first.
      if (systemCode(error) === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
  }

  /** A link for the first start: its token signs in once. @param keyHash of a management key */
  async makeLink(keyHash: string): Promise<string> {
    const token = newToken();
    const expiresAt = new Date(this.clock.now() + LINK_MS_MAX);
    await this.sessions.insertLink({ id: hashKey(token), keyHash, expiresAt });
    return token;
  }

  /** Sessions in force within reach, the newest first, with the total number. */
  list(caller: Caller, page: Page): Promise<[ConsoleSessionEntity[], number]> {
    return this.sessions.list(ownerFor(caller), this.now(), page);
  }

  /** @throws GatewayError `not-found` */
  async get(id: string | undefined): Promise<ConsoleSessionEntity> {
    const session = id === undefined ? null : await this.sessions.find(id, this.now());
    if (!session) throw noSuchSession();
    return session;
  }

  /** Ends a session within reach. @throws GatewayError `not-found` */
  async end(caller: Caller, id: string | undefined): Promise<void> {
    await this.changes.run(caller, async (manager, at) => {
      const session =
        id !== undefined && isKeyHash(id) ? await this.sessions.revoke(manager, ownerFor(caller), id, at) : undefined;
      if (!session) throw noSuchSession();
      return { result: undefined, entries: [CONSOLE_SESSION.entry('end', session, { before: viewTerms(session) })] };
    });
  }

  /** @param link that is used up by it */
  private async open({ caller }: ActiveKey, from: SignInFrom, link: string | undefined): Promise<OpenedSession> {
    const owner = {
      keyHash: caller.keyHash,
      secretHash: secretOf(caller),
      personId: null,
      person: null,
      signIn: null,
    };
    const opened = await this.insert(
      caller,
      from,
      owner,
      async (manager) => link === undefined || (await this.sessions.takeLink(manager, link)),
    );
    if (!opened) throw new GatewayError('unauthenticated', DEAD_LINK);
    return opened;
  }

  /** @param mayOpen judged within the change: where it may not, nothing is opened */
  private async insert(
    caller: Caller,
    { label }: SignInFrom,
    owner: OwnerColumns,
    mayOpen: (manager: EntityManager) => Promise<boolean>,
  ): Promise<OpenedSession | undefined> {
    const token = newToken();
    const session = await this.changes.run<ConsoleSessionEntity | undefined>(caller, async (manager, at) => {
      if (!(await mayOpen(manager))) return { result: undefined, entries: [] };
      const row = await this.sessions.insert(manager, {
        id: hashKey(token),
        accountId: caller.accountId,
        ...owner,
        label,
        createdAt: at,
        lastSeenAt: at,
        expiresAt: new Date(at.getTime() + SESSION_MS_MAX),
        revokedAt: null,
      });
      return { result: row, entries: [CONSOLE_SESSION.created(row)] };
    });
    return session && { token, session };
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}

/** A caller that is bound to a workspace can manage only the sessions of the same key or person. */
function ownerFor({ accountId, boundTo, keyHash, person }: Caller): SessionOwner {
  if (boundTo === undefined) return { accountId };
  return person ? { accountId, personId: keyHash } : { accountId, keyHash };
}

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const noSuchSession = (): GatewayError => new GatewayError('not-found', 'There is no such session of the console.');
