import { createHash, createHmac } from 'node:crypto';
import type { PlatformId } from '../../../src/core/routing/catalog.js';
import { ASSERTION_FAULTS, assertionFault, formOf, oauthToken, serviceAccount } from '../cloud-upstream.js';
import type { RecordedRequest } from '../recorded-request.js';
import { json, type Answer } from '../upstream-answers.js';
import type { Refusal, WireDialect } from './double.js';
import type { TaskName } from './task-doubles.js';

// How each platform is addressed and authorised. Pages and threads beside a rule were read on 2026-11-24; a rule
// without one is the author's knowledge of the vendor.

/** The ways to authenticate on each platform; the first is the usual one. */
export const WAYS = {
  direct: ['key'],
  azure: ['key', 'API version', 'Entra'],
  bedrock: ['signature', 'API key'],
  vertex: ['service account'],
} as const satisfies Readonly<Record<PlatformId, readonly string[]>>;
export type WayOf<P extends PlatformId> = (typeof WAYS)[P][number];
export type Way = WayOf<PlatformId>;

/** The contents of an address. */
export interface Address {
  readonly dialect: WireDialect;
  /** The name of the model; absent: in the body. */
  readonly model?: string;
  /** Absent: in the body. */
  readonly stream?: boolean;
  /** The tokens of a request are to be counted, not answered. */
  readonly counts?: true;
  /** The task that the endpoint computes in place of an answer. */
  readonly task?: TaskName;
}

/** The parts of a request that a platform checks before it reads a body. */
export type Entering = Pick<RecordedRequest, 'method' | 'path' | 'headers' | 'rawBody'>;

export interface PlatformDouble {
  /** All its reasons to refuse: `platforms.spec.ts` has a breach of each. */
  readonly rules: readonly string[];
  readonly dialects: readonly WireDialect[];
  /** The credential as entered in the catalog. */
  credential(origin: string, way: Way): string;
  baseUrl(origin: string, dialect: WireDialect): string;
  /** Undefined: the address does not exist. */
  read(path: string): Address | undefined;
  /** Undefined: the call is authorised. */
  unauthorised(request: Entering, address: Address): Refusal | undefined;
  /** The way in which an authorised call authenticated. */
  wayOf(request: Entering): Way;
  /** The fault of a request for a token, undefined: none; absent: it issues no tokens. */
  tokenRefusal?(request: Entering, origin: string): TokenRefusal | undefined;
}

interface TokenRefusal extends Refusal {
  /** As in RFC 6749. */
  readonly error: string;
}

/** Unmistakable for any other key. */
const KEY = 'key-of-the-double-0123456789';

type Route = readonly [pattern: RegExp, address: Address];

/** The first capture is the model's name, escaped. */
function route(routes: readonly Route[], path: string): Address | undefined {
  for (const [pattern, address] of routes) {
    const [, model] = pattern.exec(path) ?? [undefined];
    if (pattern.test(path)) return model === undefined ? address : { ...address, model: decodeURIComponent(model) };
  }
  return undefined;
}

const KEY_RULE = 'a key that is not its own';
const TOKEN_RULE = 'a token that is not its own';
const wrongKey = (message: string): Refusal => ({ rule: KEY_RULE, message });

const VERSION_RULE = 'no version of Messages';
const versionFault = ({ headers }: Entering): Refusal | undefined =>
  headers['anthropic-version'] ? undefined : { rule: VERSION_RULE, message: 'anthropic-version: header is required' };

