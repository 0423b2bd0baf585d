// A prompt that is too long for an endpoint is sent without its middle, where that is requested or the context is
// short, on both faces, whole and streamed; this is reported, and charged as it was sent. Otherwise it is refused.
// Scripted upstreams at endpoints of several contexts record what they are sent.
import { neverAnswers } from '../support/upstream-answers.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, at, inTurn, model, RoutingBench } from '../http/routing-bench.js';

const METADATA = { 'x-router-metadata': 'enabled' };
const ON = [{ id: 'context-compression', engine: 'middle-out' }];
const OFF = [{ id: 'context-compression', enabled: false }];
const LAST = 'And what is the last?';

/** Turns of 400 characters, each with its number, and a last question. */
const talk = (turns: number): object[] => [
  ...Array.from({ length: turns * 2 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'word '.repeat(80)}`,
  })),
  { role: 'user', content: LAST },
];
/** Roughly 20,000 tokens by the estimate, and at least 13,000. */
const LONG = talk(100);

describeOnEmbedded('context-compression', (database) => {
  let bench: RoutingBench;
  let ledger: LedgerReader;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: {}, beta: { kind: 'openai' } },
      models: [
        model('test/short', [at('alpha', { context_length: 8_192 })]),
        model('test/longer', [at('alpha', { context_length: 8_193 })]),
        model('test/two', [
          ...inTurn(['alpha'], { context_length: 8_192 }),
          at('beta', { context_length: 10_000, usd: 10_000 }),
        ]),
        model('test/roomy', [at('alpha')]),
        model('anthropic/roomy', [at('alpha', { context_length: 1_000_000 })]),
      ],
    });
    ledger = new LedgerReader(bench.gateway);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const sentWords = (slug = 'alpha'): string[] =>
    (bench.sent(slug).json.messages as JsonBody[]).map(({ content }) =>
      typeof content === 'string' ? content : (content[0].text as string),
    );
  const chat = async (body: object): Promise<{ status: number; text: string }> => {
    const response = await bench.gateway.request('/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...METADATA },
      body: JSON.stringify({ max_completion_tokens: 100, messages: LONG, ...body }),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each([false, true])('removes the middle where the context is short, stream: %s', async (stream) => {
    const { status, body, events } = await bench.ask(ask('test/short', { messages: LONG, stream }), {
      headers: METADATA,
    });
    expect([status, body.error]).toEqual([200, undefined]);
    const words = sentWords();
    expect(words[0]).toMatch(/^0: /);
    expect(words.at(-1)).toBe(LAST);
    expect(words.length).toBeLessThan(100);
    const shown = JSON.stringify(stream ? events : body);
    expect(shown).toContain('"type":"context_compression","name":"context-compression","summary":"middle-out"');
    expect(shown).toContain(`"messages_left_out":${LONG.length - words.length}`);
  });

  it.each([false, true])('does so on the other face, by its older option too, stream: %s', async (stream) => {
    const { status, text } = await chat({ model: 'test/longer', transforms: ['middle-out'], stream });
    expect(status).toBe(200);
    expect(text).toContain('context_compression');
    expect(sentWords().at(-1)).toBe(LAST);
    expect((await chat({ model: 'test/short', transforms: [], stream })).status).toBe(400);
  });

  it.each<[string, string, object, number]>([
    ['it is not mentioned', 'test/longer', {}, 400],
    ['it is turned off', 'test/short', { plugins: OFF }, 400],
    ['it is requested', 'test/longer', { plugins: ON }, 200],
    ['the longest context has more than twice the length', 'test/longer', { plugins: ON, messages: talk(400) }, 200],
    ['the answer needs the whole context', 'test/short', { max_tokens: 8_192 }, 400],
  ])('%s: %s', async (_, to, fields, expected) => {
    const { status } = await bench.ask(ask(to, { messages: LONG, ...fields }));
    expect([status, bench.calls.length]).toEqual([expected, expected === 200 ? 1 : 0]);
  });

  it('fits each endpoint that is tried, and reports the one that answers', async () => {
    bench.fails('alpha', 500);
    const { body } = await bench.ask(ask('test/two', { messages: LONG, plugins: ON }), { headers: METADATA });
    expect(bench.calls).toEqual(['alpha', 'beta']);
    expect(sentWords('beta').length).toBeGreaterThan(sentWords('alpha').length);
    expect(body.router_metadata.pipeline).toMatchObject([{ data: { endpoint: 'beta' } }]);
  });

  it('does not change what fits', async () => {
    const { body } = await bench.ask(ask('test/roomy', { messages: LONG, plugins: ON }), { headers: METADATA });
    expect(sentWords()).toHaveLength(LONG.length);
    expect(body.router_metadata.pipeline).toBeUndefined();
  });

  it("keeps half of Claude's message limit at either end, where it is requested", async () => {
    const messages = talk(600);
    await bench.ask(ask('anthropic/roomy', { messages, plugins: ON }));
    expect(sentWords()).toHaveLength(1_000);
    await bench.ask(ask('anthropic/roomy', { messages }));
    expect(sentWords()).toHaveLength(messages.length);
  });

  it('is charged for what was sent, and leaves nothing held', async () => {
    await ledger.rest();
    const before = await ledger.account();
    const { body } = await bench.ask(ask('test/short', { messages: LONG }));
    await ledger.rest();
    const after = await ledger.account();
    expect(after.used - before.used).toBeCloseTo(body.usage.cost, 12);
    expect([after.held, await ledger.openHolds()]).toEqual([before.held, 0]);
  });

  it('leaves nothing held for a caller that leaves', async () => {
    bench.script('alpha', neverAnswers());
    const abort = new AbortController();
    const pending = bench.gateway.messages(ask('test/short', { messages: LONG, stream: true }), {
      signal: abort.signal,
    });
    const gone = expect(pending).rejects.toThrow();
    await bench.upstream('alpha').request();
    abort.abort();
    await gone;
    await ledger.rest();
    expect(await ledger.openHolds()).toBe(0);
  });

  it.each<[string, object[], number]>([
    ['null', [{ id: 'context-compression', engine: null }], 400],
    ['another engine', [{ id: 'context-compression', engine: 'outside-in' }], 400],
    ['another type', [{ id: 'context-compression', enabled: 'yes' }], 400],
    ['two entries', [...ON, ...OFF], 400],
  ])('checks its options: %s', async (_, plugins, expected) => {
    expect((await bench.ask(ask('test/short', { messages: LONG, plugins }))).status).toBe(expected);
  });

  it('is explained as it is done', async () => {
    const { data } = await bench.explain(ask('test/short', { messages: LONG }));
    expect(data.candidates).toHaveLength(1);
    const without = await bench.explain(ask('test/short', { messages: LONG, plugins: OFF }));
    expect(without.data.candidates).toHaveLength(0);
  });
});
