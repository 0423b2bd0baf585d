/**
 * Checks that, before the status is sent, every failure of a provider becomes the plain JSON error of
 * docs/use/errors.md#provider-faults, or another endpoint answers and the caller does not notice. Each failure comes
 * from both kinds of upstream, whole and streamed, alone and before a second endpoint. Rules:
 * docs/contribute/reasons/routing.md.
 */
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiError } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import {
  CUT,
  frame,
  garbage,
  HANG,
  json,
  neverAnswers,
  resets,
  sse,
  type Answer,
} from '../support/upstream-answers.js';
import type { UpstreamKind } from '../support/upstreams.js';
import { ask, askStream, buildMessage, MessagesBench, START } from './messages-bench.js';

/** One failure in the form of each kind of provider. */
const DIALECTS = {
  anthropic: {
    model: 'test/native',
    pair: 'test/native-pair',
    error: (type: string, message: string): object => anthropicError(type, message),
    start: START,
    ping: frame('ping', { type: 'ping' }),
    errorFrame: (type: string, message: string): string => frame('error', anthropicError(type, message)),
  },
  openai: {
    model: 'test/translated',
    pair: 'test/translated-pair',
    error: (type: string, message: string): object => openaiError(message, type, type),
    start: frame('', {
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' } }],
    }),
    ping: ': ping\n\n',
    errorFrame: (type: string, message: string): string => frame('', openaiError(message, type, type)),
  },
} as const;
type Dialect = (typeof DIALECTS)[UpstreamKind];

interface ExpectedError {
  readonly status: number;
  readonly type: string;
  readonly errorType: string;
}

const BAD_REQUEST: ExpectedError = { status: 400, type: 'invalid_request_error', errorType: 'invalid_request' };
const TOO_LARGE: ExpectedError = { status: 413, type: 'invalid_request_error', errorType: 'payload_too_large' };
const UNPROCESSABLE: ExpectedError = { status: 422, type: 'invalid_request_error', errorType: 'unprocessable' };
const RATE_LIMITED: ExpectedError = { status: 429, type: 'rate_limit_error', errorType: 'rate_limit_exceeded' };
const FAILED: ExpectedError = { status: 502, type: 'api_error', errorType: 'provider_unavailable' };
const UNAVAILABLE: ExpectedError = { status: 503, type: 'overloaded_error', errorType: 'provider_overloaded' };
const TIMED_OUT: ExpectedError = { status: 504, type: 'timeout_error', errorType: 'timeout' };
const OVERLOADED: ExpectedError = { status: 529, type: 'overloaded_error', errorType: 'provider_overloaded' };

const WORDS = 'Said by the provider';
const CODE = 'code_of_the_provider';

interface Failure {
  readonly what: string;
  readonly answer: (dialect: Dialect) => Answer;
  readonly expected: ExpectedError;
  /** The provider gave a separate code, which is passed on. */
  readonly hasCode?: boolean;
  /** The message concerns the operator's credential, so it is never passed on. */
  readonly isOperators?: boolean;
  readonly streamedOnly?: boolean;
  /** Another endpoint may do better. */
  readonly isFinal?: boolean;
}

const refusal = (status: number, expected: ExpectedError, more: Partial<Failure> = {}): Failure => ({
  what: `status ${status}`,
  answer: (dialect) => json(dialect.error(CODE, WORDS), status),
  expected,
  hasCode: true,
  ...more,
});

