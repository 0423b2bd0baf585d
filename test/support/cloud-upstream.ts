import { createVerify, generateKeyPairSync } from 'node:crypto';
import type { RecordedRequest } from './recorded-request.js';
import { json, type Answer } from './upstream-answers.js';

const PAIR = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** A service account's key whose tokens come from there. */
export const serviceAccount = (tokenUri: string, more: object = {}): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'project-1',
    private_key_id: 'key-1',
    private_key: PAIR.privateKey,
    client_email: 'me@project-1.iam.gserviceaccount.com',
    token_uri: tokenUri,
    ...more,
  });

type SentForm = Pick<RecordedRequest, 'rawBody'>;

export const formOf = ({ rawBody }: SentForm): URLSearchParams => new URLSearchParams(rawBody.toString());

/** The possible faults of an assertion. */
export const ASSERTION_FAULTS = ['grant_type', 'signature', 'head', 'iss, aud', 'scope', 'time'] as const;
export type AssertionFault = (typeof ASSERTION_FAULTS)[number];

/** The fault of an assertion that requests a token, at that time; undefined: none. */
export function assertionFault(request: SentForm, audience: string, nowMs: number): AssertionFault | undefined {
  const form = formOf(request);
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return 'grant_type';
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const verify = createVerify('RSA-SHA256').update(`${head}.${claims}`);
  if (!verify.verify(PAIR.publicKey, Buffer.from(signature, 'base64url'))) return 'signature';
  const read = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  if (read(head)['alg'] !== 'RS256' || read(head)['kid'] !== 'key-1') return 'head';
  const { iss, aud, scope, iat, exp } = read(claims);
  if (iss !== 'me@project-1.iam.gserviceaccount.com' || aud !== audience) return 'iss, aud';
  if (!String(scope).includes('cloud-platform')) return 'scope';
  const isNow = Math.abs(Number(iat) * 1000 - nowMs) < 5_000 && Number(exp) - Number(iat) <= 3600;
  return isNow ? undefined : 'time';
}

export const oauthToken = (text: string, seconds = 3600): Answer =>
  json({ access_token: text, expires_in: seconds, token_type: 'Bearer' });
