import { sign } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Clock } from '../../core/time.js';
import type { Transport } from '../transport/transport.js';
import type { AccessToken } from './access-tokens.js';
import { refused } from './credential-members.js';
import type { ExternalAccount, ServiceAccount } from './google-credential.js';
import { readRsaKey } from './rsa-key.js';
import { askTokenService, form, isHeaderSafe, liveToken, readOauthToken, readTokenReply } from './token-service.js';
import { namedAddress, VENDOR_HOSTS } from './vendor-hosts.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Longest lifetime of an assertion, in seconds (RFC 7523, with Google's limit). */
const ASSERTION_S = 3_600;
const FILE_BYTES_MAX = 64 * 1024;

const signed = promisify(sign);
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Fetches the tokens for calls to Google's cloud. */
export class GoogleTokens {
  constructor(
    private readonly transport: Pick<Transport, 'open'>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param isCallers the credential is a caller's: no file is read for it, and its addresses are guarded
   * @throws ProviderFault
   */
  fetch(account: ServiceAccount | ExternalAccount, isCallers: boolean): Promise<AccessToken> {
    return account.type === 'service-account'
      ? this.ofServiceAccount(account, isCallers)
      : this.ofExternalAccount(account, isCallers);
  }

  private async ofServiceAccount(account: ServiceAccount, isCallers: boolean): Promise<AccessToken> {
    const requestedAtMs = this.clock.now();
    const assertion = await signAssertion(account, Math.floor(requestedAtMs / 1_000));
    const answer = await askTokenService(this.transport, {
      address: namedAddress(account.tokenUri, isCallers, VENDOR_HOSTS.vertex, 'token_uri'),
      ...form({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    });
    return readOauthToken(answer, requestedAtMs);
  }

  private async ofExternalAccount(account: ExternalAccount, isCallers: boolean): Promise<AccessToken> {
    const requestedAtMs = this.clock.now();
    const answer = await askTokenService(this.transport, {
      address: namedAddress(account.tokenUrl, isCallers, VENDOR_HOSTS.vertex, 'token_url'),
      ...form({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        audience: account.audience,
        scope: SCOPE,
        requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: await this.subjectToken(account, isCallers),
        subject_token_type: account.subjectTokenType,
      }),
    });
    const token = readOauthToken(answer, requestedAtMs);
    return account.impersonationUrl === undefined
      ? token
      : this.impersonate(account.impersonationUrl, token.text, isCallers);
  }

  private async subjectToken({ source }: ExternalAccount, isCallers: boolean): Promise<string> {
    const { file, url, headers, field } = source;
    if (file !== undefined && isCallers) throw refused('names a file, which only those of the catalog may');
    const text =
      file !== undefined
        ? await readSubjectFile(file)
        : await askTokenService(this.transport, {
            address: namedAddress(url!, isCallers, VENDOR_HOSTS.vertex, 'credential_source.url'),
            method: 'GET',
            headers,
            body: '',
          });
    const token = field === undefined ? text.trim() : readTokenReply(text)[field];
    if (!isHeaderSafe(token)) throw refused('has a credential_source that holds no token');
    return token;
  }

  /** The workload impersonates a service account: its token is exchanged once more. */
  private async impersonate(url: string, token: string, isCallers: boolean): Promise<AccessToken> {
    const requestedAtMs = this.clock.now();
    const answer = await askTokenService(this.transport, {
      address: namedAddress(url, isCallers, VENDOR_HOSTS.vertex, 'service_account_impersonation_url'),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: [SCOPE], lifetime: `${ASSERTION_S}s` }),
    });
    const { accessToken, expireTime } = readTokenReply(answer);
    return liveToken(accessToken, requestedAtMs, typeof expireTime === 'string' ? Date.parse(expireTime) : NaN);
  }
}

/** Off the event loop: a signature takes a millisecond. */
async function signAssertion(account: ServiceAccount, nowS: number): Promise<string> {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = account;
  const head = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== undefined && { kid: privateKeyId }) };
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUri, iat: nowS, exp: nowS + ASSERTION_S };
  const text = `${base64url(head)}.${base64url(claims)}`;
  const key = readRsaKey(privateKey);
  let signature: Buffer;
  try {
    signature = await signed('RSA-SHA256', Buffer.from(text), key);
  } catch {
    throw refused('has a private_key that cannot be used');
  }
  return `${text}.${signature.toString('base64url')}`;
}

async function readSubjectFile(path: string): Promise<string> {
  try {
    if ((await stat(path)).size <= FILE_BYTES_MAX) return await readFile(path, 'utf8');
  } catch {
    // Reported below without the path, which reveals the layout of the operator's machine.
  }
  throw refused('has a credential_source whose file cannot be read');
}
