/**
 * Each platform refuses requests that do not authenticate as its vendor requires, and every rule has a case. For each
 * platform valid requests, and one breach for each rule. Calls to Bedrock are signed by AWS's own library, assertions
 * for Google by hand. Addresses and streams: `hosts.spec.ts`.
 */
import { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac, createSign, type BinaryLike } from 'node:crypto';
import type { PlatformId } from '../../../src/core/routing/catalog.js';
import type { JsonBody } from '../recorded-request.js';
import { PLATFORM_DOUBLES, type Entering } from './platforms.js';

const ORIGIN = 'http://127.0.0.1:8080';
const TOKEN_URL = `${ORIGIN}/token`;

const key = (platform: PlatformId): string => PLATFORM_DOUBLES[platform].credential(ORIGIN, 'key');

const call = (path: string, headers: Entering['headers'], body = '{}'): Entering => ({
  method: 'POST',
  path,
  headers,
  rawBody: Buffer.from(body),
});

const tokenForm = (form: Record<string, string>): Entering => call('/token', {}, new URLSearchParams(form).toString());

const application = (more: Record<string, string> = {}): Entering => {
  const { client_id, client_secret } = JSON.parse(PLATFORM_DOUBLES.azure.credential(ORIGIN, 'Entra'));
  const scope = 'https://cognitiveservices.azure.com/.default';
  return tokenForm({ grant_type: 'client_credentials', client_id, client_secret, scope, ...more });
};

