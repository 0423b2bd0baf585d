/**
 * Checks that `npm run fairlead -- try` reports for each endpoint whether it works, or what its operator has to
 * check, without a credential; that its exit status agrees with the report; and that it ends in bounded time. The
 * command runs before loopback upstreams that answer as the vendors do (recorded replies, or the public threads
 * beside them), once for each possible fault; then as a separate process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS_AT_ONCE } from '../../src/routing/provider-check.js';
import type { CheckProblem } from '../../src/routing/check-verdict.js';
import { anthropicError, anthropicFrames, anthropicText } from '../support/anthropic-upstream.js';
import { oauthToken, serviceAccount } from '../support/cloud-upstream.js';
import { expectUsage, type CommandOutput } from '../support/command-output.js';
import { compiledSource } from '../support/compiled-source.js';
import { openaiError, openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import {
  ProviderCheckBench,
  tryProvider,
  type CheckAnswer,
  type CheckReport,
} from '../support/provider-check-bench.js';
import { CUT, HANG, json, neverAnswers, resets, sse, type Answer } from '../support/upstream-answers.js';
import { runProviderTry } from '../../src/routing/provider-try-command.js';

const KEY = 'sk-CANARY-of-the-operator-0123456789';
const LABEL = 'sk-...6789';
const HTML = '<!doctype html><html><title>404 Not Found</title></html>';
const page = (status: number, html = HTML, headers = {}): Answer => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: [html],
});

let bench: ProviderCheckBench;
beforeEach(async () => void (bench = await ProviderCheckBench.start()));
afterEach(() => bench.close());

interface Tried {
  readonly output: CommandOutput;
  readonly report: CheckReport;
}

/** Runs the command over a catalog whose endpoints give these answers, each by its own name. */
async function tryEach(
  provider: object,
  answers: Readonly<Record<string, CheckAnswer | Answer>>,
  { words = [], key = KEY, endpoint = {} }: { words?: readonly string[]; key?: string; endpoint?: object } = {},
): Promise<Tried> {
  for (const [name, answer] of Object.entries(answers)) {
    bench.script(name, typeof answer === 'function' ? answer : () => answer);
  }
  const path = bench.catalog(
    provider,
    Object.keys(answers).map((upstreamModel) => ({ upstreamModel, endpoint })),
  );
  const slug = (provider as { slug?: string }).slug ?? 'acme';
  const output = await tryProvider([slug, '--json', '--limit', '100', ...words], {
    FAIRLEAD_CATALOG: path,
    ACME_KEY: key,
  });
  expect(output.error).toBe('');
  expect(output.out).not.toContain('CANARY');
  return { output, report: JSON.parse(output.out) as CheckReport };
}

type Case = readonly [name: string, answer: CheckAnswer | Answer, problem: CheckProblem | null, words: RegExp | null];

/** All cases of one provider in one run. */
async function expectVerdicts(provider: object, cases: readonly Case[], key = KEY): Promise<void> {
  const answers = Object.fromEntries(cases.map(([name, answer]) => [name, answer]));
  const { output, report } = await tryEach(provider, answers, { key });
  const problems = report.endpoints.map(({ upstream_model, calls: [call] }) => [upstream_model, call!.problem]);
  expect(problems).toEqual(cases.map(([name, , problem]) => [name, problem]));
  for (const [index, [, , problem, words]] of cases.entries()) {
    const [call] = report.endpoints[index]!.calls;
    expect(call!.works).toBe(problem === null);
    if (words) expect(call!.message).toMatch(words);
    else expect(call!.message).toBeNull();
  }
  expect(output.code).toBe(cases.every(([, , problem]) => problem === null) ? 0 : 1);
}

const gemini = (text: string, more: object = {}): Answer =>
  json({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6 },
    ...more,
  });
const googleError = (code: number, status: string, message: string, details: object[] = []): Answer =>
  json({ error: { code, status, message, ...(details.length > 0 && { details }) } }, code);

const CHAT = { dialect: 'openai-chat' };
const MESSAGES = { dialect: 'anthropic-messages' };
const GEMINI = { dialect: 'google-gemini' };

