/**
 * Checks that streams of each face keep to the clock and to the grammar: first bytes at once, keep-alives in silence,
 * and an in-band error for every failure after the first content. The answers of scripted upstreams wait for the
 * test, and are read on bare sockets where the arrival of bytes matters; limits are shortened by variables. Rules:
 * docs/contribute/reasons/routing.md, docs/use/streaming.md.
 */
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiError, openaiText } from '../support/openai-upstream.js';
import type { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readFrames, readMessagesEvents, type RawFrame } from '../support/sse.js';
import {
  CUT,
  frame,
  HANG,
  json,
  neverAnswers,
  resets,
  sse,
  type Answer,
  type Piece,
} from '../support/upstream-answers.js';
import type { UpstreamKind } from '../support/upstreams.js';
import { after, ask, askStream, delta, END, gate, MessagesBench, OPEN, START } from './messages-bench.js';
import { STREAM_FACES, type StreamFace } from './stream-faces.js';

const chatDelta = (content: string): string =>
  frame('', { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] });

const textOf = (events: readonly JsonBody[]): string => events.map((event) => event.delta?.text ?? '').join('');
const commentsOf = (frames: readonly RawFrame[]): number => frames.filter(({ comments }) => comments.length > 0).length;

/** Received HTTP chunks: one for each write of the gateway. */
const httpChunks = (client: RawClient): number => (client.text.match(/^[0-9a-f]+\r$/gm) ?? []).length;

/** The frames of a whole answer to a bare socket. */
async function framesOf(client: RawClient): Promise<RawFrame[]> {
  return readFrames((await client.response()).body);
}

describeOnEmbedded('bytes of a stream', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  it('headers and first event arrive together, and nothing before', async () => {
    const first = gate();
    const last = gate();
    bench.anthropic.script(sse([OPEN, first.opened, delta('one'), last.opened, END]));
    const arrival = bench.anthropic.request();
    const client = await bench.open(askStream('test/native'));
    await arrival;
    expect(client.segments).toHaveLength(0);
    first.open();
    await client.until('"one"');
    expect(client.segments).toHaveLength(1);
    const [segment] = client.segments;
    expect(segment!.bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*event: message_start\n[^]*"text":"one"/);
    last.open();
    expect(textOf(readMessagesEvents((await client.response()).body))).toBe('one');
  });

  it('each upstream chunk is one write, however many events it holds', async () => {
    const gates = Array.from({ length: 5 }, gate);
    const chunks = gates.map((_, chunk) =>
      Array.from({ length: 1 + 4 * chunk }, (_unused, event) => delta(`<${chunk}.${event}>`)),
    );
    const body: Piece[] = [OPEN + delta('begin')];
    chunks.forEach((events, chunk) => body.push(gates[chunk]!.opened, events.join('')));
    bench.anthropic.script(sse([...body, END]));
    const client = await bench.open(askStream('test/native'));
    await client.until('"begin"');
    for (const [chunk, { open }] of gates.entries()) {
      const before = [client.segments.length, httpChunks(client)];
      open();
      await client.until(`<${chunk}.${chunks[chunk]!.length - 1}>`);
      const risen = [client.segments.length - before[0]!, httpChunks(client) - before[1]!];
      // The end of the reply follows the last one at once.
      if (chunk < gates.length - 1) expect(risen).toEqual([1, 1]);
    }
    readMessagesEvents((await client.response()).body);
  });

  it('a frame in torn pieces, between CRLF and comments, is emitted whole', async () => {
    const upstream = OPEN + delta('Grüße 👋') + END;
    const bytes = Buffer.from(`: hello\r\n\r\n${upstream.replaceAll('\n', '\r\n')}`);
    for (const length of [1, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
        bytes.subarray(index * length, (index + 1) * length),
      );
      bench.anthropic.script(sse(pieces));
      const response = await bench.gateway.messages(askStream('test/native'));
      expect(textOf(readMessagesEvents(await response.text()))).toBe('Grüße 👋');
    }
  });
});