const DIRECT_ROUTES: readonly Route[] = [
  [/^\/v1\/messages$/, { dialect: 'anthropic-messages' }],
  [/^\/v1\/messages\/count_tokens$/, { dialect: 'anthropic-messages', stream: false, counts: true }],
  [/^\/v1\/chat\/completions$/, { dialect: 'openai-chat' }],
  [/^\/v1\/responses$/, { dialect: 'openai-responses' }],
  [/^\/v1beta\/models\/([^/:]+):generateContent$/, { dialect: 'google-gemini', stream: false }],
  [/^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/, { dialect: 'google-gemini', stream: true }],
  [/^\/v1beta\/models\/([^/:]+):countTokens$/, { dialect: 'google-gemini', stream: false, counts: true }],
  [/^\/v2\/chat$/, { dialect: 'cohere-chat' }],
  [/^\/v1\/embeddings$/, { dialect: 'openai-chat', stream: false, task: 'embeddings' }],
  [/^\/v1\/rerank$/, { dialect: 'openai-chat', stream: false, task: 'rerank' }],
  [/^\/v2\/embed$/, { dialect: 'cohere-chat', stream: false, task: 'embeddings' }],
  [/^\/v2\/rerank$/, { dialect: 'cohere-chat', stream: false, task: 'rerank' }],
  [
    /^\/v1beta\/models\/([^/:]+):(?:embedContent|batchEmbedContents)$/,
    { dialect: 'google-gemini', stream: false, task: 'embeddings' },
  ],
];

/** Each vendor at its own address, with its key in its own header. */
const direct: PlatformDouble = {
  rules: [KEY_RULE, VERSION_RULE],
  dialects: ['anthropic-messages', 'cohere-chat', 'google-gemini', 'openai-chat', 'openai-responses'],
  credential: () => KEY,
  baseUrl: (origin, dialect) => (dialect === 'openai-chat' || dialect === 'openai-responses' ? `${origin}/v1` : origin),
  read: (path) => route(DIRECT_ROUTES, path),
  unauthorised(request, { dialect }) {
    const { headers } = request;
    switch (dialect) {
      case 'anthropic-messages':
        return headers['x-api-key'] === KEY ? versionFault(request) : wrongKey('invalid x-api-key');
      case 'google-gemini':
        return headers['x-goog-api-key'] === KEY
          ? undefined
          : wrongKey('API key not valid. Please pass a valid API key.');
      default:
        return headers.authorization === `Bearer ${KEY}` ? undefined : wrongKey('Incorrect API key provided.');
    }
  },
  wayOf: () => 'key',
};

const AZURE_ROUTES: readonly Route[] = [
  [/^\/openai\/v1\/embeddings$/, { dialect: 'openai-chat', stream: false, task: 'embeddings' }],
  [
    /^\/openai\/deployments\/[^/]+\/embeddings\?api-version=[\d-]+(?:-preview)?$/,
    { dialect: 'openai-chat', stream: false, task: 'embeddings' },
  ],
  [/^\/openai\/v1\/chat\/completions$/, { dialect: 'openai-chat' }],
  [/^\/openai\/deployments\/[^/]+\/chat\/completions\?api-version=[\d-]+(?:-preview)?$/, { dialect: 'openai-chat' }],
  [/^\/openai\/v1\/responses$/, { dialect: 'openai-responses' }],
  [/^\/anthropic\/v1\/messages$/, { dialect: 'anthropic-messages' }],
  [/^\/anthropic\/v1\/messages\/count_tokens$/, { dialect: 'anthropic-messages', stream: false, counts: true }],
];

const TOKEN_PATH = '/token';
const ACCESS_TOKEN = 'token-of-the-double-0123456789';
const APPLICATION = { tenant_id: 'tenant-1', client_id: 'client-1', client_secret: 'secret-of-the-double' };
const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default';

const APPLICATION_FAULTS = ['unsupported_grant_type', 'invalid_client', 'invalid_scope'] as const;

/** The fault of a form by which an application requests a token. */
function applicationFault(form: URLSearchParams): (typeof APPLICATION_FAULTS)[number] | undefined {
  if (form.get('grant_type') !== 'client_credentials') return 'unsupported_grant_type';
  if (form.get('client_id') !== APPLICATION.client_id || form.get('client_secret') !== APPLICATION.client_secret) {
    return 'invalid_client';
  }
  return form.get('scope') === ENTRA_SCOPE ? undefined : 'invalid_scope';
}

