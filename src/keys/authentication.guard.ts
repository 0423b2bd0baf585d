import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Caller, KeyKind } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import { FailedAuthentications } from '../rate-limits/failed-authentications.js';
import { KeylessRequests } from '../rate-limits/keyless-requests.js';
import { Environment } from '../shared/environment.js';
import type { CallerValidity } from '../shared/http/caller-validity.js';
import { workspaceKeyUseOf } from '../shared/http/workspace-key-uses.js';
import { errorFamily } from '../shared/http/error-views.js';
import { ACCEPTS, OPEN, OPEN_WITH_CATALOG, type AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { secretOf, type ActiveKey } from './active-key.js';
import { KeyCache } from './key-cache.js';
import {
  ENDED_SESSION,
  expiredKeyMessage,
  FOREIGN_CHANGE,
  INACTIVE_KEY,
  missingKeyMessage,
  unknownKeyMessage,
} from './key-refusals.js';
import { isOfConsole, readPresentedSession, SessionCallers, type LiveSession } from './presented-session.js';

const SCHEME = 'bearer ';

/** The error message for a key of the wrong kind, by the kind that the route accepts. */
const WRONG_KIND: Readonly<Record<KeyKind, string>> = {
  management: 'Only management keys can perform this operation',
  inference: 'Management keys cannot call inference; use an inference key',
};

/** The error message for a key that is bound to a workspace. */
const BOUND_KEY =
  'This management key is bound to a workspace; only a management key of the account can perform this operation';

interface RouteAccess {
  readonly isOpen: boolean;
  /** Needs no key; a presented one is checked. */
  readonly isOptional: boolean;
  readonly accepts: KeyKind | undefined;
  /** Whether management keys that are bound to a workspace may call it. */
  readonly isForBound: boolean;
}

/**
 * Guards every route: lets a request pass with an active key of the right kind, or where the route is open. Decides at
 * once while the key is cached. Nothing else is done for unknown keys, and from an address that guesses keys they are
 * looked up slowly.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate, CallerValidity {
  private readonly accessByRoute = new Map<unknown, RouteAccess>();

  constructor(
    private readonly reflector: Reflector,
    private readonly keys: KeyCache,
    private readonly failures: FailedAuthentications,
    private readonly keyless: KeylessRequests,
    private readonly clock: Clock,
    private readonly environment: Environment,
    /** Absent where the console is off. */
    @Optional() private readonly sessions?: SessionCallers,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.accessByRoute.get(context.getHandler()) ?? this.readRouteAccess(context);
    if (access.isOpen) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const keyHash = readPresentedKey(request.headers);
    if (keyHash === undefined) return this.judgeKeyless(request, access);
    const cached = this.keys.peek(keyHash);
    return cached === undefined ? this.ask(request, keyHash, access) : this.judge(request, cached, access);
  }

  refusalOf(caller: Caller): GatewayError | undefined {
    // Sessions are judged as a request begins.
    if (caller.person) return undefined;
    const keyHash = secretOf(caller);
    const cached = this.keys.peek(keyHash);
    if (cached === undefined) {
      // If the store does not answer, requests under way may continue, although a new one would be refused.
      this.keys.find(keyHash).catch(() => undefined);
      return undefined;
    }
    return this.isGood(cached) ? undefined : new GatewayError('unauthenticated', endedMessage(cached));
  }

  /** The access that the route's decorators specify; looked up once a route, because they never change. */
  private readRouteAccess(context: ExecutionContext): RouteAccess {
    const handler = context.getHandler();
    const decorated = [handler, context.getClass()];
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const route = request.route as { readonly path: string };
    const access = {
      isOpen: this.reflector.getAllAndOverride<boolean | undefined>(OPEN, decorated) ?? false,
      isOptional:
        this.environment.publicCatalog === 'on' &&
        (this.reflector.getAllAndOverride<boolean | undefined>(OPEN_WITH_CATALOG, decorated) ?? false),
      accepts: this.reflector.getAllAndOverride<KeyKind | undefined>(ACCEPTS, decorated),
      isForBound: workspaceKeyUseOf(request.method, route.path) === 'own workspace',
    };
    this.accessByRoute.set(handler, access);
    return access;
  }

  /** A request without a key may present a session of the console. Inference never reads it. */
  private judgeKeyless(request: AuthenticatedRequest, access: RouteAccess): Promise<boolean> {
    const session = this.sessions && access.accepts !== 'inference' ? readPresentedSession(request.headers) : undefined;
    if (session !== undefined) return this.askSession(request, session, access);
    return access.isOptional ? this.keyless.admit(request.ip) : this.refuse(request, missingMessage(request));
  }

  /** The caller of a session is that of its key, or a person: routes do not know the difference. */
  private async askSession(request: AuthenticatedRequest, id: string, access: RouteAccess): Promise<boolean> {
    // Caches do not keep replies to an authorization header, but those to a cookie: also after its session has ended.
    request.res!.setHeader('Cache-Control', 'no-store');
    if (!isOfConsole(request.method, request.headers)) throw new GatewayError('forbidden', FOREIGN_CHANGE);
    const session = await this.failures.lookUp(request.ip, id, () => this.sessions!.find(id));
    const key = session && (await this.keyOf(session));
    if (!this.isGood(key)) return this.refuse(request, ENDED_SESSION);
    return this.judge(request, { ...key, caller: { ...key.caller, sessionId: id } }, access);
  }

  /** The key of a session, or the caller of a session without a key. */
  private keyOf(session: LiveSession): ActiveKey | Promise<ActiveKey | null> {
    return 'caller' in session ? { caller: session.caller, expiresAtMs: null } : this.keys.find(session.secretHash);
  }

  private async ask(request: AuthenticatedRequest, keyHash: string, access: RouteAccess): Promise<boolean> {
    return this.judge(request, await this.lookUp(request.ip, keyHash), access);
  }

  /** @throws GatewayError `rate-limited` where many keys were guessed from this address */
  private lookUp(address: string | undefined, keyHash: string): Promise<ActiveKey | null> {
    const find = (): Promise<ActiveKey | null> => this.keys.find(keyHash);
    // A key that was valid at its last look-up is no guess: it does not wait behind guesses.
    return this.keys.wasKnown(keyHash) ? find() : this.failures.lookUp(address, keyHash, find);
  }

  /**
   * The management key of this hash, presented elsewhere than in the headers of a request. Guesses count as anywhere.
   * @param refusal the message where it is none
   * @throws GatewayError `unauthenticated`, `forbidden`, `rate-limited`
   */
  async authenticate(address: string | undefined, keyHash: string, refusal: string): Promise<ActiveKey> {
    const key = await this.lookUp(address, keyHash);
    if (!this.isGood(key)) return this.fail(address, refusal);
    if (key.caller.kind !== 'management') throw new GatewayError('forbidden', WRONG_KIND.management);
    return key;
  }

  /** Counts a failure at the address. @throws GatewayError `unauthenticated`, or `rate-limited` past the limit */
  async fail(address: string | undefined, message: string): Promise<never> {
    await this.failures.record(address);
    throw new GatewayError('unauthenticated', message);
  }

  private judge(request: AuthenticatedRequest, key: ActiveKey | null, access: RouteAccess): boolean | Promise<boolean> {
    if (!this.isGood(key)) return this.refuse(request, key ? endedMessage(key) : unknownMessage(request));
    if (key.caller.kind === 'management') assertMayManage(key.caller, access);
    else if (access.accepts === 'management') throw new GatewayError('forbidden', WRONG_KIND.management);
    request.caller = key.caller;
    return true;
  }

  private isGood(key: ActiveKey | null): key is ActiveKey {
    return key !== null && (key.expiresAtMs === null || this.clock.now() < key.expiresAtMs);
  }

  private refuse(request: AuthenticatedRequest, message: string): Promise<never> {
    return this.fail(request.ip, message);
  }
}