describe('what a chat upstream answers', () => {
  const refusal = (status: number, message: string, type?: string, code?: string): Answer =>
    json(openaiError(message, type, code), status);

  it('is reported in plain words, one line each', () =>
    expectVerdicts(CHAT, [
      ['well', openaiText('ok'), null, null],
      ['bad-key', refusal(401, `Incorrect API key provided: ${KEY}.`, 'invalid_request_error', 'invalid_api_key'), 'credential', /^the credential sk-\.\.\.6789 \(variable ACME_KEY\) is refused \(401\): Incorrect API key/],
      // Recorded from xAI, which refuses its keys with 400.
      ['bad-key-400', json({ code: 'invalid-argument', error: 'Incorrect API key provided. You can obtain an API key from https://console.x.ai.' }, 400), 'credential', /is refused \(400\): Incorrect API key provided/],
      ['forbidden', page(403), 'credential', /is refused \(403\): The provider answered with status 403/],
      // Recorded from Groq.
      ['unknown-404', refusal(404, 'The model `x` does not exist or you do not have access to it.', 'invalid_request_error', 'model_not_found'), 'model name', /does not know "unknown-404" \(`model` of the endpoint\)/],
      ['unknown-400', refusal(400, 'Model Not Exist', 'invalid_request_error', 'invalid_request_error'), 'model name', /Model Not Exist/],
      // Together (github.com/HeyPuter/puter/issues/3168).
      ['unknown-dedicated', refusal(400, 'Unable to access non-serverless model x.', 'invalid_request_error', 'model_not_available'), 'model name', /non-serverless/],
      // OpenAI (github.com/Aider-AI/aider/issues/604).
      ['not-enabled', refusal(403, 'Project `proj_1` does not have access to model `gpt-4o`', 'invalid_request_error', 'model_not_found'), 'model access', /is known, but may not use "not-enabled".*does not have access to model/],
      ['wrong-path', page(404), 'address', /has nothing at this path \(base_url http:\/\/127/],
      // OpenAI (github.com/ChatGPTNextWeb/NextChat/issues/423), Azure (github.com/microsoft/autogen/issues/3953).
      ['wrong-url', refusal(404, 'Invalid URL (POST /v1/v1/chat/completions)'), 'address', /nothing at this path.*Invalid URL/],
      ['wrong-version', json({ error: { code: '404', message: 'Resource not found' } }, 404), 'address', /nothing at this path/],
      ['wrong-proxy', json({ message: 'no Route matched with those values' }, 404), 'address', /nothing at this path/],
      ['wrong-method', page(405), 'address', /takes no calls at this path \(405\)/],
      ['moved', page(301, '', { location: 'https://elsewhere.test/v1' }), 'address', /redirects to another address \(301\).*not followed/],
      ['front-page', page(200), 'answer', /cannot be read as openai-chat.*or base_url .* leads to something else\): .*not JSON/],
      ['paid-up', refusal(402, 'Insufficient Balance'), 'account', /nothing left to spend there: Insufficient Balance/],
      ['no-credit', refusal(429, 'You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota', 'insufficient_quota'), 'account', /nothing left to spend/],
      // Recorded from the responses format.
      ['no-credit-400', refusal(400, 'You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota'), 'account', /nothing left to spend/],
      // xAI (github.com/continuedev/continue/issues/10373, github.com/Anantys-oss/koan/issues/2412).
      ['no-credit-403', json({ code: 'permission-denied', error: 'Your team 1 has either used all available credits or reached its monthly spending limit.' }, 403), 'account', /nothing left to spend/],
      ['too-fast', json(openaiError('Slow down.', 'requests', 'rate_limit_exceeded'), 429, { 'retry-after': '7' }), 'rate limit', /too many calls.*: Slow down; again in 7 s$/],
      ['refused-field', refusal(400, "Unsupported parameter: 'max_tokens' is not supported with this model.", 'invalid_request_error', 'unsupported_parameter'), 'request', /refuses the request, naming the field max_tokens:/],
      ['no-words', page(400), 'request', /refuses the request.*without a reason/],
      ['down', page(503), 'provider', /is not available/],
      ['broken', refusal(500, 'Oops', 'server_error'), 'provider', /the provider failed: Oops/],
      ['gateway', page(502), 'provider', /the provider failed.*502/],
      ['late', page(504), 'provider', /did not answer in time/],
      ['late-in-band', json({ error: { message: 'took too long', type: 'timeout' } }), 'provider', /did not answer in time/],
      ['error-in-200', json(openaiError('No such key', 'authentication_error', 'invalid_api_key')), 'credential', /is refused \(200\): No such key/],
      ['no-json', { headers: { 'content-type': 'application/json' }, body: ['{"id":'] }, 'answer', /not JSON/],
      ['no-completion', json({ object: 'list', data: [] }), 'answer', /cannot be read as openai-chat \(`dialect`/],
      ['mismatch', anthropicText('Hi'), 'answer', /cannot be read as openai-chat \(`dialect` of the endpoint or its provider; or base_url http/],
      ['closed', resets(), 'address', /closed the connection before it answered/],
      ['cut', { headers: { 'content-type': 'application/json', 'content-length': '100' }, body: ['{"id":', CUT] }, 'provider', /broke its answer off/],
    ])); // oxfmt-ignore
});

describe('what a Messages upstream answers', () => {
  const refusal = (status: number, type: string, message: string): Answer =>
    json(anthropicError(type, message), status);

  it('is reported in plain words', () =>
    expectVerdicts(MESSAGES, [
      ['well', anthropicText('ok'), null, null],
      // Recorded.
      ['bad-key', refusal(401, 'authentication_error', 'invalid x-api-key'), 'credential', /\(401\): invalid x-api-key/],
      ['unknown', refusal(404, 'not_found_error', 'model: unknown'), 'model name', /does not know "unknown"/],
      // From an address that the vendor does not have.
      ['wrong-path', refusal(404, 'not_found_error', 'Not Found'), 'address', /nothing at this path/],
      // github.com/anthropics/claude-code/issues/4684
      ['no-credit', refusal(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'), 'account', /nothing left to spend/],
      ['too-fast', refusal(429, 'rate_limit_error', 'This would exceed your rate limit.'), 'rate limit', /too many calls/],
      ['overloaded', refusal(529, 'overloaded_error', 'Overloaded'), 'provider', /is overloaded/],
      ['broken', refusal(500, 'api_error', 'Internal server error'), 'provider', /failed/],
      ['refused', refusal(400, 'invalid_request_error', 'max_tokens: Extra inputs are not permitted'), 'request', /naming the field max_tokens/],
      // The most frequent mismatch: another vendor's format behind the address.
      ['mismatch', openaiText('Hi'), 'answer', /cannot be read as anthropic-messages/],
      ['mismatch-404', json({ detail: 'Not Found' }, 404), 'address', /nothing at this path/],
    ])); // oxfmt-ignore
});

describe('what a Gemini upstream answers', () => {
  const KEY_INVALID = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };

  it('is reported in plain words', () =>
    expectVerdicts(GEMINI, [
      ['well', gemini('ok'), null, null],
      // Recorded.
      ['bad-key', googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [KEY_INVALID]), 'credential', /is refused \(400\): API key not valid/],
      ['quota', googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'), 'rate limit', /or a quota is used up/],
      // github.com/googleapis/js-genai and others: the message for all unknown models.
      ['unknown', googleError(404, 'NOT_FOUND', 'models/unknown is not found for API version v1beta, or is not supported for generateContent.'), 'model name', /does not know "unknown"/],
      ['wrong-path', page(404), 'address', /nothing at this path/],
      // github.com/googleapis/js-genai/issues/930
      ['empty-404', json({ error: { message: '', code: 404, status: 'Not Found' } }, 404), 'address', /nothing at this path/],
      ['no-billing', googleError(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.', [{ reason: 'BILLING_DISABLED' }]), 'account', /requires billing/],
      ['switched-off', googleError(403, 'PERMISSION_DENIED', 'The API is disabled in project 1.', [{ reason: 'SERVICE_DISABLED' }]), 'credential', /is refused \(403\)/],
      ['broken', googleError(500, 'INTERNAL', 'An internal error has occurred.'), 'provider', /failed/],
      ['mismatch', openaiText('Hi'), 'answer', /cannot be read as google-gemini/],
    ])); // oxfmt-ignore
});

describe('another model than the requested one', () => {
  it.each<[string, object, CheckAnswer]>([
    ['a chat upstream', CHAT, (request, index) => openaiText('ok')({ ...request, json: { model: 'gpt-other' } }, index)],
    ['a Messages upstream', MESSAGES, (request, index) => anthropicText('ok')({ ...request, json: { model: 'gpt-other' } }, index)],
    ['a Gemini upstream', GEMINI, () => gemini('ok', { modelVersion: 'gpt-other' })],
  ])('is reported for %s, and is no failure', async (_, provider, answer) => {
    const { output, report } = await tryEach(provider, { asked: answer });
    expect(report.endpoints[0]).toMatchObject({ works: true, calls: [{ model: 'gpt-other' }] });
    expect(output.code).toBe(0);
    const plain = await tryProvider(['acme'], { FAIRLEAD_CATALOG: bench.catalog(provider, [{ upstreamModel: 'asked' }]), ACME_KEY: KEY });
    expect(plain.out).toMatch(/\[acme, asked\]: works \(\d+ ms\); it reports the model "gpt-other"\n/);
  }); // oxfmt-ignore

  it('is reported without a credential or control characters of a terminal', async () => {
    const { report } = await tryEach(CHAT, {
      asked: (request, index) => openaiText('ok')({ ...request, json: { model: `${KEY}\u001b[2J` } }, index),
    });
    expect(report.endpoints[0]!.calls[0]!.model).not.toContain('\u001b');
  });

  it('is not reported for the requested one', async () => {
    const { report } = await tryEach(CHAT, { asked: openaiText('ok') });
    expect(report.endpoints[0]!.calls[0]!.model).toBe('asked');
    const path = bench.catalog(CHAT, [{ upstreamModel: 'asked' }]);
    const { out } = await tryProvider(['acme'], { FAIRLEAD_CATALOG: path, ACME_KEY: KEY });
    expect(out).toMatch(/: works \(\d+ ms\)\n1 of 1 endpoint tried works\.\n$/);
  });
});

describe('Bedrock', () => {
  const KEYS = JSON.stringify({
    accessKeyId: 'AKIACANARY0123456789',
    secretAccessKey: 'CANARY/of+the+operator/0123456789abcdef',
    region: 'eu-central-1',
  });
  const converse = json({
    output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 },
    metrics: { latencyMs: 1 },
  });
  const refusal = (status: number, exception: string, message?: string): Answer =>
    json(message === undefined ? {} : { message }, status, {
      'x-amzn-errortype': `${exception}:http://internal.amazon.com/`,
    });

  it('is reported in plain words', async () => {
    await expectVerdicts({ slug: 'acme', dialect: 'bedrock-converse', platform: 'bedrock' }, [
      ['well', converse, null, null],
      // Recorded.
      ['bad-token', refusal(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'), 'credential', /is refused \(403\): The security token/],
      ['bad-signature', (request) => refusal(403, 'InvalidSignatureException', `The request signature we calculated does not match. Authorization was ${request.headers.authorization}`), 'credential', /is refused \(403\)/],
      ['unknown', refusal(400, 'ValidationException', 'The provided model identifier is invalid.'), 'model name', /does not know "unknown"/],
      // github.com/terricain/aioboto3/issues/352
      ['profile', refusal(400, 'ValidationException', 'Invocation of model ID profile with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.'), 'model name', /inference profile/],
      // github.com/aws-samples/generative-ai-to-build-a-devsecops-chatbot/issues/3
      ['not-enabled', refusal(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."), 'model access', /is known, but may not use "not-enabled"/],
      // github.com/ministryofjustice/modernisation-platform-environments/pull/18323
      ['not-subscribed', refusal(403, 'AccessDeniedException', 'Model access is denied due to IAM user or service role is not authorized to perform the required AWS Marketplace actions'), 'model access', /Marketplace/],
      ['no-right', refusal(403, 'AccessDeniedException', 'User: arn:aws:iam::1:user/me is not authorized to perform: bedrock:InvokeModel'), 'credential', /is refused \(403\): User/],
      ['wrong-path', refusal(404, 'UnknownOperationException'), 'address', /nothing at this path/],
      ['too-fast', refusal(429, 'ThrottlingException', 'Too many requests, please wait.'), 'rate limit', /too many calls/],
      ['down', refusal(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'), 'provider', /not available/],
      ['mismatch', openaiText('Hi'), 'answer', /cannot be read as bedrock-converse/],
    ], KEYS); // oxfmt-ignore
    for (const { headers } of bench.upstream.requests) expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
  });

  it.each([
    ['{"accessKeyId":"AKIACANARY"}', /lacks the member secretAccessKey/],
    ['{"accessKeyId":"AKIACANARY', /is not valid JSON/],
    ['{"accessKeyId":"AKIACANARY0123456789","secretAccessKey":"CANARY-secret-key"}', /names no region/],
  ])('names the fault of %s', async (key, words) => {
    const { report } = await tryEach({ dialect: 'bedrock-converse', platform: 'bedrock' }, { well: converse }, { key });
    const [call] = report.endpoints[0]!.calls;
    expect(call).toMatchObject({ problem: 'credential', message: expect.stringMatching(words), status: null });
    expect(call!.message).toContain('the credential ... (variable ACME_KEY) cannot be used');
  });
});

describe('the token service of a credential', () => {
  const VERTEX = { dialect: 'google-gemini', platform: 'vertex' };
  const AZURE = { dialect: 'openai-chat', platform: 'azure' };
  const account = (uri: string): string => serviceAccount(uri, { region: 'eu', private_key_id: 'CANARY-key-id' });
  const application = (uri: string): string =>
    JSON.stringify({
      tenant_id: 'contoso.example',
      client_id: 'app-1',
      client_secret: 'CANARY-secret-of-the-application',
      resource_name: 'mine',
      token_url: uri,
    });
  /** A port without a listener. */
  const NOWHERE = 'http://127.0.0.1:9/token';

  const PLATFORMS = [
    ['vertex', VERTEX, account, gemini('ok')],
    ['azure', AZURE, application, openaiText('ok')],
  ] as const;

  it.each(PLATFORMS)('works on %s', async (_, provider, credential, well) => {
    bench.script('/token', () => oauthToken('CANARY-token-of-24-characters'));
    const { report } = await tryEach(provider, { well }, { key: credential(`${bench.upstream.origin}/token`) });
    expect(report.endpoints[0]).toMatchObject({ works: true });
  });

  it.each(PLATFORMS)('is reported where it refuses, on %s', async (_, provider, credential, well) => {
    bench.script('/token', () => json({ error: 'invalid_grant', error_description: 'CANARY' }, 400));
    const { report } = await tryEach(provider, { well }, { key: credential(`${bench.upstream.origin}/token`) });
    const [call] = report.endpoints[0]!.calls;
    expect(call).toMatchObject({ problem: 'credential', status: null });
    expect(call!.message).toMatch(
      /^the credential .*\(variable ACME_KEY\) gets no token: .*status 400: invalid_grant$/,
    );
  });

  it.each(PLATFORMS)('is reported where it is unreachable, instead of the provider, on %s', async (_, provider, credential, well) => {
    const { report } = await tryEach(provider, { well }, { key: credential(NOWHERE) });
    const [call] = report.endpoints[0]!.calls;
    expect(call!.problem).toBe('address');
    expect(call!.message).toMatch(/^of the token service that the credential names, no process listens at 127\.0\.0\.1:9$/);
  }); // oxfmt-ignore

  it.each<[string, () => Answer, RegExp]>([
    ['down', () => page(503), /gets no token: .*status 503$/],
    ['at its limit', () => json({}, 429), /gets no token: .*status 429$/],
    ['not there', () => page(404), /gets no token: .*status 404$/],
    ['another page', () => page(200), /gets no token: .*sent no JSON$/],
    ['without a token', () => json({ expires_in: 3600 }), /gets no token: .*sent no token$/],
  ])('is reported where it is %s', async (_, answer, words) => {
    for (const [, provider, credential, well] of PLATFORMS) {
      bench.script('/token', answer);
      const { report } = await tryEach(provider, { well }, { key: credential(`${bench.upstream.origin}/token`) });
      expect(report.endpoints[0]!.calls[0]).toMatchObject({
        problem: 'credential',
        message: expect.stringMatching(words),
      });
    }
  });

  it('is waited for no longer than the endpoint', async () => {
    bench.script('/token', neverAnswers);
    const { report } = await tryEach(
      VERTEX,
      { well: gemini('ok') },
      { key: account(`${bench.upstream.origin}/token`), endpoint: { timeouts: { first: '300ms' } } },
    );
    const [call] = report.endpoints[0]!.calls;
    expect(call).toMatchObject({ problem: 'provider', message: expect.stringContaining('within 0.3 s') });
    expect(call!.latency_ms).toBeLessThan(5_000);
  });
});

describe('Vertex', () => {
  it('is reported in plain words', async () => {
    bench.script('/token', () => oauthToken('CANARY-token-of-24-characters'));
    const wrongToken = (request: JsonBody): Answer =>
      googleError(401, 'UNAUTHENTICATED', `Request had invalid credentials: ${request.headers.authorization}`);
    // github.com/genkit-ai/genkit/issues/4688
    const NOT_FOUND = 'Publisher Model `projects/1/locations/eu/publishers/google/models/unknown` was not found or your project does not have access to it.';
    await expectVerdicts(
      { dialect: 'google-gemini', platform: 'vertex' },
      [
        ['well', gemini('ok'), null, null],
        ['unknown', googleError(404, 'NOT_FOUND', NOT_FOUND), 'model name', /does not know "unknown"/],
        ['no-right', googleError(403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied on resource"), 'credential', /\(403\): Permission/],
        ['bad-token', wrongToken, 'credential', /is refused \(401\): Request had invalid credentials: .*\[/],
      ],
      serviceAccount(`${bench.upstream.origin}/token`, { region: 'eu' }),
    );
  }); // oxfmt-ignore
});

describe('the address', () => {
  const cases: readonly (readonly [string, () => string | Promise<string>, RegExp])[] = [
    // Longer than a part of a name may be, so that no name server is queried.
    ['of an unknown host', () => `http://${'a'.repeat(64)}.test/v1`, /the host a{64}\.test is not known/],
    ['without a listener', () => 'http://127.0.0.1:9/v1', /no process listens at 127\.0\.0\.1:9 \(base_url http:\/\/127\.0\.0\.1:9\/v1\)$/],
    ['of TLS where plain HTTP is spoken', () => bench.upstream.origin.replace('http:', 'https:'), /does not speak TLS; is it an http:\/\/ address\?/],
  ]; // oxfmt-ignore
  it.each(cases)('%s', async (_, address, words) => {
    const { output, report } = await tryEach({ ...CHAT, base_url: await address() }, { one: openaiText('ok') });
    expect(report.endpoints[0]!.calls[0]).toMatchObject({
      problem: 'address',
      message: expect.stringMatching(words),
      status: null,
    });
    expect(output.code).toBe(1);
  });

  it('of plain HTTP where TLS is spoken', async () => {
    // The reply of a TLS server to a request in the clear (RFC 8446, 6.2: a fatal alert), and replies of others in
    // HTML.
    const { report } = await tryEach(CHAT, {
      alert: { raw: true, body: [new Uint8Array([0x15, 3, 3, 0, 2, 2, 70]), HANG] },
      page: page(400, '<html><center>The plain HTTP request was sent to HTTPS port</center></html>'),
    });
    for (const { calls } of report.endpoints) expect(calls[0]!.message).toMatch(/https:\/\/ address\?/);
  });
});

describe('the credential', () => {
  const path = (credential: object): string => bench.catalog({ ...CHAT, credential }, [{ upstreamModel: 'one' }]);

  it('that is missing in the environment: no call is made', async () => {
    for (const words of [['acme'], ['acme', '--json']]) {
      const variables = { FAIRLEAD_CATALOG: path({ env: 'ACME_KEY' }) };
      expect(await tryProvider(words, variables)).toMatchObject({
        code: 1,
        out: expect.stringContaining('the variable ACME_KEY is not set'),
        error: '',
      });
      expect(await tryProvider(words, { ...variables, ACME_KEY: ' \n' })).toMatchObject({
        code: 1,
        out: expect.stringContaining('the variable ACME_KEY is not set'),
      });
    }
    expect(bench.upstream.requests).toHaveLength(0);
  });

  it('that the catalog does not name: no call is made', async () => {
    const catalog = bench.catalog({ ...CHAT, credential: undefined }, [{ upstreamModel: 'one' }]);
    expect(await tryProvider(['acme'], { FAIRLEAD_CATALOG: catalog })).toMatchObject({
      code: 1,
      out: expect.stringContaining('only callers with a credential of their own'),
    });
  });

  it('that is not wanted: is called without', async () => {
    bench.script('one', openaiText('ok'));
    const catalog = bench.catalog({ ...CHAT, credential: 'none' }, [{ upstreamModel: 'one' }]);
    expect(await tryProvider(['acme'], { FAIRLEAD_CATALOG: catalog })).toMatchObject({ code: 0 });
    expect(bench.upstream.requests[0]!.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['is not there', undefined, /names a file that cannot be read/],
    ['is empty', ' \n', /names a file that is empty/],
  ])('whose file %s: the catalog is refused, as at a start', async (_, text, words) => {
    const file = join(bench.folder, 'key');
    if (text !== undefined) writeFileSync(file, text);
    const { code, out, error } = await tryProvider(['acme'], { FAIRLEAD_CATALOG: path({ file }) });
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(words);
    expect(error).toMatch(/credential/);
  });

  it('of a file is named by its path', async () => {
    const file = join(bench.folder, 'key');
    writeFileSync(file, `${KEY}\n`);
    bench.script('one', () => json(openaiError(`What is ${KEY}?`), 401));
    const { code, out } = await tryProvider(['acme'], { FAIRLEAD_CATALOG: path({ file }) });
    expect(code).toBe(1);
    expect(out).toContain(`the credential ${LABEL} (file ${file}) is refused (401): What is [credential]?`);
    expect(out).not.toContain('CANARY');
  });

  it.each<[string, string, (text: string) => string]>([
    ['as it is', KEY, (text) => text],
    ['in a header', KEY, (text) => `Bearer ${text}`],
    ['at the end of a long message', KEY, (text) => `${'x'.repeat(480)} ${text}`],
    ['for the shortest of keys', 'CANARY12', (text) => text],
    ['for a key of signs', 'CANARY/+=.~key-of-signs==', (text) => text],
    ['in its form for addresses', 'CANARY/+=.~key-of-signs==', (text) => `/v1?key=${encodeURIComponent(text)}`],
    ['in base64', KEY, (text) => `Basic ${Buffer.from(`:${text}`).toString('base64')}`],
  ])('that the upstream repeats %s is not printed', async (_, key, printed) => {
    const answers = Object.fromEntries(
      [400, 401, 404, 429, 500].map((status) => [`status-${status}`, () => json(openaiError(printed(key), printed(key), printed(key)), status)]),
    );
    const { output } = await tryEach(CHAT, answers, { key });
    expect(output.out).not.toContain(encodeURIComponent(key));
    expect(output.out).not.toContain(Buffer.from(`:${key}`).toString('base64').slice(4, 24));
  }); // oxfmt-ignore
});

describe('a streamed answer', () => {
  const streamed =
    (answer: CheckAnswer): CheckAnswer =>
    (request, index) =>
      request.json?.stream === true ? answer(request, index) : anthropicText('ok')(request, index);
  const frames = anthropicFrames({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const first = frames.slice(0, 3);

  it.each<[string, CheckAnswer, CheckProblem | null, RegExp | null]>([
    ['that works', anthropicText('ok'), null, null],
    ['that works, and stays open', streamed(() => sse([...frames, HANG])), null, null],
    ['that works, and is reset', streamed(() => sse([...frames, CUT])), null, null],
    ['that is cut', streamed(() => sse([...first, CUT])), 'provider', /broke its answer off/],
    ['that ends too early', streamed(() => sse(first)), 'provider', /broke its answer off/],
    ['that fails in its midst', streamed(() => sse([...first, `event: error\ndata: ${JSON.stringify(anthropicError('overloaded_error', `Overloaded, ${KEY}`))}\n\n`])), 'provider', /is overloaded/],
    ['of another format', streamed((request, index) => openaiText('ok')(request, index)), 'answer', /cannot be read as anthropic-messages/],
    ['that is refused', streamed(() => json(anthropicError('invalid_request_error', '`stream` is not taken here'), 400)), 'request', /naming the field stream: /],
    ['that stops without an end', streamed(() => sse([...first, HANG])), 'provider', /did not answer within 0\.5 s/],
  ])('%s', async (_, answer, problem, words) => {
    const { output, report } = await tryEach(MESSAGES, { x: answer }, { words: ['--stream'], endpoint: { timeouts: { first: '500ms' } } });
    const [whole, stream] = report.endpoints[0]!.calls;
    expect(whole).toMatchObject({ streamed: false, works: true });
    expect(stream).toMatchObject({ streamed: true, works: problem === null, problem });
    if (words) expect(stream!.message).toMatch(words);
    expect(output.code).toBe(problem === null ? 0 : 1);
    const catalog = bench.catalog(MESSAGES, [{ upstreamModel: 'x', endpoint: { timeouts: { first: '500ms' } } }]);
    const { out } = await tryProvider(['acme', '--stream'], { FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY });
    expect(out).toMatch(problem === null ? /works \(\d+ ms, \d+ ms streamed\)\n/ : /works whole, but streamed: [A-Z ]+: /);
  }); // oxfmt-ignore

  it('is not requested where the whole one cannot be had', async () => {
    const { report } = await tryEach(MESSAGES, { x: page(503) }, { words: ['--stream'] });
    expect(report.endpoints[0]!.calls).toHaveLength(1);
    expect(bench.upstream.requests).toHaveLength(1);
  });
});

describe('the time that it takes', () => {
  it('is bounded for each endpoint, a few of which are called side by side', async () => {
    const names = Array.from({ length: 2 * CHECKS_AT_ONCE }, (_, index) => `silent-${index}`);
    const beganAt = performance.now();
    const { output, report } = await tryEach(CHAT, Object.fromEntries(names.map((name) => [name, neverAnswers])), {
      endpoint: { timeouts: { first: '400ms' } },
    });
    const took = performance.now() - beganAt;
    expect(report.endpoints.map(({ calls: [call] }) => call!.message)).toEqual(
      names.map(() => expect.stringMatching(/^did not answer within 0\.4 s .*FAIRLEAD_TIMEOUTS/)),
    );
    expect(output.code).toBe(1);
    // Two rounds, not eight in succession.
    expect(took).toBeLessThan(2_400);
    expect(took).toBeGreaterThan(700);
  });

  it('is that of the settings where the endpoint specifies nothing', async () => {
    bench.script('silent', neverAnswers);
    const catalog = bench.catalog(CHAT, [{ upstreamModel: 'silent' }]);
    const variables = { FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY, FAIRLEAD_TIMEOUTS: 'first=200ms' };
    expect((await tryProvider(['acme'], variables)).out).toContain('did not answer within 0.2 s');
  });

  it('calls no more at once, also where one is slow', async () => {
    const waiting: (() => void)[] = [];
    const held: CheckAnswer = async (request, index) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return openaiText('ok')(request, index);
    };
    const names = Array.from({ length: CHECKS_AT_ONCE + 3 }, (_, index) => `held-${index}`);
    const tried = tryEach(CHAT, Object.fromEntries(names.map((name) => [name, held])));
    for (let count = 0; count < names.length; count++) {
      while (waiting.length <= count) {
        expect(bench.upstream.requests.length - count).toBeLessThanOrEqual(CHECKS_AT_ONCE);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      waiting[count]!();
    }
    const { output, report } = await tried;
    expect(report.endpoints.map(({ upstream_model }) => upstream_model)).toEqual(names);
    expect(output.code).toBe(0);
  });
});

describe('which endpoints are called', () => {
  it('those of the provider that read and answer text, as many as are wanted, and names the others', async () => {
    for (const name of ['one', 'two', 'three']) bench.script(name, openaiText('ok'));
    const catalog = bench.catalog(CHAT, [
      { upstreamModel: 'one' },
      { upstreamModel: 'painter', model: { output_modalities: ['image'] } },
      { upstreamModel: 'two' },
      { upstreamModel: 'three', model: { aliases: ['drei'] } },
    ]);
    const variables = { FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY };
    const { code, out } = await tryProvider(['acme', '--limit', '2'], variables);
    expect(out).toMatch(/2 of 2 endpoints tried work\.\n1 more were not tried: --limit 3 tries all\.\n1 of models/);
    expect([code, bench.upstream.requests.map(({ json: body }) => body.model as string)]).toEqual([0, ['one', 'two']]);
    expect((await tryProvider(['acme', '--model', 'drei'], variables)).out).toMatch(/1 of 1 endpoint tried/);
    expect(bench.upstream.requests.at(-1)!.json.model).toBe('three');
  }); // oxfmt-ignore

  it('each in its own dialect', async () => {
    bench.script('one', anthropicText('ok'));
    const catalog = bench.catalog(CHAT, [{ upstreamModel: 'one', endpoint: { dialect: 'anthropic-messages' } }]);
    expect(await tryProvider(['acme'], { FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY })).toMatchObject({ code: 0 });
    expect(bench.upstream.requests[0]!.path).toBe('/v1/messages');
  });

  it('none without an endpoint: that is no success', async () => {
    const catalog = bench.catalog(CHAT, [{ upstreamModel: 'painter', model: { output_modalities: ['image'] } }]);
    expect(await tryProvider(['acme'], { FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY })).toMatchObject({ code: 1 });
  });
});

describe('the arguments of the command line', () => {
  it('are validated before any call', () =>
    expectUsage((context) => runProviderTry(context, join(__dirname, '..', '..')), 'npm run fairlead -- try <slug>'));

  it.each([
    [['acne'], /no provider "acne"; did you mean "acme"\?/],
    [['acme', '--model', 'test/model-9'], /no model "test\/model-9" at acme; did you mean "test\/model-0"\?/],
    [['acme', 'beta'], /slug of one provider/],
    [['acme', '--limit', '0'], /--limit must be/],
    [['acme', '--limit', '1e9'], /--limit must be/],
  ])('%j', async (words, complaint) => {
    const catalog = bench.catalog(CHAT, [{ upstreamModel: 'one' }]);
    const { code, out, error } = await tryProvider(words, { FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY });
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(complaint);
    expect(bench.upstream.requests).toHaveLength(0);
  });

  it('fails with invalid settings', async () => {
    const { code, error } = await tryProvider(['acme'], { FAIRLEAD_TIMEOUTS: 'first=soon' });
    expect([code, error]).toEqual([1, expect.stringContaining('FAIRLEAD_TIMEOUTS')]);
  });
});

describe('the command as a process', () => {
  const ENDS_MS_MAX = 10_000;

  function start(catalog: string, words: readonly string[] = []) {
    const child = spawn(process.execPath, [compiledSource('cli/provider-try.js'), 'acme', ...words], {
      env: { PATH: process.env['PATH'], FAIRLEAD_CATALOG: catalog, ACME_KEY: KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, error] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
    const ended = once(child, 'close').then(([code, signal]) => ({ code: code as unknown, signal: signal as unknown, out, error }));
    return { child, ended };
  } // oxfmt-ignore

  it.each([
    ['0', openaiText('ok'), [], 0, /1 of 1 endpoint tried works/],
    ['1', page(401), [], 1, /CREDENTIAL: the credential sk-\.\.\.6789 \(variable ACME_KEY\) is refused \(401\)/],
    ['2', page(401), ['--wrong'], 2, /^$/],
  ] as const)('ends with %s', async (_, answer, words, code, out) => {
    bench.script('one', typeof answer === 'function' ? answer : () => answer);
    const ended = await start(bench.catalog(CHAT, [{ upstreamModel: 'one' }]), words).ended;
    expect(ended).toMatchObject({ code, signal: null, out: expect.stringMatching(out) });
    expect(ended.out + ended.error).not.toContain('CANARY');
  });

  it.each([
    ['a provider', CHAT, 'one', KEY],
    ['a token service', { dialect: 'google-gemini', platform: 'vertex' }, '/token', 'account'],
  ])('ends at once at Ctrl-C, also while %s is silent', async (_, provider, silent, key) => {
    bench.script(silent, neverAnswers);
    const value = key === 'account' ? serviceAccount(`${bench.upstream.origin}/token`) : key;
    const { child, ended } = start(bench.catalog({ ...provider, credential: { value } }, [{ upstreamModel: 'one' }]));
    await bench.upstream.request(0);
    const beganAt = performance.now();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 1, signal: null, error: 'fairlead try: stopped by SIGINT\n' });
    expect(performance.now() - beganAt).toBeLessThan(ENDS_MS_MAX);
  });
});
