/**
 * Checks that conversations of real clients reach the provider whole: tool results, signed thinking, files, the
 * schema of an answer. The upstreams echo what they received, so the client's user sees what arrived.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { JsonSchema } from './client.js';
import { CLIENTS, MODES } from './clients.js';
import { answersInShape, echoes, PROVIDERS } from './scripted-upstream.js';
import { AUTHORS, TestBench } from './test-bench.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const CITY: JsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'number' } },
  required: ['city', 'people'],
  additionalProperties: false,
};
const TOOLS = [{ name: 'get_weather', schema: CITY }];
const CALL = { name: 'get_weather', input: { city: 'Rome', people: 2 } };

describeOnEmbedded('conversations of real clients', (database) => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const pairs = CLIENTS.flatMap((kind) => PROVIDERS.map((provider) => ({ kind, provider })));

  describe.each(pairs)('$kind.name, $provider.kind upstream', ({ kind, provider }) => {
    describe.each(MODES)('$mode', ({ streamed }) => {
      it('runs a loop of tools: calls, results, answer', async () => {
        const client = bench.connect(kind);
        const model = bench.script(provider, provider.answers({ calls: [CALL, CALL] }));
        const { calls, history } = await client.ask({ model, turn: 'Weather?', tools: TOOLS }, streamed);
        const results = calls.map(({ id, name }, index) => ({ id, name, text: `sunny ${index}` }));
        bench.script(provider, echoes(provider));
        const answer = await client.ask({ model, history, turn: { results }, tools: TOOLS }, streamed);
        expect(answer).toMatchObject({ text: 'sunny 0\nsunny 1', calls: [], stopReason: 'end_turn' });
      });

      it('gives thinking back to the family that signed it, byte for byte, and to no other', async () => {
        const client = bench.connect(kind);
        const model = bench.script(provider, provider.answers({ thinking: 'Hm – 42?', text: 'It is.', calls: [CALL] }));
        const options = { model, tools: TOOLS, thinkingBudget: 1_024 };
        const { calls, history } = await client.ask({ ...options, turn: 'Weather?' }, streamed);
        const results = calls.map(({ id, name }) => ({ id, name, text: 'sunny' }));
        bench.script(provider, echoes(provider));
        const { text } = await client.ask({ ...options, history, turn: { results } }, streamed);
        expect(text).toBe(
          provider.signature('') === '' ? 'sunny' : `Hm – 42? ${provider.signature('Hm – 42?')}\nsunny`,
        );
      });
    });

    it('sends images and PDFs as they are', async () => {
      const model = bench.script(provider, echoes(provider));
      const { text } = await bench.connect(kind).ask(
        {
          model,
          turn: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', mediaType: 'image/png', base64: PNG },
            { type: 'pdf', base64: PDF },
          ],
        },
        false,
      );
      expect(text).toBe(`image/png ${PNG}\napplication/pdf ${PDF}`);
    });

    it.each(AUTHORS)('answers in the shape of a schema, with a model of %s', async (author) => {
      const model = bench.script(provider, answersInShape(provider, CALL.input), author);
      expect(await bench.connect(kind).askInShape({ model, turn: 'Which city?' }, CITY)).toEqual(CALL.input);
    });
  });
});
