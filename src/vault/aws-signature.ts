import { createHash, createHmac } from 'node:crypto';
import type { Secret } from '../core/secret.js';

export interface AwsSigner {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  readonly region: string;
  /** As in `kms`. */
  readonly service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * The headers of a POST to the root of a host, with those that AWS asks for: Signature Version 4.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * @param headers their names in lower case; all of them are signed
 */
export function signPost(
  { accessKeyId, secretAccessKey, sessionToken, region, service }: AwsSigner,
  { host, headers, body, atMs }: { host: string; headers: Record<string, string>; body: string; atMs: number },
): Record<string, string> {
  const time = new Date(atMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const signed: Record<string, string> = {
    ...headers,
    host,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken.reveal() }),
  };
  const names = Object.keys(signed).sort();
  const canonical = [
    'POST',
    '/',
    '',
    ...names.map((name) => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    hash(body),
  ];
  const day = time.slice(0, 8);
  const scope = [day, region, service, 'aws4_request'];
  const key = scope.reduce<string | Buffer>(
    (from, part) => hmac(from, part).digest(),
    `AWS4${secretAccessKey.reveal()}`,
  );
  const signature = hmac(key, [ALGORITHM, time, scope.join('/'), hash(canonical.join('\n'))].join('\n')).digest('hex');
  const credential = `${accessKeyId.reveal()}/${scope.join('/')}`;
  return {
    ...signed,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): ReturnType<typeof createHmac> =>
  createHmac('sha256', key).update(text);