function assertMayManage({ boundTo }: Caller, { accepts, isForBound }: RouteAccess): void {
  if (accepts === 'inference') throw new GatewayError('forbidden', WRONG_KIND.inference);
  if (boundTo !== undefined && !isForBound) throw new GatewayError('forbidden', BOUND_KEY);
}

const missingMessage = ({ path, headers }: AuthenticatedRequest): string =>
  missingKeyMessage(errorFamily(path), headers.authorization);

/** A key that was active when it was last read, and has ended since; null: it is no longer active. */
const endedMessage = (key: ActiveKey | null): string =>
  key?.expiresAtMs ? expiredKeyMessage(key.expiresAtMs) : INACTIVE_KEY;

const unknownMessage = ({ headers }: AuthenticatedRequest): string => unknownKeyMessage(presentedKey(headers));

/**
 * The hash of the key that a request presents; the key itself is used for nothing else. Of both headers `x-api-key`
 * wins (docs/use/conventions.md#sending-the-key); an empty one counts as absent.
 * @returns undefined when the request presents none
 */
export function readPresentedKey(headers: IncomingHttpHeaders): string | undefined {
  const presented = presentedKey(headers);
  // Node decodes header bytes as latin1. Hashed as the original bytes, a non-ASCII key has the hash it is stored by.
  return presented === '' ? undefined : hash('sha256', Buffer.from(presented, 'latin1'), 'hex');
}

/** Empty where there is none. */
function presentedKey({ 'x-api-key': apiKey, authorization = '' }: IncomingHttpHeaders): string {
  if (typeof apiKey === 'string' && apiKey !== '') return apiKey;
  const isBearer = authorization.slice(0, SCHEME.length).toLowerCase() === SCHEME;
  return isBearer ? authorization.slice(SCHEME.length).trim() : '';
}
