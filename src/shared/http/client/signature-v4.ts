import { createHash, createHmac, hash } from 'node:crypto';
import type { PrintedBody } from '../../../core/platform.js';
import { pathSegment } from '../../../core/text/path-segment.js';

// AWS Signature Version 4: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SCOPE_END = 'aws4_request';
/** Maximum number of derived keys that are kept. Each is for one credential, day, region and service. */
const KEYS_MAX = 256;

/** Keys that requests are signed with, for one region. */
export interface SigningAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary keys. */
  readonly sessionToken?: string;
  readonly region: string;
}

/** The request to sign. */
export interface SignedRequest {
  readonly method: string;
  /** Absolute; its path is escaped as in the request line. */
  readonly url: string;
  /** Lower-case names; all of them are signed, and `host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PrintedBody;
}

/** Signs calls to one service. Keeps derived keys, so one serves all calls. */
export class SignatureV4 {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly service: string) {}

  /**
   * The headers that authorise the request.
   * @param nowMs milliseconds since 1970
   */
  sign(request: SignedRequest, account: SigningAccount, nowMs: number): Record<string, string> {
    const date = amzDate(nowMs);
    const added: Record<string, string> = {
      'x-amz-date': date,
      ...(account.sessionToken !== undefined && { 'x-amz-security-token': account.sessionToken }),
    };
    const { host, pathname, search } = new URL(request.url);
    const signed: Readonly<Record<string, string>> = { ...request.headers, ...added, host };
    const names = Object.keys(signed).sort();
    const canonical = [
      request.method,
      canonicalPath(pathname),
      canonicalQuery(search),
      ...names.map((name) => `${name}:${signed[name]!.trim().replace(/\s+/g, ' ')}`),
      '',
      names.join(';'),
      bodyHash(request.body),
    ].join('\n');
    const day = date.slice(0, 8);
    const scope = `${day}/${account.region}/${this.service}/${SCOPE_END}`;
    const text = [ALGORITHM, date, scope, hash('sha256', canonical)].join('\n');
    const signature = createHmac('sha256', this.keyOf(account, day)).update(text).digest('hex');
    const credential = `${account.accessKeyId}/${scope}`;
    return {
      ...added,
      authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
    };
  }

  private keyOf({ secretAccessKey, region }: SigningAccount, day: string): Buffer {
    // Not by the key's id: after a change of the secret the old one must not be used.
    const name = `${day} ${region} ${hash('sha256', secretAccessKey)}`;
    const kept = this.keys.get(name);
    if (kept) return kept;
    // Yesterday's keys go too; deriving all of them again takes microseconds.
    if (this.keys.size >= KEYS_MAX) this.keys.clear();
    const key = deriveKey(secretAccessKey, day, region, this.service);
    this.keys.set(name, key);
    return key;
  }
}

/** The signing key for one day, region and service. */
export function deriveKey(secret: string, day: string, region: string, service: string): Buffer {
  let key: Buffer | string = `AWS4${secret}`;
  for (const part of [day, region, service, SCOPE_END]) key = createHmac('sha256', key).update(part).digest();
  return key as Buffer;
}

/** The time as `20150830T123600Z`. */
const amzDate = (ms: number): string => `${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}`;

/**
 * Without empty segments, as AWS's own library signs, and escaped once more than it is sent. Only S3 requires it
 * otherwise.
 */
const canonicalPath = (path: string): string =>
  path
    .replace(/\/{2,}/g, '/')
    .split('/')
    .map(pathSegment)
    .join('/');

function canonicalQuery(search: string): string {
  if (search === '') return '';
  // Sorted by name, then by value. A separator of `=` would sort after a hyphen.
  const pairs = [...new URLSearchParams(search)].map(([name, value]) => `${pathSegment(name)}\0${pathSegment(value)}`);
  return pairs.sort().join('&').replaceAll('\0', '=');
}

/** A large body stays in its parts. */
function bodyHash(body: PrintedBody): string {
  if (typeof body === 'string') return hash('sha256', body);
  const digest = createHash('sha256');
  for (const part of body) digest.update(part);
  return digest.digest('hex');
}
