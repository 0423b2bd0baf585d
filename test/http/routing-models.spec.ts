/**
 * Checks that `models`, `fallbacks`, suffixes and catalogue variants lead to the model that
 * docs/use/choosing-providers.md#suffixes-of-models and docs/use/choosing-providers.md#models-and-fallbacks specify,
 * and that the reply describes the model that answered, or the last that failed. The providers are scripted, by
 * default one per model. Rules: docs/contribute/reasons/routing.md.
 */
import { anthropicError, anthropicReply } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiReply } from '../support/openai-upstream.js';
import { readMessagesEvents } from '../support/sse.js';
import { CUT, frame, json, sse, type Script } from '../support/upstream-answers.js';
import { delta, buildMessage, gate, OPEN, START } from './messages-bench.js';
import { ask, at, inTurn, model, nameOf, RoutingBench } from './routing-bench.js';

const EIGHT = ['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'];
const ONES = Array.from({ length: 9 }, (_, index) => `test/one-${index}`);
const MODES = [false, true];

/** A stream without content that stays open. */
const refuses: Script = (request, index) => anthropicReply([], { stopReason: 'refusal' })(request, index);
/** Text, and then a refusal. */
const refusesLate: Script = (request, index) =>
  anthropicReply([{ type: 'text', text: 'I was about to say' }], { stopReason: 'refusal' })(request, index);

