import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../../accounts/account-directory.js';
import { GatewayError } from '../../core/errors.js';
import { hashKey } from '../../core/ids.js';
import { Clock } from '../../core/time.js';
import { AuthenticationGuard } from '../../keys/authentication.guard.js';
import { KeylessRequests } from '../../rate-limits/keyless-requests.js';
import { Environment } from '../../shared/environment.js';
import { FairSlots } from '../../shared/queues/fair-slots.js';
import { ConsoleSessionsService, type OpenedSession, type SignInFrom } from '../console-sessions.service.js';
import { rightsOf } from './groups.js';
import { Issuer, type Identity } from './issuer.js';
import { Persons } from './persons.js';
import { beginSignOn, readSignOn } from './sign-on-state.js';

const TOKEN_BYTES = 32;
/** Concurrent sign-ins at the issuer, of this process and of one address. Chosen: they are rare and take a second. */
const SLOTS = { slots: 16, slotsPerKey: 4, firstSlots: 16, waiting: 64, waitingPerKey: 16, waitMs: 10_000 };
const NOT_BEGUN =
  'This sign-in was not begun in this browser, or more than ten minutes ago, or it is done. Begin it again.';

/** A sign-in that has begun. */
export interface BegunSignOn {
  /** The issuer's page at which the browser signs in. */
  readonly url: string;
  /** For the cookie of the browser. */
  readonly token: string;
}

/** Signs people in to the console by the issuer of the settings (docs/operate/sign-in.md). */
@Injectable()
export class SignOnService {
  private readonly slots = new FairSlots(SLOTS);

  constructor(
    private readonly issuer: Issuer,
    private readonly persons: Persons,
    private readonly sessions: ConsoleSessionsService,
    private readonly accounts: AccountDirectory,
    private readonly guard: AuthenticationGuard,
    private readonly keyless: KeylessRequests,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * @param known the token of the browser, if it has one: its windows share it
   * @throws GatewayError `not-found` without an issuer, `rate-limited`, `service-unavailable`
   */
  async begin(redirectUri: string, known: string | undefined, { address }: SignInFrom): Promise<BegunSignOn> {
    const token = known ?? randomBytes(TOKEN_BYTES).toString('base64url');
    const secrets = beginSignOn(token, this.clock.now());
    return { token, url: await this.atIssuer(address, () => this.issuer.signInAddress(redirectUri, secrets)) };
  }

  /**
   * @param answer the address that the issuer led the browser to, with all parameters
   * @param token of the browser
   * @throws GatewayError `unauthenticated`, `forbidden`, `not-found`, `rate-limited`, `service-unavailable`
   */
  async finish(answer: URL, token: string | undefined, from: SignInFrom): Promise<OpenedSession> {
    const state = answer.searchParams.get('state') ?? '';
    const secrets = token === undefined ? undefined : readSignOn(token, state, this.clock.now());
    if (!secrets) return this.guard.fail(from.address, NOT_BEGUN);
    const identity = await this.atIssuer(from.address, () => this.issuer.identify(answer, secrets));
    const rights = identity.groups && rightsOf(this.environment, identity.groups);
    if (!rights) throw this.noGroup(identity);
    const { issuer, subject, name } = identity;
    const person = { issuer, subject, name, group: rights.group };
    const { accountId } = await this.accounts.findDefault();
    const caller = await this.persons.find(accountId, person);
    if (!caller) throw noWorkspace(rights.workspace!);
    const session = await this.sessions.openForPerson(caller, person, from, hashKey(state));
    return session ?? this.guard.fail(from.address, NOT_BEGUN);
  }

  /** Strangers reach the issuer through this gateway as often as they may fail to authenticate, and few at a time. */
  private async atIssuer<Result>(address: string | undefined, request: () => Promise<Result>): Promise<Result> {
    if (this.issuer.host === undefined)
      throw new GatewayError('not-found', 'There is no issuer to sign in by: FAIRLEAD_OIDC_ISSUER is not set.');
    await this.keyless.admit(address);
    const leave = await this.slots.enter(address ?? '', NEVER);
    if (!leave) throw new GatewayError('service-unavailable', 'Too many sign in at this moment. Try again.');
    try {
      return await request();
    } finally {
      leave();
    }
  }

  private noGroup({ name, groups }: Identity): GatewayError {
    const who = `${this.issuer.host} knows you as ${name}`;
    return new GatewayError(
      'forbidden',
      groups === undefined
        ? `${who}, but names no groups. Its administrator adds a claim groups to the ID token or the user information.`
        : `${who}, in none of the groups that may open this console. Ask for one of them, or have one of yours added ` +
            'to FAIRLEAD_OIDC_ADMIN_GROUPS or FAIRLEAD_OIDC_WORKSPACE_GROUPS.',
    );
  }
}

const NEVER = new AbortController().signal;

const noWorkspace = (workspace: string): GatewayError =>
  new GatewayError(
    'forbidden',
    `Your group belongs to the workspace ${workspace}, which does not exist: correct FAIRLEAD_OIDC_WORKSPACE_GROUPS.`,
  );
