/**
 * Checks that the users of real clients see exactly what a provider sends, whole and streamed. Unmodified clients
 * call the real application over scripted loopback upstreams of both kinds.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { JsonSchema, TokenCounts } from './client.js';
import { CLIENTS, MODES } from './clients.js';
import { PROVIDERS } from './scripted-upstream.js';
import { TestBench } from './test-bench.js';

const GENERATION_ID = /^gen-\d+-[0-9A-Za-z]{20}$/;
const WORDS = 'Grüße – 你好, 👋🏽! "Quotes"\\\n\ttabs and an end.';
const WEATHER = {
  name: 'get_weather',
  input: { city: 'São Paulo', days: 3, units: null, nested: { list: [1, 'two', {}] } },
};
const CLOCK = { name: 'get_time', input: {} };
const SCHEMA: JsonSchema = { type: 'object', properties: {}, required: [], additionalProperties: true };
const TOOLS = [
  { name: WEATHER.name, schema: SCHEMA },
  { name: CLOCK.name, schema: SCHEMA },
];
const USAGE: TokenCounts = { input: 120, output: 34, cacheRead: 50, cacheWrite: 20 };

describeOnEmbedded('replies in real clients', (database) => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const ways = CLIENTS.flatMap((kind) =>
    PROVIDERS.flatMap((provider) => MODES.map((mode) => ({ kind, provider, ...mode }))),
  );

  describe.each(ways)('$kind.name, $provider.kind upstream, $mode', ({ kind, provider, streamed }) => {
    it('shows the text unchanged, the requested model and the stop reason', async () => {
      const model = bench.script(provider, provider.answers({ text: WORDS }));
      const sight = await bench.connect(kind).ask({ model, system: 'Be kind.', turn: 'Hello' }, streamed);
      expect(sight).toMatchObject({ text: WORDS, model, stopReason: 'end_turn', thinking: [], calls: [] });
    });

    it('shows the token counts of the provider', async () => {
      const model = bench.script(provider, provider.answers({ text: 'Hi', usage: USAGE }));
      const sight = await bench.connect(kind).ask({ model, turn: 'Hello' }, streamed);
      const misses = streamed && kind.readsPromptTokensOnce && !provider.reportsPromptTokensFirst;
      expect(sight.usage).toEqual({
        ...USAGE,
        ...(!provider.reportsCacheWrites && { cacheWrite: 0 }),
        ...(misses && { input: 0, cacheRead: 0 }),
      });
    });

    it('gives each reply one id of its own, in the body and in the header', async () => {
      const model = bench.script(provider, provider.answers({ text: 'Hi' }));
      const client = bench.connect(kind);
      const sights = await Promise.all([1, 2, 3].map(() => client.ask({ model, turn: 'Hello' }, streamed)));
      for (const { id, generationId } of sights) {
        expect(id).toMatch(GENERATION_ID);
        expect(generationId).toBe(id);
      }
      expect(new Set(sights.map(({ id }) => id)).size).toBe(3);
    });

    it('shows a tool call with its arguments', async () => {
      const model = bench.script(provider, provider.answers({ text: 'Let me look.', calls: [WEATHER] }));
      const sight = await bench.connect(kind).ask({ model, turn: 'Weather?', tools: TOOLS }, streamed);
      expect(sight).toMatchObject({ text: 'Let me look.', stopReason: 'tool_use' });
      expect(sight.calls).toEqual([{ id: expect.stringMatching(/^\S+$/), ...WEATHER }]);
    });

    it('shows parallel calls apart, in order, each with an id, one without arguments too', async () => {
      const model = bench.script(provider, provider.answers({ calls: [WEATHER, CLOCK, WEATHER] }));
      const { calls } = await bench.connect(kind).ask({ model, turn: 'Weather and time?', tools: TOOLS }, streamed);
      expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([WEATHER, CLOCK, WEATHER]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    });

    it('shows thinking with its signature, apart from the text', async () => {
      const model = bench.script(provider, provider.answers({ thinking: 'Hm, 42? Yes.', text: 'It is 42.' }));
      const sight = await bench.connect(kind).ask({ model, turn: 'What is it?', thinkingBudget: 1_024 }, streamed);
      expect(sight.thinking).toEqual([{ text: 'Hm, 42? Yes.', signature: provider.signature('Hm, 42? Yes.') }]);
      expect(sight.text).toBe('It is 42.');
    });
  });
});