describeOnEmbedded('several models', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: {}, beta: {}, gamma: {}, delta: { kind: 'openai' } },
      models: [
        model('test/a', [at('alpha')]),
        model('test/b', [at('beta')]),
        model('test/c', [at('gamma')]),
        model('test/chat', [at('delta')]),
        // By price: one endpoint of the second lies between those of the first.
        model('test/outer', [at('alpha', { usd: 1 }), at('gamma', { usd: 3 })]),
        model('test/inner', [at('beta', { usd: 2 })]),
        model('test/pair', inTurn(['alpha', 'beta'])),
        model('test/base', inTurn(['alpha', 'beta', 'gamma'])),
        model('test/base:free', [at('delta', { usd: 0 })]),
        model('test/base:thinking', inTurn(['gamma', 'beta'])),
        model('test/drawn', [
          at('alpha', { usd: 3, quantization: 'int4' }),
          at('beta', { quantization: 'bf16', usd: 3.1 }),
        ]),
        model(
          'test/crowd',
          EIGHT.map((variant) => at(`alpha/${variant}`)),
        ),
        model(
          'test/throng',
          EIGHT.map((variant) => at(`beta/${variant}`)),
        ),
        ...ONES.map((id) => model(id, [at('alpha')])),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  /** The two ways of naming further models. */
  const WAYS = {
    models: (...others: readonly string[]): object => ({ models: others }),
    fallbacks: (...others: readonly string[]): object => ({ fallbacks: others.map((id) => ({ model: id })) }),
  };

  describe.each(Object.entries(WAYS))('by %s', (_, others) => {
    it.each(MODES)('the next model answers for one that fails, under its own name (stream %s)', async (stream) => {
      bench.fails('alpha', 500);
      bench.fails('beta', 529);
      const { status, body, events } = await bench.ask(ask('test/a', { stream, ...others('test/b', 'test/c') }));
      expect([status, bench.calls]).toEqual([200, ['alpha', 'beta', 'gamma']]);
      const message = stream ? buildMessage(events) : body;
      expect(message).toMatchObject({ model: 'test/c', provider: 'Gamma', content: [{ text: 'From gamma.' }] });
    });

    it('the first is called alone while it answers', async () => {
      const { body } = await bench.ask(ask('test/a', others('test/b')));
      expect([body.model, bench.calls]).toEqual(['test/a', ['alpha']]);
    });

    it('all endpoints of a model come before the next model', async () => {
      for (const slug of ['alpha', 'beta']) bench.fails(slug, 503);
      const { body } = await bench.ask(ask('test/pair', others('test/c')));
      expect([body.model, bench.calls]).toEqual(['test/c', ['alpha', 'beta', 'gamma']]);
    });

    it("when all fail, the last model's error is returned and the others are named in order", async () => {
      bench.fails('alpha', 429);
      bench.fails('beta', 400);
      bench.fails('gamma', 529);
      const { status, body } = await bench.ask(ask('test/a', others('test/b', 'test/c')));
      expect(status).toBe(529);
      expect(body.error).toMatchObject({
        type: 'overloaded_error',
        message: 'Refused by gamma',
        metadata: {
          provider_name: 'Gamma',
          provider_code: 'code_of_gamma',
          previous_errors: [
            { provider: 'Alpha', code: 429, message: 'Refused by alpha' },
            { provider: 'Beta', code: 400, message: 'Refused by beta' },
          ],
        },
      });
    });

    it('an unknown further model is passed over', async () => {
      bench.fails('alpha', 500);
      const { status, body } = await bench.ask(ask('test/a', others('test/unheard-of', 'test/b')));
      expect([status, body.model]).toEqual([200, 'test/b']);
    });

    it('a model named twice is tried once', async () => {
      bench.fails('alpha', 500);
      bench.fails('beta', 500);
      expect(await bench.callsOf(ask('test/a', others('test/b', 'test/a', 'test/b:floor')))).toEqual(['alpha', 'beta']);
    });

    it('preferences hold for every model', async () => {
      const { status, body } = await bench.ask(ask('test/a', { ...others('test/pair'), provider: { only: ['beta'] } }));
      expect([status, body.model, bench.calls]).toEqual([200, 'test/pair', ['beta']]);
    });

    it('without fallbacks each model has its best endpoint and no other', async () => {
      for (const slug of ['alpha', 'beta', 'gamma']) bench.fails(slug, 500);
      const body = ask('test/pair', { ...others('test/base:thinking'), provider: { allow_fallbacks: false } });
      expect(await bench.callsOf(body)).toEqual(['alpha', 'gamma']);
    });

    it('no model is called after the first content, from whichever provider', async () => {
      const going = gate();
      const failure = frame('error', anthropicError('overloaded_error', 'Too busy'));
      bench.script('alpha', sse([OPEN + delta('one'), going.opened, failure]));
      const response = await bench.gateway.messages(ask('test/pair', { stream: true, ...others('test/b', 'test/c') }));
      // The status has been sent, and the text with it.
      going.open();
      const events = readMessagesEvents(await response.text());
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
      expect(bench.calls).toEqual(['alpha']);
    });
  });

  describe('attempts', () => {
    const exhaust = async (body: object): Promise<readonly string[]> => {
      for (const slug of ['alpha', 'beta', 'gamma', 'delta']) bench.fails(slug, 500);
      return bench.callsOf(body);
    };

    it.each<[string, object, readonly string[]]>([
      ['one model: six', ask('test/crowd'), Array(6).fill('alpha')],
      [
        'a later model keeps one of six',
        ask('test/crowd', { models: ['test/b'] }),
        [...Array(5).fill('alpha'), 'beta'],
      ],
      [
        'each of two later models keeps one',
        ask('test/crowd', { models: ['test/throng', 'test/c'] }),
        [...Array(4).fill('alpha'), 'beta', 'gamma'],
      ],
      [
        'what one does not need, the next has',
        ask('test/c', { models: ['test/crowd'] }),
        ['gamma', ...Array(5).fill('alpha')],
      ],
    ])('%s', async (_, body, expected) => {
      expect(await exhaust(body)).toEqual(expected);
    });

    it('as many as there are models, and eight models at most', async () => {
      expect(await exhaust(ask(ONES[0]!, { models: ONES.slice(1, 7) }))).toHaveLength(7);
      bench.calls.length = 0;
      expect(await exhaust(ask(ONES[0]!, { models: ONES.slice(1) }))).toHaveLength(8);
    });

    it('every rate-limited endpoint once, and one final 429', async () => {
      for (const slug of ['alpha', 'beta', 'gamma']) bench.fails(slug, 429);
      const startedAt = performance.now();
      const { status, headers } = await bench.ask(ask('test/pair', { models: ['test/base:thinking', 'test/c'] }));
      expect([status, headers.get('retry-after')]).toEqual([429, null]);
      expect(bench.calls).toEqual(['alpha', 'beta', 'gamma', 'beta', 'gamma']);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    });
  });

  describe('a refusal by its cause', () => {
    it.each<[string, Parameters<RoutingBench['script']>[1], number]>([
      ['401', json(anthropicError('authentication_error', 'Bad key'), 401), 401],
      ['403', json(anthropicError('permission_error', 'Not you'), 403), 403],
      ['404', json(anthropicError('not_found_error', 'No such model'), 404), 404],
      ['502 in HTML', { status: 502, headers: { 'content-type': 'text/html' }, body: ['<h1>Bad Gateway</h1>'] }, 502],
    ])('%s leads to the next model, and the metadata shows it', async (_, answer, status) => {
      bench.script('alpha', answer);
      const manner = { headers: { 'x-router-metadata': 'enabled' } };
      const outcome = await bench.ask(ask('test/a', { models: ['test/b'] }), manner);
      expect([outcome.status, outcome.body.model]).toEqual([200, 'test/b']);
      expect(outcome.body.router_metadata.attempts).toEqual([
        { provider: 'Alpha', model: 'test/a', status },
        { provider: 'Beta', model: 'test/b', status: 200 },
      ]);
    });

    it.each([400, 413, 422])(
      '%i is not put to another endpoint of the model, but to the next model',
      async (status) => {
        bench.fails('alpha', status);
        const alone = await bench.ask(ask('test/pair'));
        expect([alone.status, bench.calls]).toEqual([status, ['alpha']]);
        bench.calls.length = 0;
        const { body } = await bench.ask(ask('test/pair', { models: ['test/c'] }));
        expect([body.model, bench.calls]).toEqual(['test/c', ['alpha', 'gamma']]);
      },
    );
  });

  describe('a model that was left, where all are sorted together', () => {
    const TOGETHER = { provider: { sort: { by: 'price', partition: 'none' } } };

    it('is not called again behind another that was left, too: each rejected the request', async () => {
      for (const slug of ['alpha', 'beta', 'gamma']) bench.fails(slug, 400);
      const calls = await bench.callsOf(ask('test/outer', { models: ['test/inner'], ...TOGETHER }));
      expect(calls).toEqual(['alpha', 'beta']);
    });

    it('is not called again behind another that was left, too: each refused', async () => {
      for (const slug of ['alpha', 'beta', 'gamma']) bench.script(slug, refuses);
      const calls = await bench.callsOf(ask('test/outer', { fallbacks: [{ model: 'test/inner' }], ...TOGETHER }));
      expect(calls).toEqual(['alpha', 'beta']);
    });

    it('leaves its other endpoints to failures that they can help', async () => {
      for (const slug of ['alpha', 'beta']) bench.fails(slug, 500);
      const { body } = await bench.ask(ask('test/outer', { models: ['test/inner'], ...TOGETHER }));
      expect([body.model, bench.calls]).toEqual(['test/outer', ['alpha', 'beta', 'gamma']]);
    });
  });

  describe('suffixes and variants', () => {
    it.each<[string, string, string]>([
      ['test/drawn:floor', 'test/drawn', 'alpha'],
      ['test/drawn:exacto', 'test/drawn', 'beta'],
      ['test/drawn:exacto:floor', 'test/drawn', 'alpha'],
      ['test/drawn:floor:exacto', 'test/drawn', 'beta'],
      ['test/base:free', 'test/base:free', 'delta'],
      ['test/base:free:nitro', 'test/base:free', 'delta'],
      ['test/base:nitro:free', 'test/base:free', 'delta'],
      ['test/base:thinking', 'test/base:thinking', 'gamma'],
    ])('%s is %s at %s', async (name, id, slug) => {
      const { status, body } = await bench.ask(ask(name));
      expect([status, body.model, body.provider, bench.calls]).toEqual([200, id, nameOf(slug), [slug]]);
    });

    it("a further model's suffix sorts that model alone", async () => {
      bench.fails('alpha', 500);
      const { body } = await bench.ask(ask('test/a', { models: ['test/drawn:exacto'] }));
      expect([body.model, bench.calls]).toEqual(['test/drawn', ['alpha', 'beta']]);
    });

    it.each(['test/base:extended', 'test/a:free', 'test/base:free:extended', 'test/base:', 'TEST/a', 'test/a '])(
      '%j is no model, never the plain one',
      async (name) => {
        const { status, body } = await bench.ask(ask(name));
        expect([status, body.error.type, bench.calls]).toEqual([404, 'not_found_error', []]);
        expect(body.error.message).toContain(JSON.stringify(name));
        expect(body.error.availability).toMatchObject({ code: 'model_not_found', retryable: false });
      },
    );

    it('a first model that is unknown is a 404, whatever follows it', async () => {
      const { status } = await bench.ask(ask('test/base:extended', { models: ['test/a'] }));
      expect([status, bench.calls]).toEqual([404, []]);
    });
  });

  describe('a model that refuses', () => {
    const FALLBACKS = { fallbacks: [{ model: 'test/b' }, { model: 'test/c' }] };

    it.each(MODES)('hands on with fallbacks, past the other endpoints of its model (stream %s)', async (stream) => {
      bench.script('alpha', refuses);
      const { status, body, events } = await bench.ask(ask('test/base', { stream, fallbacks: [{ model: 'test/c' }] }));
      const message = stream ? buildMessage(events) : body;
      expect([status, bench.calls]).toEqual([200, ['alpha', 'gamma']]);
      expect(message).toMatchObject({ model: 'test/c', stop_reason: 'end_turn', content: [{ text: 'From gamma.' }] });
    });

    it.each(MODES)('does not with models: its refusal is the answer (stream %s)', async (stream) => {
      bench.script('alpha', refuses);
      const { status, body, events } = await bench.ask(ask('test/a', { stream, models: ['test/b'] }));
      const message = stream ? buildMessage(events) : body;
      expect([status, bench.calls, message.stop_reason]).toEqual([200, ['alpha'], 'refusal']);
    });

    it('falls back from a whole reply with text before its refusal: nothing of it was sent', async () => {
      bench.script('alpha', refusesLate);
      const { body } = await bench.ask(ask('test/a', FALLBACKS));
      expect([body.model, bench.calls]).toEqual(['test/b', ['alpha', 'beta']]);
      expect(JSON.stringify(body)).not.toContain('about to say');
    });

    it('does not fall back from a stream of which content was sent', async () => {
      bench.script('alpha', refusesLate);
      const { events } = await bench.ask(ask('test/a', { stream: true, ...FALLBACKS }));
      expect(buildMessage(events)).toMatchObject({ model: 'test/a', stop_reason: 'refusal' });
      expect(bench.calls).toEqual(['alpha']);
    });

    it.each(MODES)('by a content filter of another format does so, too (stream %s)', async (stream) => {
      bench.script('delta', openaiReply({ text: '', finishReason: 'content_filter' }));
      const { body, events } = await bench.ask(ask('test/chat', { stream, ...FALLBACKS }));
      const message = stream ? buildMessage(events) : body;
      expect([message.model, bench.calls]).toEqual(['test/b', ['delta', 'beta']]);
    });

    it('is the answer when it is the last, or no model is left to call', async () => {
      for (const slug of ['alpha', 'beta', 'gamma']) bench.script(slug, refuses);
      const { status, body } = await bench.ask(ask('test/a', FALLBACKS));
      expect([status, body.model, body.stop_reason]).toEqual([200, 'test/c', 'refusal']);
      const missing = await bench.ask(ask('test/a', { fallbacks: [{ model: 'test/unheard-of' }] }));
      expect([missing.status, missing.body.model, missing.body.stop_reason]).toEqual([200, 'test/a', 'refusal']);
    });

    it.each([{ failed: [] }, { failed: ['beta'] }])(
      'is the answer when those after it cannot carry the request (failed before it: $failed)',
      async ({ failed }) => {
        for (const slug of failed) bench.fails(slug, 529);
        bench.script('alpha', refuses);
        const stored = { type: 'document', source: { type: 'file', file_id: 'file_1' } };
        const named = [...failed.map(() => 'test/b'), 'test/a', 'test/chat'];
        const fallbacks = named.slice(1).map((id) => ({ model: id }));
        const messages = [{ role: 'user', content: [stored] }];
        const { status, body } = await bench.ask(ask(named[0]!, { fallbacks, messages }));
        expect([status, body.model, body.stop_reason]).toEqual([200, 'test/a', 'refusal']);
        expect(bench.calls).toEqual([...failed, 'alpha']);
      },
    );

    it('is named among the previous errors when those after it fail', async () => {
      bench.script('alpha', refuses);
      bench.fails('beta', 529);
      const { status, body } = await bench.ask(ask('test/a', { fallbacks: [{ model: 'test/b' }] }));
      expect([status, body.error.message]).toEqual([529, 'Refused by beta']);
      expect(body.error.metadata.previous_errors).toEqual([
        { provider: 'Alpha', code: 200, message: 'The model refused to answer.' },
      ]);
    });

    it('begins a stream, breaks off before content, and the next answers', async () => {
      bench.script('alpha', sse([START, CUT]));
      const { events } = await bench.ask(ask('test/a', { stream: true, ...FALLBACKS }));
      expect(buildMessage(events)).toMatchObject({ model: 'test/b', content: [{ text: 'From beta.' }] });
    });
  });

  describe('senseless lists are refused by name, and no provider is called', () => {
    const four = ['test/a', 'test/b', 'test/c', 'test/chat'].map((id) => ({ model: id }));
    it.each<[string, object, RegExp]>([
      ['both lists', { models: ['test/b'], fallbacks: [{ model: 'test/b' }] }, /^fallbacks: .*models/],
      ['four fallbacks', { fallbacks: four }, /^fallbacks/],
      ['a fallback with overrides', { fallbacks: [{ model: 'test/b', max_tokens: 5 }] }, /^fallbacks\.0\.max_tokens/],
      ['a fallback without a model', { fallbacks: [{}] }, /^fallbacks\.0\.model/],
      ['a fallback that is a name', { fallbacks: ['test/b'] }, /^fallbacks\.0/],
      ['models that are no list', { models: 'test/b' }, /^models/],
      ['a model that is no name', { models: [7] }, /^models\.0/],
    ])('%s', async (_, more, message) => {
      const { status, body } = await bench.ask(ask('test/a', more));
      expect([status, body.error.type, bench.calls]).toEqual([400, 'invalid_request_error', []]);
      expect(body.error.message).toMatch(message);
    });

    it.each([
      ['three fallbacks', { fallbacks: four.slice(1) }],
      ['no fallbacks', { fallbacks: [] }],
      ['null fallbacks', { fallbacks: null, models: ['test/b'] }],
      ['no models', { models: [] }],
    ])('%s are in order', async (_, more) => {
      expect((await bench.ask(ask('test/a', more))).status).toBe(200);
    });
  });
});