const FAILURES: readonly Failure[] = [
  refusal(400, BAD_REQUEST, { isFinal: true }),
  refusal(401, FAILED, { hasCode: false, isOperators: true }),
  refusal(402, FAILED, { hasCode: false, isOperators: true }),
  refusal(403, FAILED),
  refusal(404, FAILED),
  refusal(408, TIMED_OUT),
  refusal(413, TOO_LARGE, { isFinal: true }),
  refusal(418, FAILED),
  refusal(422, UNPROCESSABLE, { isFinal: true }),
  refusal(429, RATE_LIMITED),
  refusal(500, FAILED),
  refusal(502, FAILED),
  refusal(503, UNAVAILABLE),
  refusal(504, TIMED_OUT),
  refusal(529, OVERLOADED),
  { what: 'a reset before any byte', answer: resets, expected: FAILED },
  { what: 'bytes that are not HTTP', answer: () => garbage(), expected: FAILED },
  {
    what: 'a redirect',
    answer: () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/' }, body: [] }),
    expected: FAILED,
  },
  {
    what: 'a page of HTML with status 502',
    answer: () => ({
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: ['<html><h1>Bad Gateway</h1></html>'],
    }),
    expected: FAILED,
  },
  {
    what: 'a page of HTML with status 200',
    answer: () => ({ headers: { 'content-type': 'text/html' }, body: ['<html>Welcome</html>'] }),
    expected: FAILED,
  },
  { what: 'an empty body with status 200', answer: () => ({ body: [] }), expected: FAILED },
  {
    what: 'broken JSON with status 200',
    answer: () => ({ headers: { 'content-type': 'application/json' }, body: ['{"id":'] }),
    expected: FAILED,
  },
  { what: 'JSON of another shape with status 200', answer: () => json({ hello: 'world' }), expected: FAILED },
  {
    what: 'an error with status 200',
    answer: (dialect) => json(dialect.error('overloaded_error', WORDS)),
    expected: OVERLOADED,
  },
  {
    what: 'a body that is cut off',
    answer: () => ({ headers: { 'content-type': 'application/json' }, body: ['{"id":"', CUT] }),
    expected: FAILED,
  },
  {
    what: 'a refusal whose body is cut off',
    answer: () => ({ status: 429, headers: { 'content-type': 'application/json' }, body: ['{"error":', CUT] }),
    expected: RATE_LIMITED,
  },
  {
    what: 'a stream whose first event is an error',
    answer: (dialect) => sse([dialect.errorFrame('rate_limit_error', WORDS)]),
    expected: RATE_LIMITED,
    streamedOnly: true,
  },
  {
    what: 'a stream that begins, then emits an error',
    answer: (dialect) => sse([dialect.start, dialect.errorFrame('overloaded_error', WORDS)]),
    expected: OVERLOADED,
    streamedOnly: true,
  },
  {
    what: 'a stream without an event',
    answer: () => sse([]),
    expected: FAILED,
    streamedOnly: true,
  },
  {
    what: 'a stream that ends before any block',
    answer: ({ start, ping }) => sse([start, ping]),
    expected: FAILED,
    streamedOnly: true,
  },
  {
    what: 'a stream cut off before any block',
    answer: ({ start }) => sse([start, CUT]),
    expected: FAILED,
    streamedOnly: true,
  },
  {
    what: 'a stream of garbage',
    answer: () => sse(['data: {"half":\n\n', 'data: \u0000\n\n']),
    expected: FAILED,
    streamedOnly: true,
  },
];

const MODES = [false, true];
const KINDS: readonly UpstreamKind[] = ['anthropic', 'openai'];
const CASES = FAILURES.flatMap((failure) =>
  KINDS.flatMap((kind) =>
    MODES.filter((stream) => stream || !failure.streamedOnly).map((stream) => ({ ...failure, kind, stream })),
  ),
);