describeOnEmbedded('signs of life in a stream', (database) => {
  const HEARTBEAT_MS = 150;
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_HEARTBEAT: `${HEARTBEAT_MS}ms` } });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.second.script(anthropicText('From the second.')));

  describe.each(STREAM_FACES)('$route', (face) => {
    const openStream = (model: string) => bench.open(face.form(askStream(model)), [], `/api/v1${face.route}`);

    it('status, headers and a comment go out together at the interval', async () => {
      const answered = gate();
      bench.anthropic.script(after(answered.opened, anthropicText('At last.')));
      const sentAt = performance.now();
      const client = await openStream('test/native');
      const { status, headers } = await client.head();
      const [segment] = client.segments;
      expect(client.segments).toHaveLength(1);
      expect(segment!.atMs - sentAt).toBeGreaterThan(0.8 * HEARTBEAT_MS);
      expect(segment!.bytes.toString()).toMatch(/\r\n: [^\n]+\n\n\r\n$/);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        'x-generation-id': expect.stringMatching(/^gen-/),
      });
      expect(headers['content-length']).toBeUndefined();
      answered.open();
      const { text, id } = face.read((await client.response()).body);
      expect([text, id]).toEqual(['At last.', headers['x-generation-id']]);
    });

    it('a total failure after the interval is an error and the sentinel', async () => {
      const answered = gate();
      bench.anthropic.script(after(answered.opened, () => json(anthropicError('overloaded_error', 'Too busy'), 529)));
      const client = await openStream('test/native');
      const { headers } = await client.head();
      answered.open();
      const dataFrames = (await framesOf(client)).filter(({ data }) => data !== undefined);
      expect(dataFrames).toHaveLength(face.eventsOfFailure + 1);
      expect(dataFrames.at(-1)).toMatchObject({ event: '', data: '[DONE]' });
      const { error, id, text } = face.read((await client.response()).body);
      expect([id, text]).toEqual([headers['x-generation-id'], '']);
      expect(error).toMatchObject(
        face.error({ type: 'overloaded_error', code: 529, message: 'Too busy', error_type: 'provider_overloaded' }),
      );
    });

    it.each([
      ['refuses', () => json(anthropicError('overloaded_error', 'Too busy'), 529)],
      ['resets', resets],
      ['begins and breaks off', () => sse([START, CUT])],
    ])('another endpoint may still answer after the interval: the first %s', async (_, answer) => {
      const answered = gate();
      bench.anthropic.script(after(answered.opened, answer));
      const client = await openStream('test/native-pair');
      await client.head();
      answered.open();
      const { provider = 'Provider p2', ...shown } = face.read((await client.response()).body);
      expect([provider, shown]).toEqual([
        'Provider p2',
        expect.objectContaining({ text: 'From the second.', isFinished: true }),
      ]);
    });

    it('comments fill the silence between events, and only silence', async () => {
      const going = gate();
      bench.anthropic.script(sse([OPEN + delta('one'), going.opened, delta('two') + END]));
      const client = await openStream('test/native');
      await client.until('"one"');
      while ((client.text.match(/^: /gm) ?? []).length < 3) await client.news();
      const gaps = client.segments.slice(1).map(({ atMs }, index) => atMs - client.segments[index]!.atMs);
      for (const gap of gaps) expect(gap).toBeLessThan(30 * HEARTBEAT_MS);
      going.open();
      const frames = await framesOf(client);
      expect(commentsOf(frames)).toBeGreaterThanOrEqual(3);
      expect(face.read((await client.response()).body).text).toBe('onetwo');
    });

    it('a stream that is not silent has no comment', async () => {
      bench.anthropic.script(anthropicText('At once.'));
      let fewest = Infinity;
      // The machine may be busy with something else for longer than an interval: once is proof enough.
      for (let attempt = 0; attempt < 5 && fewest > 0; attempt++) {
        fewest = Math.min(fewest, commentsOf(await framesOf(await openStream('test/native'))));
      }
      expect(fewest).toBe(0);
    });

    it('a whole reply waits in silence', async () => {
      const answered = gate();
      bench.anthropic.script(after(answered.opened, anthropicText('Whole.')));
      const silent = await bench.open(face.form(ask('test/native')), [], `/api/v1${face.route}`);
      const beating = await openStream('test/native');
      await beating.head();
      expect(silent.segments).toHaveLength(0);
      answered.open();
      expect(face.textOf((await silent.response()).json)).toBe('Whole.');
      await beating.response();
    });
  });
});

