import { Injectable, Logger } from '@nestjs/common';
import * as oidc from 'openid-client';
import { GatewayError } from '../../core/errors.js';
import { Clock, HOUR_MS } from '../../core/time.js';
import { Environment } from '../../shared/environment.js';
import { ForwardProxies } from '../../shared/http/client/forward-proxies.js';
import { readGroups } from './groups.js';
import { issuerFetch, IssuerUnreachable } from './issuer-fetch.js';
import type { SignOnSecrets } from './sign-on-state.js';

/** Time for which the discovery document is cached. Keys are read again when one is unknown. */
const DISCOVERY_MS_MAX = HOUR_MS;
const TOLERANCE_SECONDS = 30;
/** Scopes besides `openid`, where the issuer has them: some refuse unknown ones. */
const SCOPES = ['profile', 'email', 'groups'];
const SUBJECT_LENGTH_MAX = 255;
const NAME_LENGTH_MAX = 200;
const NAME_CLAIMS = ['name', 'preferred_username', 'email'] as const;
const SIGN_IN_OTHERWISE = 'Try again, or sign in with a management key.';

/** The user who signed in at the issuer. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Undefined: the issuer names none. */
  readonly groups: readonly string[] | undefined;
}

/** A client of the issuer, as long as its discovery document is used. */
interface CachedConfiguration {
  readonly client: Promise<oidc.Configuration>;
  readonly untilMs: number;
}

/**
 * The issuer of OpenID Connect of the settings. It is called when a person signs in, and never at the start: while it
 * does not answer, all else works.
 */
@Injectable()
export class Issuer {
  private readonly logger = new Logger('console');
  private readonly fetch: oidc.CustomFetch;
  private known: CachedConfiguration | undefined;

  constructor(
    private readonly environment: Environment,
    proxies: ForwardProxies,
    private readonly clock: Clock,
  ) {
    this.fetch = issuerFetch(proxies);
  }

  /** The host of the issuer, for readers; undefined where the settings name none. */
  get host(): string | undefined {
    const { oidcIssuer } = this.environment;
    return oidcIssuer === undefined ? undefined : new URL(oidcIssuer).host;
  }

  /** The address at which a person signs in. @throws GatewayError `service-unavailable` */
  async signInAddress(redirectUri: string, { state, nonce, verifier }: SignOnSecrets): Promise<string> {
    return this.ask(async () => {
      const client = await this.client();
      const { scopes_supported: supported = ['profile'] } = client.serverMetadata();
      const address = oidc.buildAuthorizationUrl(client, {
        redirect_uri: redirectUri,
        scope: ['openid', ...SCOPES.filter((scope) => supported.includes(scope))].join(' '),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return address.href;
    });
  }

  /**
   * The user who signed in, by the issuer's answer: its code is redeemed, and the ID token is checked, with its
   * signature.
   * @param answer the redirect address with the parameters of the answer
   * @throws GatewayError `service-unavailable`, `unauthenticated`
   */
  async identify(answer: URL, { state, nonce, verifier }: SignOnSecrets): Promise<Identity> {
    return this.ask(async () => {
      const client = await this.client();
      const tokens = await oidc.authorizationCodeGrant(client, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      // There is one: it was expected.
      const claims = tokens.claims()!;
      const groups = readGroups(claims['groups']);
      const more: Readonly<Record<string, unknown>> =
        groups === undefined && client.serverMetadata().userinfo_endpoint !== undefined
          ? await oidc.fetchUserInfo(client, tokens.access_token, claims.sub)
          : {};
      return this.identityOf(claims.sub, { ...more, ...claims }, groups ?? readGroups(more['groups']));
    });
  }

  private identityOf(
    subject: string,
    claims: Readonly<Record<string, unknown>>,
    groups: readonly string[] | undefined,
  ): Identity {
    if (subject.length > SUBJECT_LENGTH_MAX) throw notAccepted('a subject that is too long');
    const named = NAME_CLAIMS.flatMap((name) => claims[name] ?? []).find(isText) ?? subject;
    // oxlint-disable-next-line no-control-regex -- the expression searches control characters
    const name = named.replaceAll(/[\u0000-\u001f\u007f]/g, ' ');
    return { issuer: this.environment.oidcIssuer!, subject, name: name.trim().slice(0, NAME_LENGTH_MAX), groups };
  }

  /** The client, by the discovery document of the last hour; those who need it at once share one request. */
  private client(): Promise<oidc.Configuration> {
    const now = this.clock.now();
    if (this.known && now < this.known.untilMs) return this.known.client;
    const known = { client: this.discover(), untilMs: now + DISCOVERY_MS_MAX };
    this.known = known;
    known.client.catch(() => {
      if (this.known === known) this.known = undefined;
    });
    return known.client;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.environment;
    const server = new URL(oidcIssuer!);
    // Without TLS it is an address of this machine, by the settings.
    const prepare = server.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
    const found = await oidc.discovery(server, oidcClientId!, undefined, oidc.None(), {
      [oidc.customFetch]: this.fetch,
      execute: prepare,
    });
    const metadata = found.serverMetadata();
    const client = new oidc.Configuration(
      metadata,
      oidcClientId!,
      { [oidc.clockTolerance]: TOLERANCE_SECONDS },
      clientAuth(oidcClientSecret?.reveal(), metadata.token_endpoint_auth_methods_supported),
    );
    client[oidc.customFetch] = this.fetch;
    for (const allow of prepare) allow(client);
    oidc.enableNonRepudiationChecks(client);
    return client;
  }

  private async ask<Result>(request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      const fault = readFault(error);
      // Errors of the library contain tokens.
      this.logger.warn(`A sign-in by the issuer failed: ${fault.reason}.`);
      throw fault.isSilence ? this.silent() : notAccepted(fault.reason);
    }
  }

  private silent(): GatewayError {
    return new GatewayError('service-unavailable', `${this.host} does not answer as an issuer. ${SIGN_IN_OTHERWISE}`);
  }
}

const notAccepted = (reason: string): GatewayError =>
  new GatewayError('unauthenticated', `The answer of the issuer is not accepted: ${reason}. ${SIGN_IN_OTHERWISE}`);

/** A method of authentication that the issuer states; by default `client_secret_basic`. */
function clientAuth(secret: string | undefined, methods = ['client_secret_basic']): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  return methods.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

interface Fault {
  /** Words of the protocol or of the library: of a closed list or without blanks, and short. */
  readonly reason: string;
  /** Whether there was no answer of an issuer. */
  readonly isSilence: boolean;
}

const PROTOCOL_WORD = /^[\w.-]{1,64}$/;

function readFault(error: unknown): Fault {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof IssuerUnreachable) return { reason: cause.message, isSilence: true };
    if (cause instanceof oidc.AuthorizationResponseError || cause instanceof oidc.ResponseBodyError)
      return { reason: PROTOCOL_WORD.test(cause.error) ? cause.error : 'an unknown error', isSilence: false };
  }
  const { code } = error as { readonly code?: unknown };
  const reason = typeof code === 'string' && PROTOCOL_WORD.test(code) ? code : 'it is malformed';
  return { reason, isSilence: reason === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || reason === 'OAUTH_RESPONSE_IS_NOT_JSON' };
}
