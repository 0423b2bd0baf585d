// The operator is shown what was wrong, and where to find it. Faults as produced by the transport, the platforms and
// the dialects; the vendors' words are those of real replies, or of their documentation.
import { FAULT_KINDS, ProviderFault, Untranslatable, type FaultDetail, type FaultKind } from '../core/errors.js';
import type { CatalogProvider, CredentialSource } from '../core/routing/catalog.js';
import { Secret } from '../core/secret.js';
import { endpoint } from '../../test/support/route-inputs.js';
import {
  findNamedField,
  missingCredential,
  tooSlow,
  verdictOf,
  type TriedCall,
  type Verdict,
} from './check-verdict.js';

const provider: CatalogProvider = {
  slug: 'acme',
  name: 'Acme',
  dialect: 'openai-chat',
  baseUrl: 'https://api.acme.test/v1',
  credential: new Secret('sk-secret-of-acme'),
  credentialSource: { env: 'ACME_API_KEY' },
  policy: { collectsData: true, zeroDataRetention: false },
};
const tried: TriedCall = {
  endpoint: { ...endpoint('acme'), provider, upstreamModel: 'gpt-x' },
  credentialLabel: 'sk-...acme',
  timeoutMs: 120_000,
};

const judge = (kind: FaultKind, message: string, detail: FaultDetail = {}, cause?: unknown): Verdict =>
  verdictOf(new ProviderFault(kind, message, detail, { cause }), {
    ...tried,
    ...(detail.status !== undefined && { status: detail.status }),
  });
const systemError = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code }, more);