/** The answers of a platform besides its models': tokens. */
export function tokenAnswer(platform: PlatformDouble, request: Entering, origin: string): Answer | undefined {
  if (!platform.tokenRefusal || request.path !== TOKEN_PATH) return undefined;
  const refusal = platform.tokenRefusal(request, origin);
  if (!refusal) return oauthToken(ACCESS_TOKEN);
  return json({ error: refusal.error, error_description: refusal.message }, 400);
}

const azure: PlatformDouble = {
  rules: [KEY_RULE, VERSION_RULE, ...APPLICATION_FAULTS],
  dialects: ['anthropic-messages', 'openai-chat', 'openai-responses'],
  credential: (origin, way) =>
    way === 'Entra' ? JSON.stringify({ ...APPLICATION, token_url: `${origin}${TOKEN_PATH}` }) : KEY,
  baseUrl: (origin) => origin,
  read: (path) => route(AZURE_ROUTES, path),
  unauthorised(request, { dialect }) {
    const { 'api-key': key, authorization } = request.headers;
    const isEntered =
      key === undefined ? authorization === `Bearer ${ACCESS_TOKEN}` : key === KEY && authorization === undefined;
    // The words are those of a recorded refusal.
    if (!isEntered) return wrongKey('Access denied due to invalid subscription key or wrong API endpoint.');
    return dialect === 'anthropic-messages' ? versionFault(request) : undefined;
  },
  wayOf({ headers, path }) {
    if (headers['api-key'] === undefined) return 'Entra';
    return path.includes('api-version=') ? 'API version' : 'key';
  },
  tokenRefusal(request) {
    const fault = applicationFault(formOf(request));
    return fault && { rule: fault, error: fault, message: 'The application is not known.' };
  },
};

const VERTEX = String.raw`^/v1/projects/project-1/locations/us-east5`;
/** Counts for Claude: docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens. */
const VERTEX_ROUTES: readonly Route[] = [
  [
    new RegExp(`${VERTEX}/publishers/anthropic/models/count-tokens:rawPredict$`),
    { dialect: 'anthropic-messages', stream: false, counts: true },
  ],
  [
    new RegExp(`${VERTEX}/publishers/anthropic/models/([^/:]+):rawPredict$`),
    { dialect: 'anthropic-messages', stream: false },
  ],
  [
    new RegExp(`${VERTEX}/publishers/anthropic/models/([^/:]+):streamRawPredict$`),
    { dialect: 'anthropic-messages', stream: true },
  ],
  [
    new RegExp(`${VERTEX}/publishers/google/models/([^/:]+):countTokens$`),
    { dialect: 'google-gemini', stream: false, counts: true },
  ],
  [
    new RegExp(`${VERTEX}/publishers/google/models/([^/:]+):generateContent$`),
    { dialect: 'google-gemini', stream: false },
  ],
  [
    new RegExp(`${VERTEX}/publishers/google/models/([^/:]+):streamGenerateContent\\?alt=sse$`),
    { dialect: 'google-gemini', stream: true },
  ],
  [new RegExp(`${VERTEX}/endpoints/openapi/chat/completions$`), { dialect: 'openai-chat' }],
];

/** A service account: the platform issues tokens for a signed assertion (RFC 7523). */
const vertex: PlatformDouble = {
  rules: [TOKEN_RULE, ...ASSERTION_FAULTS],
  dialects: ['anthropic-messages', 'google-gemini', 'openai-chat'],
  credential: (origin) => serviceAccount(`${origin}${TOKEN_PATH}`, { region: 'us-east5' }),
  baseUrl: (origin) => origin,
  read: (path) => route(VERTEX_ROUTES, path),
  unauthorised: ({ headers }) =>
    headers.authorization === `Bearer ${ACCESS_TOKEN}`
      ? undefined
      : {
          rule: TOKEN_RULE,
          message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
        },
  tokenRefusal(request, origin) {
    const fault = assertionFault(request, `${origin}${TOKEN_PATH}`, Date.now());
    return fault && { rule: fault, error: 'invalid_grant', message: fault };
  },
  wayOf: () => 'service account',
};