describeOnEmbedded('failures of POST /messages while the status is held', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.second.script(anthropicText('From the second.')));

  it.each(CASES)(
    '$kind, stream $stream: $what is reported as it is',
    async ({ kind, stream, answer, expected, hasCode, isOperators }) => {
      const dialect = DIALECTS[kind];
      bench[kind].script(() => answer(dialect));
      const requests = bench[kind].requests.length;
      const response = await bench.gateway.messages(ask(dialect.model, { stream }));
      const body = (await response.json()) as JsonBody;
      expect(response.status).toBe(expected.status);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('retry-after')).toBeNull();
      expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
      expect(body).toEqual({
        type: 'error',
        error: {
          type: expected.type,
          code: expected.status,
          message: expect.stringMatching(
            hasCode ? (expected.status === 502 ? /^Provider p\d: Said by the provider$/ : `^${WORDS}$`) : /\S/,
          ),
          error_type: expected.errorType,
          metadata: {
            provider_name: expect.stringMatching(/^Provider p\d$/),
            ...(expected.status === 429 && { error_type: 'rate_limit_exceeded' }),
            ...(body.error.metadata.provider_code !== undefined && {
              provider_code: hasCode ? CODE : expect.any(String),
            }),
          },
        },
        request_id: response.headers.get('x-generation-id'),
      });
      expect(body.error.metadata.provider_code).toEqual(hasCode ? CODE : body.error.metadata.provider_code);
      expect(body.request_id).toMatch(/^gen-/);
      if (isOperators)
        expect(body.error.message).toMatch(
          /^Provider p\d (?:refuses the credential of this gateway|requires payment from the account of this gateway): only the operator of the gateway/,
        );
      if (isOperators) expect(JSON.stringify(body)).not.toMatch(new RegExp(`${WORDS}|${CODE}`));
      expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|credential-of|node:|at \//);
      expect(bench[kind].requests.length).toBe(requests + 1);
    },
  );

  it.each(CASES)(
    '$kind, stream $stream: $what is answered by the second endpoint, where it can help',
    async (failure) => {
      const { kind, stream, answer, expected, isFinal } = failure;
      const dialect = DIALECTS[kind];
      bench[kind].script(() => answer(dialect));
      const requests = bench.second.requests.length;
      const question = ask(dialect.pair, { stream, messages: [{ role: 'user', content: 'The original.' }] });
      const response = await bench.gateway.messages(question);
      if (isFinal) {
        expect([response.status, bench.second.requests.length]).toEqual([expected.status, requests]);
        await response.text();
        return;
      }
      expect(response.status).toBe(200);
      const message = stream
        ? buildMessage(readMessagesEvents(await response.text()))
        : ((await response.json()) as JsonBody);
      expect(message).toMatchObject({
        content: [{ type: 'text', text: 'From the second.' }],
        provider: 'Provider p2',
        id: response.headers.get('x-generation-id'),
      });
      expect(JSON.stringify(message)).not.toContain(WORDS);
      // The caller's own request, built afresh (docs/use/routing.md#attempts).
      expect(bench.second.requests.length).toBe(requests + 1);
      const { json: sent, headers } = bench.second.requests.at(-1)!;
      expect(sent.messages).toMatchObject([{ role: 'user' }]);
      expect(JSON.stringify(sent.messages)).toContain('The original.');
      expect(headers['x-api-key']).toBe('credential-of-p2');
    },
  );

  it('waits a bounded time for the body of a refusal that does not end', async () => {
    bench.anthropic.script(() => ({ status: 503, body: ['{"error"', HANG] }));
    const response = await bench.gateway.messages(ask('test/native-pair'));
    expect([response.status, ((await response.json()) as JsonBody).provider]).toEqual([200, 'Provider p2']);
    const record = bench.anthropic.requests.at(-1)!;
    await record.closed;
    expect(record.aborted).toBe(true);
    // Two seconds by design; a busy machine is slower.
    expect(record.closedAt! - record.openedAt).toBeLessThan(10_000);
  });

  it.each(MODES)('an endpoint without a listener is a 502, or another answers (stream %s)', async (stream) => {
    const alone = await bench.gateway.messages(ask('test/nowhere', { stream }));
    expect([alone.status, await alone.json()]).toMatchObject([502, { error: { type: 'api_error' } }]);
    const pair = await bench.gateway.messages(ask('test/nowhere-pair', { stream }));
    expect(pair.status).toBe(200);
    expect(await pair.text()).toContain('"provider":"Provider p2"');
  });

  describe('a provider that does not begin in time', () => {
    const SILENCES: readonly (readonly [string, (dialect: Dialect) => Answer])[] = [
      ['sends nothing at all', neverAnswers],
      ['sends headers alone', () => sse([HANG])],
      ['begins a reply and emits nothing', ({ start, ping }) => sse([start, ping, HANG])],
      [
        'opens a block and emits nothing',
        ({ start }) =>
          sse([
            start,
            frame('content_block_start', {
              type: 'content_block_start',
              index: 0,
              content_block: { type: 'text', text: '' },
            }),
            frame('content_block_delta', {
              type: 'content_block_delta',
              index: 0,
              delta: { type: 'text_delta', text: '' },
            }),
            HANG,
          ]),
      ],
      ['refuses with a body that never ends', () => ({ status: 503, body: ['{"error"', HANG] })],
    ];

    it.each(SILENCES)('%s: 504, and its connection is closed', async (_, answer) => {
      bench.anthropic.script(() => answer(DIALECTS.anthropic));
      const response = await bench.gateway.messages(askStream('test/impatient'));
      expect(response.status).toBe(504);
      expect(await response.json()).toMatchObject({
        error: { type: 'timeout_error', code: 504, error_type: 'timeout' },
      });
      const record = bench.anthropic.requests.at(-1)!;
      await record.closed;
      expect(record.aborted).toBe(true);
    });

    it.each(SILENCES)('%s: the second endpoint answers', async (_, answer) => {
      bench.anthropic.script(() => answer(DIALECTS.anthropic));
      const response = await bench.gateway.messages(askStream('test/impatient-pair'));
      expect(buildMessage(readMessagesEvents(await response.text()))).toMatchObject({
        content: [{ text: 'From the second.' }],
        provider: 'Provider p2',
      });
      await bench.anthropic.requests.at(-1)!.closed;
    });

    it('does not limit a reply that has begun to emit content', async () => {
      bench.anthropic.script(anthropicText('Slow and steady.'));
      const whole = await bench.gateway.messages(ask('test/impatient'));
      expect(whole.status).toBe(200);
    });
  });

  describe('Retry-After', () => {
    const hinted =
      (status: number, retryAfter?: string): (() => Answer) =>
      () =>
        json(anthropicError(CODE, WORDS), status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    const dateIn = (ms: number): string => new Date(Date.now() + ms).toUTCString();
    const askRetryAfter = async (model: string): Promise<[number, string | null]> => {
      const response = await bench.gateway.messages(ask(model));
      await response.text();
      return [response.status, response.headers.get('retry-after')];
    };

    it.each([429, 503, 529])('of a %i is passed on in seconds', async (status) => {
      bench.anthropic.script(hinted(status, '30'));
      expect(await askRetryAfter('test/native')).toEqual([status, '30']);
    });

    it.each([
      ['0', '1'],
      ['1.2', '2'],
    ])('of %s seconds is %s', async (hint, retryAfter) => {
      bench.anthropic.script(hinted(429, hint));
      expect(await askRetryAfter('test/native')).toEqual([429, retryAfter]);
    });

    it('is understood as a date', async () => {
      bench.anthropic.script(hinted(429, dateIn(30_000)));
      const [status, retryAfter] = await askRetryAfter('test/native');
      expect(status).toBe(429);
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(28);
      expect(Number(retryAfter)).toBeLessThanOrEqual(30);
    });

    it('is left out where it makes no sense', async () => {
      bench.anthropic.script(hinted(429, 'tomorrow'));
      expect(await askRetryAfter('test/native')).toEqual([429, null]);
    });

    it.each([
      ['30', '7', '7'],
      ['7', '30', '7'],
      ['30', undefined, null],
      [undefined, '30', null],
    ])('of two providers that hint %s and %s is %s', async (first, second, retryAfter) => {
      bench.anthropic.script(hinted(429, first));
      bench.second.script(hinted(429, second));
      expect(await askRetryAfter('test/native-pair')).toEqual([429, retryAfter]);
    });
  });

  describe('when every attempt fails', () => {
    it('the last fault decides and the others are named', async () => {
      bench.anthropic.script(json(anthropicError('overloaded_error', 'Too busy'), 529));
      bench.second.script(json(anthropicError('invalid_request_error', WORDS), 400));
      const response = await bench.gateway.messages(ask('test/native-pair'));
      expect(response.status).toBe(400);
      expect(((await response.json()) as JsonBody).error).toMatchObject({
        message: WORDS,
        metadata: {
          provider_name: 'Provider p2',
          provider_code: 'invalid_request_error',
          previous_errors: [{ provider: 'Provider p0', code: 529, message: 'Too busy' }],
        },
      });
    });

    it('attempts are bounded, and each is counted', async () => {
      const before = bench.anthropic.requests.length;
      bench.anthropic.script(json(anthropicError('overloaded_error', 'Too busy'), 529));
      const response = await bench.gateway.messages(ask('test/crowd'));
      expect(response.status).toBe(529);
      expect(((await response.json()) as JsonBody).error.metadata.previous_errors).toHaveLength(5);
      const paths = bench.anthropic.requests.slice(before).map(({ path }) => path);
      // Which of the even ones come is drawn; none comes twice.
      expect([paths.length, new Set(paths).size]).toEqual([6, 6]);
      expect(await bench.metrics()).toMatch(
        /fairlead_upstream_attempts_total\{provider="p\d",outcome="overloaded"\} [1-9]/,
      );
    });

    it('a fault outweighs an endpoint that the request cannot be sent to', async () => {
      bench.second.script(json(anthropicError('overloaded_error', 'Too busy'), 529, { 'retry-after': '5' }));
      const stored = { type: 'document', source: { type: 'file', file_id: 'file_1' } };
      const storedFile = ask('test/back-to-translated', { messages: [{ role: 'user', content: [stored] }] });
      const response = await bench.gateway.messages(storedFile);
      expect([response.status, response.headers.get('retry-after')]).toEqual([529, '5']);
      expect(((await response.json()) as JsonBody).error.metadata).toMatchObject({
        provider_name: 'Provider p2',
        previous_errors: [
          { provider: 'Provider p1', code: 400, message: expect.stringContaining('messages.0.content.0') },
        ],
      });
    });

    it('a request that no endpoint can carry is refused by its field, before any call', async () => {
      const before = bench.openai.requests.length;
      const stored = { type: 'document', source: { type: 'file', file_id: 'file_1' } };
      const response = await bench.gateway.messages(
        ask('test/translated', { messages: [{ role: 'user', content: [stored] }] }),
      );
      expect([response.status, await response.json()]).toMatchObject([
        400,
        {
          error: { type: 'invalid_request_error', message: expect.stringMatching(/^messages\.0\.content\.0\.source/) },
        },
      ]);
      expect(bench.openai.requests.length).toBe(before);
    });
  });

  it('an unknown model is a 404 before any call, with the id it was accepted under', async () => {
    const before = bench.anthropic.requests.length;
    for (const stream of MODES) {
      const response = await bench.gateway.messages(ask('test/unheard-of', { stream }));
      const body = (await response.json()) as JsonBody;
      expect([response.status, body]).toMatchObject([404, { error: { type: 'not_found_error', code: 404 } }]);
      expect(body.error.message).toContain('test/unheard-of');
      expect(body.request_id).toBe(response.headers.get('x-generation-id'));
    }
    expect(bench.anthropic.requests.length).toBe(before);
  });

  it('passes on the message of a provider, but no address and no key in them', async () => {
    const words = 'See https://internal.example/admin?key=1 and use sk-ant-api03-abcdefghijklmnop instead';
    bench.anthropic.script(json(anthropicError('invalid_request_error', words), 400));
    const response = await bench.gateway.messages(ask('test/native'));
    expect(((await response.json()) as JsonBody).error.message).toBe('See [address] and use [credential] instead');
  });

  it.each([
    [529, 529, 'provider-overloaded', 0],
    // Neither returned nor logged as a 402 of the gateway; a separate line warns the operator about the provider
    // account.
    [402, 502, 'provider-payment-required', 1],
  ])('logs a failure once, in the line of its request, by its kind: %i', async (theirs, status, outcome, more) => {
    bench.anthropic.script(json(anthropicError('api_error', WORDS), theirs));
    const lines = bench.requestLines.length;
    const before = bench.complaints.length;
    await (await bench.gateway.messages(askStream('test/native'))).text();
    expect(await bench.requestLine(lines)).toMatchObject({
      status,
      outcome,
      streamed: true,
      level: 'warn',
    });
    const complaints = bench.complaints.slice(before);
    expect(complaints.filter(({ context }) => context !== 'providers')).toEqual([]);
    // Equal complaints are written once in ten seconds, and tests before this one had some.
    expect(complaints.length).toBeLessThanOrEqual(more);
  });
});