describe('the address', () => {
  const REACHED = 'The provider could not be reached.';
  it.each<[string, Error, string]>([
    ['an unknown name', systemError('ENOTFOUND', { hostname: 'eu.acme.test' }), 'the host eu.acme.test is not known'],
    ['no name server', systemError('EAI_AGAIN', { hostname: 'api.acme.test' }), 'no name server answered'],
    ['no listener', systemError('ECONNREFUSED'), 'no process listens at api.acme.test'],
    ['no way', systemError('EHOSTUNREACH'), 'there is no route to api.acme.test'],
    ['a reset', systemError('ECONNRESET'), 'closed the connection before it answered'],
    ['an old certificate', systemError('CERT_HAS_EXPIRED'), 'not accepted (CERT_HAS_EXPIRED)'],
    ['an own authority', systemError('SELF_SIGNED_CERT_IN_CHAIN'), 'NODE_EXTRA_CA_CERTS'],
    ['an unknown issuer', systemError('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'is not accepted'],
    ['another name', systemError('ERR_TLS_CERT_ALTNAME_INVALID'), 'the TLS certificate of api.acme.test'],
    ['plain HTTP', systemError('ERR_SSL_WRONG_VERSION_NUMBER'), 'is it an http:// address?'],
    ['anything else', systemError('EMFILE'), 'cannot be reached: The provider could not be reached (EMFILE)'],
  ])('%s', (_, cause, words) => {
    for (const deep of [cause, new Error('wrapped', { cause })]) {
      const verdict = judge('unreachable', REACHED, {}, deep);
      expect(verdict.problem).toBe('address');
      expect(verdict.reason).toContain(words);
      expect(verdict.reason).toContain('(base_url https://api.acme.test/v1)');
    }
  });

  it('does not accept a connection in time', () => {
    const verdict = judge('timed-out', 'The provider did not accept a connection within 5000 ms.');
    expect(verdict).toMatchObject({ problem: 'address', reason: expect.stringContaining('within 5000 ms') });
  });

  it('does not answer in HTTP', () => {
    // The parser's errors have no code of their own.
    const verdict = judge('malformed-reply', 'The provider did not answer in valid HTTP.', {}, new Error('no HTTP'));
    expect(verdict).toMatchObject({ problem: 'address', reason: expect.stringContaining('answers, but not in HTTP') });
    expect(verdict.reason).not.toContain('is it an https:// address?');
    const plain = { ...provider, baseUrl: 'http://api.acme.test' };
    const fault = new ProviderFault('malformed-reply', 'The provider did not answer in valid HTTP.');
    const { reason } = verdictOf(fault, { ...tried, endpoint: { ...tried.endpoint, provider: plain } });
    expect(reason).toContain('is it an https:// address?');
  });

  it('of the token service', () => {
    const unreached = new ProviderFault('unreachable', REACHED, {}, { cause: systemError('ENOTFOUND', { hostname: 'sts.test' }) }); // oxfmt-ignore
    const verdict = judge('unreachable', "The credential's token service could not be used", {}, unreached);
    expect(verdict.problem).toBe('address');
    expect(verdict.reason).toMatch(/^of the token service that the credential names, the host sts\.test is not known/);
  });

  it('of a server without models', () => {
    for (const message of ['The provider answered with status 404.', 'Not Found'])
      expect(judge('not-found', message, { status: 404 })).toMatchObject({
        problem: 'address',
        reason: expect.stringContaining('nothing at this path (base_url https://api.acme.test/v1)'),
      });
  });
});

describe('the credential', () => {
  it.each<[CredentialSource, string]>([
    [{ env: 'ACME_API_KEY' }, 'the credential sk-...acme (variable ACME_API_KEY)'],
    [{ file: '/run/secrets/acme' }, 'the credential sk-...acme (file /run/secrets/acme)'],
    ['catalog', 'the credential sk-...acme (in the catalog)'],
  ])('configured in %j', (credentialSource, name) => {
    const from = { ...tried, endpoint: { ...tried.endpoint, provider: { ...provider, credentialSource } } };
    const refused = new ProviderFault('refused-credential', 'Incorrect API key provided.', { status: 401 });
    expect(verdictOf(refused, { ...from, status: 401 })).toEqual({
      problem: 'credential',
      reason: `${name} is refused (401): Incorrect API key provided`,
    });
    const malformed = new ProviderFault('refused-credential', 'The credential is not valid JSON.');
    expect(verdictOf(malformed, from).reason).toBe(`${name} cannot be used: The credential is not valid JSON`);
  });

  it('not needed', () => {
    const { credential: _, credentialSource: __, ...keyless } = provider;
    const fault = new ProviderFault('refused-credential', 'no', { status: 403 });
    const { reason } = verdictOf(fault, { ...tried, status: 403, endpoint: { ...tried.endpoint, provider: keyless } });
    expect(reason).toBe('a call without a credential is refused (403): no');
  });

  it.each<[CredentialSource | undefined, string]>([
    [{ env: 'ACME_API_KEY' }, 'the variable ACME_API_KEY is not set'],
    [undefined, 'only callers with a credential of their own'],
  ])('missing, where the source is %j', (source, words) => {
    const { credential: _, credentialSource: __, ...rest } = provider;
    const verdict = missingCredential({ ...rest, ...(source && { credentialSource: source }) });
    expect(verdict).toMatchObject({ problem: 'credential', reason: expect.stringContaining(words) });
  });
});

describe('the name of the model', () => {
  it.each<[FaultKind, string, FaultDetail]>([
    // Recorded of these vendors: anthropic, amazon-bedrock, openai.
    ['not-found', 'model: claude-sonet-4-5', { status: 404, providerCode: 'not_found_error' }],
    ['rejected-request', 'The provided model identifier is invalid.', { status: 400 }],
    ['rejected-request', "The requested model 'x' does not exist.", { status: 400, providerCode: 'model_not_found' }],
    // Messages of vendors with OpenAI's format.
    ['rejected-request', 'Model Not Exist', { status: 400, providerCode: 'invalid_request_error' }],
    ['rejected-request', 'Invalid model: x', { status: 400, providerCode: 'invalid_model' }],
    ['not-found', 'The API deployment for this resource does not exist.', { status: 404 }],
  ])('%s: %s', (kind, message, detail) => {
    const verdict = judge(kind, message, detail);
    expect(verdict.problem).toBe('model name');
    expect(verdict.reason).toContain('does not know "gpt-x" (`model` of the endpoint)');
  });
});

describe('other problems', () => {
  it.each<[FaultKind, string, FaultDetail, string, RegExp]>([
    ['payment-required', 'Insufficient Balance', { status: 402 }, 'account', /nothing left to spend/],
    ['rate-limited', 'Quota', { status: 429, providerCode: 'insufficient_quota' }, 'account', /nothing left/],
    ['rate-limited', 'Slow down', { status: 429, retryAfterMs: 1_500 }, 'rate limit', /Slow down; again in 2 s$/],
    [
      'rate-limited',
      'Slow down',
      { status: 429 },
      'rate limit',
      /too many calls were made, or a quota is used up: Slow down$/,
    ],
    ['rejected-request', 'Nothing for this model', { status: 400 }, 'request', /refuses the request: Nothing/],
    ['too-large', 'Too large', { status: 413 }, 'request', /refuses the request/],
    [
      'malformed-reply',
      "The provider's reply is not JSON.",
      { status: 200 },
      'answer',
      /read as openai-chat .*not JSON$/,
    ],
    ['timed-out', 'Gateway time-out', { status: 504 }, 'provider', /did not answer in time/],
    ['unavailable', 'Down', { status: 503 }, 'provider', /is not available: Down/],
    ['overloaded', 'Overloaded', { status: 529 }, 'provider', /is overloaded/],
    ['server-error', 'Oops', { status: 500 }, 'provider', /failed: Oops/],
  ])('%s: %s', (kind, message, detail, problem, words) => {
    const verdict = judge(kind, message, detail);
    expect(verdict.problem).toBe(problem);
    expect(verdict.reason).toMatch(words);
  });

  it('a request that the dialect cannot carry', () => {
    expect(verdictOf(new Untranslatable('messages.0', 'is not carried'), tried)).toEqual({
      problem: 'request',
      reason: 'cannot carry the request: messages.0: is not carried',
    });
  });

  it('no answer in time', () => expect(tooSlow(tried)).toMatchObject({ problem: 'provider', reason: expect.stringContaining('120 s') })); // oxfmt-ignore

  it('exists for every kind of fault, without a credential', () => {
    for (const kind of FAULT_KINDS) {
      expect(judge(kind, 'Words.').reason).not.toContain('sk-secret');
      expect(judge(kind, 'Words.').reason).toContain('Words');
    }
  });
});

describe('the field that a refusal names', () => {
  const body = {
    model: 'gpt-x',
    max_tokens: 16,
    max_completion_tokens: 16,
    messages: [{ role: 'user', content: [{ type: 'text', cache_control: {} }] }],
    generationConfig: { maxOutputTokens: 16 },
  };
  it.each([
    ["Unsupported parameter: 'max_tokens' is not supported with this model.", 'max_tokens'],
    ['body.max_completion_tokens: Extra inputs are not permitted', 'max_completion_tokens'],
    ['messages.0.content.0.cache_control: not allowed', 'cache_control'],
    ['Invalid value at generation_config.maxOutputTokens', 'maxOutputTokens'],
    ["'messages' must alternate", 'messages'],
    // A common word, not a field.
    ['The model has no content of this type', undefined],
    ['temperature is not supported', undefined],
  ])('%s', (words, field) => expect(findNamedField(words, body)).toBe(field));

  it('is undefined where no body was sent', () => expect(findNamedField("'max_tokens'", undefined)).toBeUndefined());

  it('is part of the message', () => {
    const fault = new ProviderFault('rejected-request', "Unknown field 'max_tokens'.", { status: 400 });
    const { reason } = verdictOf(fault, { ...tried, sentBody: { max_tokens: 16 } });
    expect(reason).toBe("the provider refuses the request, naming the field max_tokens: Unknown field 'max_tokens'");
  });
});
