import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration, Provider } from 'oidc-provider';

export const CLIENT_ID = 'the-console';
export const CLIENT_SECRET = 'a-secret-of-the-console-0123456789';

/** Who can sign in at the issuer, by login. */
export type People = Readonly<Record<string, { readonly name: string; readonly groups?: unknown }>>;

/** A real issuer, `oidc-provider`, on a loopback port. Its pages take any password. */
export interface OidcIssuer {
  readonly issuer: string;
  /** Variables of a gateway that uses it. */
  readonly variables: NodeJS.ProcessEnv;
  /** Paths that were requested of it, without parameters. */
  readonly requested: string[];
  /** To be called once, when the address of the gateway is known: it redirects browsers there. */
  trust(gateway: string): void;
  close(): Promise<void>;
}

interface IssuerOptions {
  readonly people: People;
  /** Whether the ID token has all claims; else the user information has. */
  readonly hasFullTokens?: boolean;
}

export async function startOidcIssuer({ people, hasFullTokens = true }: IssuerOptions): Promise<OidcIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provide = await quietly(async () => (await import('oidc-provider')).Provider);
  const requested: string[] = [];
  server.on('request', (request) => void requested.push(request.url!.split('?')[0]!));
  return {
    issuer,
    requested,
    variables: {
      FAIRLEAD_OIDC_ISSUER: issuer,
      FAIRLEAD_OIDC_CLIENT_ID: CLIENT_ID,
      FAIRLEAD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    },
    trust: (gateway) => {
      const configuration = configurationOf(people, [`${gateway}/console/oidc`], hasFullTokens);
      const provider = quietly((): Provider => new provide(issuer, configuration));
      const answer = provider.callback();
      server.on('request', (request, response) => void answer(request, response));
    },
    close: () => closed(server),
  };
}

const configurationOf = (people: People, redirects: readonly string[], hasFullTokens: boolean): Configuration => ({
  clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [...redirects] }],
  scopes: ['openid', 'profile', 'groups'],
  claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
  conformIdTokenClaims: !hasFullTokens,
  pkce: { required: () => true },
  cookies: { keys: ['keys of the issuer in a test'] },
  // The library writes a line for each of its own values.
  ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
  // No person needs to consent.
  loadExistingGrant: async (context) => {
    const { client, session } = context.oidc;
    const grant = new context.oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
    grant.addOIDCScope('openid profile groups');
    await grant.save();
    return grant;
  },
});

/** Without its warnings: that keys and store are for tests, and that it wants a newer Node. */
function quietly<Result>(work: () => Result): Result {
  const warn = jest.spyOn(console, 'warn').mockReturnValue(undefined);
  const done = (): void => warn.mockRestore();
  try {
    const result = work();
    if (result instanceof Promise) void result.finally(done);
    else done();
    return result;
  } catch (error) {
    done();
    throw error;
  }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Signs in at the issuer, as a browser does.
 * @param url to which the gateway redirects the browser
 * @returns the address to which the issuer redirects it back
 */
export async function signInAtIssuer(url: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(url);
  let next = new URL(url);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 10; step++) {
    const reply: Response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const location = reply.headers.get('location');
    if (location !== null) {
      next = new URL(location, next);
      form = undefined;
      if (next.origin !== origin) return next;
    } else if (reply.status === 200 && !form) form = new URLSearchParams({ prompt: 'login', login, password: 'any' });
    else throw new Error(`${reply.status} ${await reply.text()}`);
  }
  throw new Error('The issuer leads nowhere.');
}