/** The count: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html. */
const BEDROCK_ROUTES: readonly Route[] = [
  [/^\/model\/([^/]+)\/converse$/, { dialect: 'bedrock-converse', stream: false }],
  [/^\/model\/([^/]+)\/converse-stream$/, { dialect: 'bedrock-converse', stream: true }],
  [
    /^\/model\/((?:[a-z]+\.)?(?:amazon\.titan-|cohere\.)embed[^/]*)\/invoke$/,
    { dialect: 'bedrock-converse', stream: false, task: 'embeddings' },
  ],
  [
    /^\/model\/((?:[a-z]+\.)?cohere\.rerank[^/]*)\/invoke$/,
    { dialect: 'bedrock-converse', stream: false, task: 'rerank' },
  ],
  [/^\/model\/([^/]+)\/invoke$/, { dialect: 'anthropic-messages', stream: false }],
  [/^\/model\/([^/]+)\/invoke-with-response-stream$/, { dialect: 'anthropic-messages', stream: true }],
  [/^\/model\/([^/]+)\/count-tokens$/, { dialect: 'bedrock-converse', stream: false, counts: true }],
  [/^\/openai\/v1\/chat\/completions$/, { dialect: 'openai-chat' }],
];

const SIGNATURE_RULES = [
  'no signature',
  'a signature of another time',
  'a credential of another scope',
  'a host that is not signed',
  'a signature of something else',
] as const;
const unsigned = (rule: (typeof SIGNATURE_RULES)[number], message: string): Refusal => ({ rule, message });

const ACCOUNT = { accessKeyId: 'AKIDDOUBLE0123456789', secretAccessKey: 'secret-of-the-double', region: 'us-east-1' };

const bedrock: PlatformDouble = {
  rules: SIGNATURE_RULES,
  dialects: ['anthropic-messages', 'bedrock-converse', 'openai-chat'],
  credential: (_origin, way) => (way === 'API key' ? KEY : JSON.stringify(ACCOUNT)),
  baseUrl: (origin) => origin,
  read: (path) => route(BEDROCK_ROUTES, path),
  // A key is sent in the header as it is: docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html.
  unauthorised: (request) =>
    request.headers.authorization === `Bearer ${KEY}` ? undefined : signatureFault(request, Date.now()),
  wayOf: ({ headers }) => (headers.authorization?.startsWith('Bearer ') ? 'API key' : 'signature'),
};

export const PLATFORM_DOUBLES: Readonly<Record<PlatformId, PlatformDouble>> = { direct, azure, bedrock, vertex };

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** As in RFC 3986: only letters, digits and four marks stay unescaped. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
/** Tolerated difference of clocks. */
const SKEW_MS = 5 * 60 * 1000;

/**
 * The fault of a request's signature of version 4
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
function signatureFault({ method, path, headers, rawBody }: Entering, nowMs: number): Refusal | undefined {
  const { accessKeyId, secretAccessKey, region } = ACCOUNT;
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, credential, names, signature] = pattern.exec(headers.authorization ?? '') ?? [];
  if (credential === undefined || names === undefined) return unsigned('no signature', 'Missing Authentication Token');
  const date = String(headers['x-amz-date'] ?? '');
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const sentMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(sentMs - nowMs) < SKEW_MS)) return unsigned('a signature of another time', 'Signature expired.');
  const scope = `${year}${month}${day}/${region}/bedrock/aws4_request`;
  if (credential !== `${accessKeyId}/${scope}`) {
    return unsigned('a credential of another scope', 'Credential should be scoped to a valid region and service.');
  }
  if (!names.split(';').includes('host')) {
    return unsigned('a host that is not signed', "'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  const [resource = '', query = ''] = path.split('?');
  const canonical = [
    method,
    // Escaped once more than it was sent.
    resource.split('/').map(escaped).join('/'),
    query.split('&').sort().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    names,
    sha256(rawBody),
  ].join('\n');
  const key = [`${year}${month}${day}`, region, 'bedrock', 'aws4_request'].reduce<Buffer>(
    (derived, part) => hmac(derived, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  const wanted = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
  return signature === wanted
    ? undefined
    : unsigned(
        'a signature of something else',
        'The request signature we calculated does not match the signature you provided.',
      );
}
