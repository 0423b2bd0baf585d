/**
 * Checks that a client that disconnects ends its upstream call within a second, at every stage, and that this is not
 * counted as an error. Bare sockets leave at a known moment, and the upstream reports when its connection closes. Its
 * provider stops when it is left; abandoned.spec.ts covers the others, and the charges. Rules:
 * docs/use/streaming.md.
 */
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { API_KEY } from '../support/app.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { RawClient } from '../support/raw-client.js';
import { frame, HANG, json, neverAnswers, sse, type Answer } from '../support/upstream-answers.js';
import { ask, askStream, delta, gate, MessagesBench, OPEN, START } from './messages-bench.js';
import { STREAM_FACES } from './stream-faces.js';

/** From the client's disconnection to the close at the upstream. */
const CLOSE_MS_MAX = 1_000;

interface Stage {
  readonly when: string;
  readonly body: ReturnType<typeof ask>;
  readonly answer: Answer;
  /** The state that the client waits for before it leaves; by default the arrival of its request at the upstream. */
  readonly sees?: string;
}

const STAGES: readonly Stage[] = [
  { when: 'before the headers of a whole reply', body: ask('test/native'), answer: neverAnswers() },
  {
    when: 'in the middle of a whole reply',
    body: ask('test/native'),
    answer: { headers: { 'content-type': 'application/json' }, body: ['{"id":"msg', HANG] },
  },
  {
    when: 'in the middle of a refusal',
    body: ask('test/native'),
    answer: { status: 503, body: ['{"error"', HANG] },
  },
  { when: 'before the headers of a stream', body: askStream('test/native'), answer: neverAnswers() },
  { when: 'before the first event of a stream', body: askStream('test/native'), answer: sse([HANG]) },
  { when: 'before the first word of a stream', body: askStream('test/native'), answer: sse([START, HANG]) },
  {
    when: 'in the middle of a stream',
    body: askStream('test/native'),
    answer: sse([OPEN + delta('word'), HANG]),
    sees: '"word"',
  },
  { when: 'before the headers of a chat reply', body: ask('test/translated'), answer: neverAnswers() },
  { when: 'before the first event of a chat stream', body: askStream('test/translated'), answer: sse([HANG]) },
  {
    when: 'in the middle of a chat stream',
    body: askStream('test/translated'),
    answer: sse([frame('', { choices: [{ index: 0, delta: { content: 'word' } }] }), HANG]),
    sees: '"word"',
  },
];

const LEAVE = {
  quietly: (client: RawClient): void => client.destroy(),
  'with a reset': (client: RawClient): void => client.reset(),
};

