// Goal: calls are addressed, authorised and framed for Bedrock's runtime, and its failures are recognised by name.
// Method: tables of credentials, base URLs, dialects, messages of streams and failures.
import { awsEvent, awsException, awsMessage } from '../../../../test/support/aws-event-stream.js';
import { AheadClock } from '../../../../test/support/ahead-clock.js';
import { endpoint, model, provider } from '../../../../test/support/route-inputs.js';
import { ProviderFault } from '../../../core/errors.js';
import type { CallContext, CallHeaders } from '../../../core/platform.js';
import type { Target } from '../../../core/provider.js';
import type { DialectId } from '../../../core/routing/catalog.js';
import { Secret } from '../../../core/secret.js';
import type { SseFrame } from '../../../core/stream/sse.js';
import { BedrockPlatform } from './platform.js';

const platform = new BedrockPlatform(new AheadClock());
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'CANARY/secret+key', region: 'eu-west-1' };
const PLACED = 'https://bedrock-runtime.{region}.amazonaws.com';
const FIXED = 'https://bedrock-runtime.us-west-2.amazonaws.com';

function contextOf(credential: object | string, baseUrl = PLACED, parts: Partial<Target> = {}): CallContext {
  const one = {
    ...endpoint('amazon-bedrock', { upstreamModel: 'eu.anthropic.claude-a-v1:0' }),
    provider: { ...provider('amazon-bedrock'), dialect: 'bedrock-converse' as DialectId, baseUrl },
  };
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  const definition = { slug: 'amazon-bedrock', credential: 'bearer', quirks: {} } as const;
  const target: Target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition, ...parts };
  return { target, credential: new Secret(text) };
}

const withDialect = (context: CallContext, dialect: DialectId, upstreamModel?: string): CallContext => {
  const { target } = context;
  const upstream = upstreamModel ?? target.endpoint.upstreamModel;
  return { ...context, target: { ...target, endpoint: { ...target.endpoint, dialect, upstreamModel: upstream } } };
};

const call = (path: string, stream = false) => ({ path, headers: {}, body: {}, stream });

function authorise(context: CallContext, headers: CallHeaders = {}): CallHeaders {
  const url = platform.address(context, call('/model/m/converse'));
  return platform.authorise(context, { url, headers, body: '{}' });
}

describe('address', () => {
  it.each([
    ['of the credential', KEYS, PLACED, 'https://bedrock-runtime.eu-west-1.amazonaws.com/x'],
    [
      'of the sovereign cloud',
      { ...KEYS, region: 'eusc-de-east-1' },
      PLACED,
      'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu/x',
    ],
    ['of the base URL', 'an-api-key', FIXED, `${FIXED}/x`],
    ['of the base URL, whatever the credential names', KEYS, FIXED, `${FIXED}/x`],
    ['of a base URL that is nowhere else', KEYS, 'http://127.0.0.1:9/base', 'http://127.0.0.1:9/base/x'],
    [
      'of the state',
      { ...KEYS, region: 'us-gov-west-1' },
      PLACED,
      'https://bedrock-runtime.us-gov-west-1.amazonaws.com/x',
    ],
  ])('is in the region %s', (_, credential, baseUrl, url) => {
    expect(platform.address(contextOf(credential, baseUrl), call('/x'))).toBe(url);
  });

  it.each<[DialectId, string, boolean, string]>([
    ['bedrock-converse', '/model/m/converse', false, '/model/m/converse'],
    ['bedrock-converse', '/model/m/count-tokens', false, '/model/m/count-tokens'],
    ['anthropic-messages', '/v1/messages', false, '/model/eu.anthropic.claude-a-v1%3A0/invoke'],
    ['anthropic-messages', '/v1/messages', true, '/model/eu.anthropic.claude-a-v1%3A0/invoke-with-response-stream'],
    ['openai-chat', '/chat/completions', true, '/openai/v1/chat/completions'],
  ])('of %s, %s, streamed %s', (dialect, path, stream, expected) => {
    const context = withDialect(contextOf('key', FIXED), dialect);
    expect(platform.address(context, call(path, stream))).toBe(FIXED + expected);
  });

  it('escapes a profile once, which stays one segment', () => {
    const profile = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-a';
    const url = platform.address(
      withDialect(contextOf('key', FIXED), 'anthropic-messages', profile),
      call('/v1/messages'),
    );
    expect(url).toBe(
      `${FIXED}/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude-a/invoke`,
    );
    expect(new URL(url).pathname).toBe(url.slice(FIXED.length));
  });

  it.each<[string, object | string]>([
    ['a key without a region', 'an-api-key'],
    ['keys without a region', { ...KEYS, region: undefined }],
    ['a region that leads elsewhere', { ...KEYS, region: 'evil.example/x' }],
    ['a region with a port', { ...KEYS, region: 'us-east-1:80' }],
    ['a region that is no text', { ...KEYS, region: 1 }],
  ])('refuses %s', (_, credential) => {
    expect(() => platform.address(contextOf(credential), call('/x'))).toThrow(
      expect.objectContaining({ kind: 'refused-credential', message: expect.stringMatching(/region/) }),
    );
  });
});