describeOnEmbedded('streams that fail after their first word', (database) => {
  const IDLE_MS = 800;
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: `idle=${IDLE_MS}ms` } });
  }, 240_000);
  afterAll(() => bench?.close());

  const askFace = ({ route, form }: StreamFace, model: string): Promise<Response> =>
    bench.gateway.request(route, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form(askStream(model))),
    });

  const words = [OPEN, delta('one '), delta('two '), delta('three')];
  const chatWords = [chatDelta('one '), chatDelta('two '), chatDelta('three')];

  interface Failure {
    readonly what: string;
    readonly kind: UpstreamKind;
    readonly answer: Answer;
    readonly error?: object;
    readonly outcome?: string;
  }
  const FAILED = { type: 'api_error', code: 502, error_type: 'provider_unavailable' };
  const native = (what: string, pieces: Piece[], more: Partial<Failure> = {}): Failure => ({
    what,
    kind: 'anthropic',
    answer: sse([...words, ...pieces]),
    ...more,
  });
  const translated = (what: string, pieces: Piece[], more: Partial<Failure> = {}): Failure => ({
    what,
    kind: 'openai',
    answer: sse([...chatWords, ...pieces]),
    ...more,
  });
  const inBand = {
    type: 'overloaded_error',
    code: 529,
    message: 'Too busy',
    metadata: { provider_code: 'overloaded_error' },
  };
  const silent = { error: { type: 'timeout_error', code: 504, error_type: 'timeout' }, outcome: 'provider-timed-out' };

  const FAILURES: readonly Failure[] = [
    native('a reset', [CUT]),
    native('an end without the end', []),
    native('an error event', [frame('error', anthropicError('overloaded_error', 'Too busy'))], {
      error: inBand,
      outcome: 'provider-overloaded',
    }),
    native('silence', [HANG], silent),
    native('a frame that is not JSON', [frame('content_block_delta', '{"type":"content_block_de')]),
    native('a delta without its text', [
      frame('content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } }),
    ]),
    native('a second beginning', [START]),
    native('a block that was not begun', [
      frame('content_block_delta', { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'x' } }),
    ]),
    native('an end inside a block', [
      frame('message_delta', {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 1 },
      }) + frame('message_stop', { type: 'message_stop' }),
    ]),
    translated('a reset', [CUT]),
    translated('an end without a finish reason', []),
    translated('an error chunk', [frame('', openaiError('Too busy', 'overloaded_error', 'overloaded_error'))], {
      error: inBand,
      outcome: 'provider-overloaded',
    }),
    translated('silence', [HANG], silent),
    translated('a chunk that is not JSON', [frame('', '{"choices":[{"del')]),
    translated('arguments of no call', [
      frame('', { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } }] }),
    ]),
  ];

  const failures = STREAM_FACES.flatMap((face) => FAILURES.map((failure) => ({ face, route: face.route, ...failure })));

  it.each(failures)('$route, $kind, $what: the text so far, one error, the sentinel', async (failure) => {
    const { face, kind, answer, error = FAILED, outcome = 'provider-malformed-reply' } = failure;
    bench[kind].script(answer);
    const lines = bench.requestLines.length;
    const model = kind === 'anthropic' ? 'test/native' : 'test/translated';
    const startedAt = performance.now();
    const response = await askFace(face, model);
    expect(response.status).toBe(200);
    // The stream ends as HTTP requires, and obeys the grammar, or this throws.
    const shown = face.read(await response.text());
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(shown).toMatchObject({
      id: response.headers.get('x-generation-id'),
      text: 'one two three',
      isFinished: false,
      error: { ...face.error(error), message: expect.stringMatching(/\S/) },
    });
    expect(JSON.stringify(shown.error)).not.toMatch(/127\.0\.0\.1|credential-of|node:/);
    expect(await bench.requestLine(lines)).toMatchObject({ status: 200, outcome });
    const record = bench[kind].requests.at(-1)!;
    await record.closed;
  });

  it('an event that a chunk held before a failure is not lost', async () => {
    const going = gate();
    const rest = delta('two') + frame('error', anthropicError('overloaded_error', 'Too busy'));
    bench.anthropic.script(sse([OPEN + delta('one '), going.opened, rest]));
    const client = await bench.open(askStream('test/native'));
    await client.until('"one "');
    going.open();
    const events = readMessagesEvents((await client.response()).body);
    expect(textOf(events)).toBe('one two');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: inBand });
  });

  it('an upstream that never ends a line is stopped, in bounded memory', async () => {
    const piece = Buffer.alloc(64 * 1024, 'a');
    const body = function* (): Generator<Piece> {
      yield OPEN + delta('one');
      yield 'event: content_block_delta\ndata: ';
      for (;;) yield piece;
    };
    bench.anthropic.script({ headers: { 'content-type': 'text/event-stream' }, body: body() });
    const events = readMessagesEvents(await (await bench.gateway.messages(askStream('test/native'))).text());
    expect(textOf(events)).toBe('one');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: FAILED });
    const record = bench.anthropic.requests.at(-1)!;
    await record.closed;
    expect(record.aborted).toBe(true);
    // Most of it is in the sockets: the gateway holds no more of a line than its limit.
    expect(record.bodyBytesWritten).toBeLessThan(40 * 1024 * 1024);
  });

  it('upstream signs of life are no silence', async () => {
    const gates = Array.from({ length: 4 }, gate);
    const ping = frame('ping', { type: 'ping' });
    bench.anthropic.script(
      sse([
        OPEN + delta('one'),
        ...gates.flatMap(({ opened }, index) => [opened, index % 2 ? ping : ': alive\n\n']),
        delta('two') + END,
      ]),
    );
    const response = bench.gateway.messages(askStream('test/native'));
    // Together longer than the limit, each shorter.
    for (const { open } of gates) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS / 2));
      open();
    }
    expect(textOf(readMessagesEvents(await (await response).text()))).toBe('onetwo');
  });

  it('a stalled provider affects no other request', async () => {
    bench.anthropic.script(sse([OPEN + delta('one'), HANG]));
    bench.openai.script(openaiText('Healthy.'));
    const stalled = Array.from({ length: 50 }, () => bench.gateway.messages(askStream('test/native')));
    const healthy = await Promise.all(Array.from({ length: 20 }, () => bench.gateway.messages(ask('test/translated'))));
    expect(healthy.map(({ status }) => status)).toEqual(healthy.map(() => 200));
    for (const response of await Promise.all(stalled)) {
      expect(readMessagesEvents(await response.text()).at(-1)).toMatchObject({ type: 'error', error: silent.error });
    }
  });
});