function assertion(
  changes: { readonly head?: object; readonly claims?: object; readonly grant?: string } = {},
): Entering {
  const account: JsonBody = JSON.parse(PLATFORM_DOUBLES.vertex.credential(ORIGIN, 'service account'));
  const now = Math.floor(Date.now() / 1_000);
  const head = { alg: 'RS256', typ: 'JWT', kid: account.private_key_id, ...changes.head };
  const claims = {
    iss: account.client_email,
    aud: TOKEN_URL,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    iat: now,
    exp: now + 3_600,
    ...changes.claims,
  };
  const signed = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = createSign('RSA-SHA256').update(signed).sign(account.private_key).toString('base64url');
  return tokenForm({
    grant_type: changes.grant ?? 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${signed}.${signature}`,
  });
}

class Sha256 {
  private readonly hash;

  constructor(secret?: BinaryLike) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }

  update(data: BinaryLike): void {
    this.hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest());
  }
}

const CONVERSE = '/model/a%3A0/converse';

/** A call that AWS's own library signed. */
async function signed({
  region = 'us-east-1',
  atMs = Date.now(),
  unsigned = new Set<string>(),
} = {}): Promise<Entering> {
  const { accessKeyId, secretAccessKey } = JSON.parse(PLATFORM_DOUBLES.bedrock.credential(ORIGIN, 'signature'));
  const signer = new SignatureV4({
    service: 'bedrock',
    region,
    credentials: { accessKeyId, secretAccessKey },
    sha256: Sha256 as never,
  });
  const { headers } = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: '127.0.0.1:8080',
      path: CONVERSE,
      query: {},
      headers: { host: '127.0.0.1:8080' },
      body: '{}',
    },
    { signingDate: new Date(atMs), unsignableHeaders: unsigned },
  );
  return call(CONVERSE, headers);
}

/** A request, and the rule that it breaks. */
interface Entry {
  readonly what: string;
  readonly request: () => Entering | Promise<Entering>;
  readonly rule?: string;
}

const VERSIONED = { 'anthropic-version': '2023-06-01' };
const bearer = (credential: string): Entering['headers'] => ({ authorization: `Bearer ${credential}` });
const entry = (what: string, request: Entry['request'], rule?: string): Entry => ({
  what,
  request,
  ...(rule && { rule }),
});

const ENTRIES: Readonly<Record<PlatformId, readonly Entry[]>> = {
  direct: [
    entry('a key of Messages', () => call('/v1/messages', { 'x-api-key': key('direct'), ...VERSIONED })),
    entry('a key of Gemini', () => call('/v1beta/models/m:generateContent', { 'x-goog-api-key': key('direct') })),
    entry('a key of chat', () => call('/v1/chat/completions', bearer(key('direct')))),
    entry("another's key of Messages", () => call('/v1/messages', { 'x-api-key': 'x', ...VERSIONED }), 'a key that is not its own'),
    entry("another's key of Gemini", () => call('/v1beta/models/m:generateContent', bearer(key('direct'))), 'a key that is not its own'),
    entry("another's key of chat", () => call('/v1/responses', bearer('x')), 'a key that is not its own'),
    entry("another's key of Cohere's", () => call('/v2/chat', { 'x-api-key': key('direct') }), 'a key that is not its own'),
    entry('no version', () => call('/v1/messages', { 'x-api-key': key('direct') }), 'no version of Messages'),
  ],
  azure: [
    entry('a key', () => call('/openai/v1/responses', { 'api-key': key('azure') })),
    entry('an application', () => application()),
    entry('a key as a token', () => call('/openai/v1/responses', bearer(key('azure'))), 'a key that is not its own'),
    entry('a key beside a token', () => call('/openai/v1/responses', { 'api-key': key('azure'), ...bearer('x') }), 'a key that is not its own'),
    entry('no version', () => call('/anthropic/v1/messages', { 'api-key': key('azure') }), 'no version of Messages'),
    entry('another grant', () => application({ grant_type: 'password' }), 'unsupported_grant_type'),
    entry('another application', () => application({ client_id: 'x' }), 'invalid_client'),
    entry('another secret', () => application({ client_secret: 'x' }), 'invalid_client'),
    entry('another scope', () => application({ scope: 'x' }), 'invalid_scope'),
  ],
  vertex: [
    entry('an assertion', () => assertion()),
    entry('no token', () => call('/v1/projects/project-1/locations/us-east5/endpoints/openapi/chat/completions', {}), 'a token that is not its own'),
    entry('another grant', () => assertion({ grant: 'client_credentials' }), 'grant_type'),
    entry('no assertion', () => tokenForm({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }), 'signature'),
    entry('another key', () => assertion({ head: { kid: 'key-2' } }), 'head'),
    entry('another account', () => assertion({ claims: { iss: 'you@project-1.iam.gserviceaccount.com' } }), 'iss, aud'),
    entry('an assertion for others', () => assertion({ claims: { aud: 'https://a.test' } }), 'iss, aud'),
    entry('another scope', () => assertion({ claims: { scope: 'email' } }), 'scope'),
    entry('an old assertion', () => assertion({ claims: { iat: 1_000, exp: 2_000 } }), 'time'),
  ],
  bedrock: [
    entry('a signature', () => signed()),
    entry('an API key', () => call(CONVERSE, bearer(PLATFORM_DOUBLES.bedrock.credential(ORIGIN, 'API key')))),
    entry("another's API key", () => call(CONVERSE, bearer('x')), 'no signature'),
    entry('an old signature', () => signed({ atMs: Date.now() - 600_000 }), 'a signature of another time'),
    entry('another region', () => signed({ region: 'eu-west-1' }), 'a credential of another scope'),
    entry('a host that is not signed', () => signed({ unsigned: new Set(['host']) }), 'a host that is not signed'),
    entry('another body', async () => ({ ...(await signed()), rawBody: Buffer.from('[]') }), 'a signature of something else'),
    entry('another path', async () => ({ ...(await signed()), path: '/model/b/converse' }), 'a signature of something else'),
  ],
}; // oxfmt-ignore

describe.each(Object.entries(ENTRIES))('the double of %s', (id, entries) => {
  const platform = PLATFORM_DOUBLES[id as PlatformId];
  const ruleOf = (request: Entering): string | undefined =>
    (request.path === '/token'
      ? platform.tokenRefusal!(request, ORIGIN)
      : platform.unauthorised(request, platform.read(request.path)!)
    )?.rule;

  it.each(entries.filter(({ rule }) => rule === undefined))('admits $what', async ({ request }) => {
    expect(ruleOf(await request())).toBeUndefined();
  });

  it.each(entries.filter(({ rule }) => rule !== undefined))('refuses $what: $rule', async ({ request, rule }) => {
    expect(ruleOf(await request())).toBe(rule);
  });

  it('has no rule without a breach here', () => {
    expect(platform.rules.filter((rule) => !entries.some((one) => one.rule === rule))).toEqual([]);
  });
});