describe('authorise', () => {
  it('sends one key as it is', () => {
    expect(authorise(contextOf('an-api-key', FIXED))).toEqual({ authorization: 'Bearer an-api-key' });
  });

  it('signs with keys, for the region of the base URL, else of the credential', () => {
    const signed = authorise(contextOf({ ...KEYS, sessionToken: 'tok' }), { 'content-type': 'application/json' });
    expect(signed['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
    expect(signed['x-amz-security-token']).toBe('tok');
    const { region: _region, ...rest } = KEYS;
    expect(authorise(contextOf(rest, FIXED))['authorization']).toContain('/us-west-2/bedrock/');
  });

  it.each([
    ['us-west-2', FIXED],
    ['us-west-2', 'https://bedrock-runtime-fips.us-west-2.amazonaws.com/base'],
    ['us-west-2', 'https://vpce-1-a.bedrock-runtime.us-west-2.vpce.amazonaws.com'],
    ['us-west-2', 'https://bedrock-runtime.us-west-2.api.aws'],
    ['eusc-de-east-1', 'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu'],
    // The address names no region, so the credential's counts.
    ['eu-west-1', 'http://127.0.0.1:9'],
    ['eu-west-1', 'https://bedrock-runtime.us-west-2.amazonaws.com.proxy.test'],
  ])('signs for %s at %s, keys for another region or not', (region, baseUrl) => {
    expect(authorise(contextOf(KEYS, baseUrl))['authorization']).toContain(`/${region}/bedrock/`);
  });

  it('wants no credential where the provider has none', () => {
    const context = contextOf('', 'http://127.0.0.1:9', { definition: { slug: 'x', credential: 'none', quirks: {} } });
    expect(authorise(context)).toEqual({});
  });

  it.each([
    ['priority', { 'x-amzn-bedrock-service-tier': 'priority' }],
    ['flex', { 'x-amzn-bedrock-service-tier': 'flex' }],
    ['fast', { 'x-amzn-bedrock-performanceconfig-latency': 'optimized' }],
    ['standard', {}],
  ] as const)('states the tier %s where the body has no field for it', (tier, headers) => {
    const native = withDialect(contextOf('key', FIXED, { tier }), 'anthropic-messages');
    expect(authorise(native)).toEqual({ ...headers, authorization: 'Bearer key' });
    expect(authorise(contextOf('key', FIXED, { tier }))).toEqual({ authorization: 'Bearer key' });
    const names = Object.keys(headers).join(';');
    expect(authorise(withDialect(contextOf(KEYS, FIXED, { tier }), 'anthropic-messages'))['authorization']).toContain(
      names,
    );
  });

  it.each<[string, object | string, RegExp]>([
    ['no key', '', /no credential|no HTTP header/],
    ['a key with a line break', 'CANARY\nx', /header/],
    ['a list', '["CANARY"]', /is a list/],
    ['broken JSON', '{"secretAccessKey":"CANARY', /is not valid JSON/],
    ['no id', { ...KEYS, accessKeyId: undefined }, /lacks the member accessKeyId/],
    ['an id with a line break', { ...KEYS, accessKeyId: 'CANARY\nx' }, /accessKeyId/],
    ['no secret', { ...KEYS, secretAccessKey: '' }, /lacks the member secretAccessKey/],
    ['a secret with a blank', { ...KEYS, secretAccessKey: 'CANARY x' }, /secretAccessKey/],
    ['a token that is none', { ...KEYS, sessionToken: 7 }, /sessionToken/],
    ['a token with a line break', { ...KEYS, sessionToken: 'CANARY\nx' }, /sessionToken/],
  ])('refuses %s without repeating the value', (_, credential, words) => {
    let thrown: unknown;
    try {
      authorise(contextOf(credential, FIXED));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ kind: 'refused-credential', message: expect.stringMatching(words) });
    expect(String((thrown as ProviderFault).stack)).not.toContain('CANARY');
    expect((thrown as ProviderFault).cause).toBeUndefined();
  });
});

describe('frames', () => {
  const STREAM = { 'content-type': 'application/vnd.amazon.eventstream' };
  function framesOf(...messages: readonly Buffer[]): SseFrame[] {
    const out: SseFrame[] = [];
    const step = platform.frames(STREAM)!;
    for (const message of messages) step.push(message, out);
    step.end(out);
    return out;
  }

  it('gives an event of Converse by its name, and unchanged', () => {
    expect(framesOf(awsEvent('contentBlockDelta', { delta: { text: '“é”' } }))).toEqual([
      { event: 'contentBlockDelta', data: '{"delta":{"text":"“é”"}}' },
    ]);
  });

  it.each([
    ['{"type":"message_start","message":{}}', 'message_start'],
    ['{"message":{}, "type": "message_delta"}', 'message_delta'],
    ['{"completion":"x"}', ''],
  ])('unwraps the vendor’s own event %s', (data, event) => {
    const bytes = Buffer.from(data).toString('base64');
    expect(framesOf(awsEvent('chunk', { bytes, p: 'abc' }))).toEqual([{ event, data }]);
  });

  it.each([
    ['throttlingException', 'rate-limited'],
    ['modelStreamErrorException', 'server-error'],
    ['internalServerException', 'server-error'],
    ['serviceUnavailableException', 'unavailable'],
    ['validationException', 'rejected-request'],
    ['modelTimeoutException', 'timed-out'],
    ['aNewException', 'server-error'],
  ])('throws %s', (name, kind) => {
    const frames: SseFrame[] = [];
    const step = platform.frames(STREAM)!;
    const bytes = Buffer.concat([awsEvent('messageStart', {}), awsException(name, { message: 'Too many.' })]);
    expect(() => step.push(bytes, frames)).toThrow(
      expect.objectContaining({ kind, message: 'Too many.', detail: { providerCode: name } }),
    );
    // Earlier frames are kept.
    expect(frames).toHaveLength(1);
  });

  it('throws an error without a type of its own', () => {
    const headers = { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'It broke.' };
    expect(() => framesOf(awsMessage(headers, ''))).toThrow(
      expect.objectContaining({
        kind: 'server-error',
        message: 'It broke.',
        detail: { providerCode: 'InternalFailure' },
      }),
    );
  });

  it.each([
    ['an unknown kind', awsMessage({ ':message-type': 'other' }, '{}')],
    ['no kind', awsMessage({}, '{}')],
    ['a piece without bytes', awsEvent('chunk', { p: 'x' })],
    ['a piece that is no JSON', awsMessage({ ':message-type': 'event', ':event-type': 'chunk' }, 'x')],
  ])('is malformed with %s', (_, message) => {
    expect(() => framesOf(message)).toThrow(expect.objectContaining({ kind: 'malformed-reply' }));
  });

  it.each([
    ['application/json', undefined],
    ['text/event-stream; charset=utf-8', 'SseReader'],
  ])('of %s are %s', (type, name) => {
    expect(platform.frames({ 'content-type': type })?.constructor.name).toBe(name);
  });
});

describe('fault', () => {
  it.each<[number, Record<string, string>, string, string, object]>([
    [400, { 'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/x' }, '{"message":"Bad."}', 'rejected-request', { providerCode: 'ValidationException' }],
    [403, { 'x-amzn-errortype': 'AccessDeniedException' }, '{"Message":"No."}', 'refused-credential', { providerCode: 'AccessDeniedException' }],
    [404, {}, '{"__type":"com.amazon.coral.service#ResourceNotFoundException","message":"None."}', 'not-found', { providerCode: 'ResourceNotFoundException' }],
    [424, { 'x-amzn-errortype': 'ModelErrorException' }, '{"message":"The model broke."}', 'server-error', {}],
    [408, { 'x-amzn-errortype': 'ModelTimeoutException' }, '{"message":"Slow."}', 'timed-out', {}],
    [429, { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '2' }, '{"message":"Slower."}', 'rate-limited', { retryAfterMs: 2000 }],
    [429, { 'x-amzn-errortype': 'ModelNotReadyException' }, '{"message":"Wait."}', 'unavailable', {}],
    [400, { 'x-amzn-errortype': 'ServiceQuotaExceededException' }, '{"message":"Full."}', 'rate-limited', {}],
    [500, { 'x-amzn-errortype': 'InternalServerException' }, '', 'server-error', {}],
    [503, { 'x-amzn-errortype': 'ServiceUnavailableException' }, '{"message":"Later."}', 'unavailable', {}],
  ])('of %d, %j, %s', (status, headers, body, kind, detail) => {
    expect(platform.fault({ status, headers, body })).toMatchObject({ kind, detail: { status, ...detail } });
  }); // oxfmt-ignore

  it.each(['', '<html>', '{"error":{"message":"chat"}}'])('leaves %s to the dialect', (body) => {
    expect(platform.fault({ status: 503, headers: {}, body })).toBeUndefined();
  });
});

it('counts only where the form of a count is its own', () => {
  expect([platform.counts('bedrock-converse'), platform.counts('anthropic-messages')]).toEqual([true, false]);
});