describeOnEmbedded('a reply whose last event has come', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const CHAT_END =
    frame('', { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + frame('', '[DONE]');
  const ENDS = { anthropic: [OPEN + delta('one'), END], openai: [chatDelta('one'), CHAT_END] };
  const MODELS = { anthropic: 'test/native', openai: 'test/translated' };
  const KINDS: readonly UpstreamKind[] = ['anthropic', 'openai'];
  const AFTER: readonly (readonly [string, Piece[]])[] = [
    ['stays open', [HANG]],
    ['is reset', [CUT]],
    ['continues', [': alive\n\n', frame('ping', { type: 'ping' }), 'no event at all', HANG]],
  ];
  const cases = STREAM_FACES.flatMap((face) =>
    KINDS.flatMap((kind) => AFTER.map(([what, pieces]) => ({ face, route: face.route, kind, what, pieces }))),
  );

  it.each(cases)('$route, $kind: is whole, though its connection $what', async ({ face, route, kind, pieces }) => {
    bench[kind].script(sse([...ENDS[kind], ...pieces]));
    const lines = bench.requestLines.length;
    const client = await bench.open(face.form(askStream(MODELS[kind])), [], `/api/v1${route}`);
    const shown = face.read((await client.response()).body);
    expect(shown).toMatchObject({ text: 'one', isFinished: true, error: undefined });
    expect(await bench.requestLine(lines)).toMatchObject({ status: 200, outcome: 'completed' });
    // It is not kept for longer than an end takes.
    await bench[kind].requests.at(-1)!.closed;
  });

  it.each(KINDS)('its connection serves the next call: %s', async (kind) => {
    const ended = gate();
    bench[kind].script(sse([...ENDS[kind], ended.opened]));
    const before = bench[kind].connectionsAccepted;
    for (let call = 0; call < 3; call++) {
      const client = await bench.open(askStream(MODELS[kind]));
      await client.response();
      ended.open();
      await bench[kind].requests.at(-1)!.closed;
    }
    expect(bench[kind].connectionsAccepted - before).toBeLessThanOrEqual(1);
  });
});

describeOnEmbedded('the limit of a whole request', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: 'total=800ms' } });
  }, 240_000);
  afterAll(() => bench?.close());
  const TIMED_OUT = { type: 'timeout_error', code: 504, error_type: 'timeout' };

  const SILENCES: readonly (readonly [string, boolean, Answer])[] = [
    ['whole', false, neverAnswers()],
    ['whole, in mid-body', false, { headers: { 'content-type': 'application/json' }, body: ['{"id":', HANG] }],
    ['streamed', true, neverAnswers()],
    ['streamed, without a word', true, sse([START, HANG])],
  ];
  it.each(SILENCES)('before the first content it is a 504: %s', async (_, stream, answer) => {
    bench.anthropic.script(answer);
    bench.second.script(anthropicText('Too late.'));
    const calls = bench.second.requests.length;
    const response = await bench.gateway.messages(ask('test/native-pair', { stream }));
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({
      error: TIMED_OUT,
      request_id: response.headers.get('x-generation-id'),
    });
    const record = bench.anthropic.requests.at(-1)!;
    await record.closed;
    expect(record.aborted).toBe(true);
    expect(bench.second.requests.length).toBe(calls);
  });

  it('after it, it is an in-band error', async () => {
    bench.anthropic.script(sse([OPEN + delta('one'), HANG]));
    const response = await bench.gateway.messages(askStream('test/native'));
    const events = readMessagesEvents(await response.text());
    expect(textOf(events)).toBe('one');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: TIMED_OUT });
    const record = bench.anthropic.requests.at(-1)!;
    await record.closed;
    expect(record.aborted).toBe(true);
  });
});
