import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLIENT_ID, CLIENT_SECRET } from './oidc-issuer.js';

const MADE = generateKeyPairSync('rsa', { modulusLength: 2048 });
const FOREIGN = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY_ID = 'the key';

export type Claims = Readonly<Record<string, unknown>>;

/** How a token is signed: as it should be, or not. */
export const SIGNERS = {
  good: (content: string) => rs256(MADE.privateKey, content),
  foreign: (content: string) => rs256(FOREIGN.privateKey, content),
  none: () => '',
  /** With what both parties know. */
  secret: (content: string) => createHmac('sha256', CLIENT_SECRET).update(content).digest('base64url'),
} as const;

/** An ID token to be answered with. Undefined claims are absent. */
export interface ForgedToken {
  readonly claims?: Claims;
  /** When it expires; absent: in a minute. */
  readonly endsInSeconds?: number;
  readonly header?: Claims;
  readonly signer?: keyof typeof SIGNERS;
}

/** An issuer that answers whatever a test wants. */
export interface ForgingIssuer {
  readonly issuer: string;
  readonly requested: string[];
  /** The next ID token, for a sign-in with this nonce. */
  forge(nonce: string, token: ForgedToken): void;
  /** Replaces an answer of a path; undefined: as usual. */
  answer: ((path: string, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

export async function startForgingIssuer(): Promise<ForgingIssuer> {
  let idToken = '';
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.split('?')[0]!;
    forging.requested.push(path);
    if (forging.answer?.(path, response)) return;
    const bodies: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': metadataOf(issuer),
      '/jwks': { keys: [{ ...MADE.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
      '/token': { access_token: 'an access token', token_type: 'Bearer', expires_in: 60, id_token: idToken },
    };
    response.writeHead(bodies[path] ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(bodies[path] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forging: ForgingIssuer = {
    issuer,
    requested: [],
    answer: undefined,
    forge: (nonce, token) => void (idToken = printToken(issuer, nonce, token)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return forging;
}

/** A discovery document. It admits `none`, as some issuers do. */
export const metadataOf = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
});

function printToken(
  issuer: string,
  nonce: string,
  { claims, header, signer = 'good', endsInSeconds = 60 }: ForgedToken,
): string {
  const now = Math.floor(Date.now() / 1_000);
  const usual = {
    iss: issuer,
    sub: 'mallory',
    aud: CLIENT_ID,
    nonce,
    iat: now,
    exp: now + endsInSeconds,
    groups: ['admins'],
  };
  const content = [
    { alg: 'RS256', kid: KEY_ID, ...header },
    { ...usual, ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${SIGNERS[signer](content)}`;
}

const rs256 = (key: KeyObject, content: string): string =>
  sign('sha256', Buffer.from(content), key).toString('base64url');