describeOnEmbedded('a client that goes', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { extendsShipped: true, aborts: { stream: 'stops', whole: 'stops' } });
  }, 240_000);
  afterAll(() => bench?.close());

  const upstreamOf = (body: object) => (JSON.stringify(body).includes('translated') ? bench.openai : bench.anthropic);
  const cases = STREAM_FACES.flatMap(({ route, form }) =>
    STAGES.flatMap((stage) =>
      Object.entries(LEAVE).map(([manner, leave]) => ({ route, form, ...stage, manner, leave })),
    ),
  );

  it.each(cases)('$route: $when, $manner', async ({ route, form, body, answer, sees, leave }) => {
    const upstream = upstreamOf(body);
    upstream.script(answer);
    const lines = bench.requestLines.length;
    const complaints = bench.complaints.length;
    const arrival = upstream.request();
    const client = await bench.open(form(body), [], `/api/v1${route}`);
    const record = await arrival;
    if (sees !== undefined) await client.until(sees);
    const leftAt = Date.now();
    leave(client);
    await record.closed;
    expect(record.aborted).toBe(true);
    expect(record.closedAt! - leftAt).toBeLessThan(CLOSE_MS_MAX);
    expect(await bench.requestLine(lines)).toMatchObject({
      outcome: 'caller-gone',
      status: sees === undefined ? 499 : 200,
      level: 'info',
    });
    expect(bench.complaints.length).toBe(complaints);
  });

  it.each(STREAM_FACES)('$route: while its body is being sent: nothing is sent upstream', async ({ route, form }) => {
    const calls = bench.anthropic.requests.length;
    for (const leave of Object.values(LEAVE)) {
      const lines = bench.requestLines.length;
      const complaints = bench.complaints.length;
      const body = JSON.stringify(form(ask('test/native')));
      const client = await RawClient.connect(bench.gateway.origin);
      client.send({
        path: `/api/v1${route}`,
        headers: [
          ['authorization', `Bearer ${API_KEY}`],
          ['content-type', 'application/json'],
          ['content-length', String(body.length)],
          ['expect', '100-continue'],
        ],
        body: body.slice(0, -5),
      });
      // The client has received "100 Continue", so the gateway is reading by now.
      await client.until('100 Continue');
      leave(client);
      expect(await bench.requestLine(lines)).toMatchObject({ outcome: 'caller-gone', status: 499, level: 'info' });
      expect(bench.complaints.length).toBe(complaints);
    }
    expect(bench.anthropic.requests.length).toBe(calls);
  });

  it.each(STREAM_FACES)(
    '$route: during the second attempt: that one is closed, and no third is made',
    async ({ route, form }) => {
      bench.anthropic.script(json(anthropicError('overloaded_error', 'Too busy'), 529));
      bench.second.script(neverAnswers());
      const arrival = bench.second.request();
      const client = await bench.open(form(askStream('test/native-pair')), [], `/api/v1${route}`);
      const record = await arrival;
      const [first, second] = [bench.anthropic.requests.length, bench.second.requests.length];
      const leftAt = Date.now();
      client.destroy();
      await record.closed;
      expect(record.closedAt! - leftAt).toBeLessThan(CLOSE_MS_MAX);
      expect([bench.anthropic.requests.length, bench.second.requests.length]).toEqual([first, second]);
    },
  );

  it.each(STREAM_FACES)('$route: between two attempts: no other is made', async ({ route, form }) => {
    const arrived = gate();
    const answered = gate();
    bench.anthropic.script(async () => {
      arrived.open();
      await answered.opened;
      return json(anthropicError('overloaded_error', 'Too busy'), 529);
    });
    const calls = bench.second.requests.length;
    const lines = bench.requestLines.length;
    const client = await bench.open(form(ask('test/native-pair')), [], `/api/v1${route}`);
    await arrived.opened;
    client.destroy();
    await bench.requestLine(lines);
    answered.open();
    await bench.metrics();
    expect(bench.second.requests.length).toBe(calls);
  });

  it.each(STREAM_FACES)(
    '$route: while its charge is written: the charge stays, and the log line names who left',
    async ({ route, form }) => {
      const ledger = new LedgerReader(bench.gateway);
      const service = bench.gateway.gateway.app.get(LedgerService, { strict: false });
      for (const body of [ask('test/native'), askStream('test/native')]) {
        const settling = gate();
        const written = gate();
        const settle = service.settle.bind(service);
        const held = jest.spyOn(service, 'settle').mockImplementation(async (...charge) => {
          settling.open();
          await written.opened;
          return settle(...charge);
        });
        bench.anthropic.script(anthropicText('Hi.'));
        const lines = bench.requestLines.length;
        const client = await bench.open(form(body), [], `/api/v1${route}`);
        await settling.opened;
        client.destroy();
        const line = await bench.requestLine(lines);
        held.mockRestore();
        written.open();
        expect(line).toMatchObject({ outcome: 'caller-gone', level: 'info' });
        await ledger.rest();
        expect(await ledger.generation(String(line['generationId']))).toMatchObject({ outcome: 'completed' });
      }
    },
  );

  it('from a sandbox model that never answers', async () => {
    for (const stream of [false, true]) {
      const lines = bench.requestLines.length;
      const client = await bench.open(ask('sandbox/silent', { stream }));
      // The gateway has read the request by the time it has answered this one.
      await bench.metrics();
      client.destroy();
      expect(await bench.requestLine(lines)).toMatchObject({ outcome: 'caller-gone' });
    }
  });

  it('leaves nothing behind: no open stream, and attempts counted as aborted', async () => {
    const metrics = await bench.metrics();
    expect(metrics).toMatch(/^fairlead_open_streams 0$/m);
    expect(metrics).toMatch(/^fairlead_upstream_attempts_total\{provider="p0",outcome="aborted"\} [1-9]/m);
    for (const { route } of STREAM_FACES)
      expect(metrics).toContain(`fairlead_requests_total{route="/api/v1${route}",method="POST",status="499"} `);
  });
});

describeOnEmbedded('a client that goes after a sign of life', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_HEARTBEAT: '50ms' } });
  }, 240_000);
  afterAll(() => bench?.close());

  const cases = STREAM_FACES.flatMap(({ route, form }) =>
    Object.entries(LEAVE).map(([manner, leave]) => ({ route, form, manner, leave })),
  );

  it.each(cases)('$route, $manner', async ({ route, form, leave }) => {
    bench.anthropic.script(neverAnswers());
    const lines = bench.requestLines.length;
    const arrival = bench.anthropic.request();
    const client = await bench.open(form(askStream('test/native')), [], `/api/v1${route}`);
    const record = await arrival;
    await client.until('\n\n');
    const leftAt = Date.now();
    leave(client);
    await record.closed;
    expect(record.closedAt! - leftAt).toBeLessThan(CLOSE_MS_MAX);
    expect(await bench.requestLine(lines)).toMatchObject({ outcome: 'caller-gone', status: 200 });
  });
});
