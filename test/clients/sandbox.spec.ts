/**
 * Checks that the sandbox models of the shipped catalog behave towards real clients as their names state, so that
 * users can try their error handling. Unmodified clients, no account, no upstream.
 */
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonSchema, Question } from './client.js';
import { CLIENTS, MODES } from './clients.js';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const TOOLS = [
  { name: 'get_weather', schema: SCHEMA },
  { name: 'get_time', schema: SCHEMA },
];

const REPLIES: readonly { model: string; question?: Partial<Question>; seen: object }[] = [
  { model: 'echo', seen: { text: 'Hello there, 你好.', stopReason: 'end_turn' } },
  { model: 'echo:free', seen: { text: 'Hello there, 你好.', model: 'sandbox/echo:free' } },
  { model: 'refusal', seen: { text: '', stopReason: 'refusal' } },
  { model: 'max-tokens', seen: { stopReason: 'max_tokens', usage: { output: 3 } } },
  {
    model: 'thinking',
    seen: {
      text: 'Hello there, 你好.',
      thinking: [{ text: expect.stringMatching(/./), signature: expect.stringMatching(/./) }],
    },
  },
  {
    model: 'tools',
    question: { tools: TOOLS },
    seen: {
      stopReason: 'tool_use',
      calls: TOOLS.map(({ name }) => ({ name, input: { city: expect.any(String) } })),
    },
  },
];

const REFUSALS = [
  { model: 'bad-request', status: 400, type: 'invalid_request_error', retryAfter: null },
  { model: 'rate-limited', status: 429, type: 'rate_limit_error', retryAfter: '2' },
  { model: 'unauthorized', status: 502, type: 'api_error', retryAfter: null },
  { model: 'server-error', status: 502, type: 'api_error', retryAfter: null },
  { model: 'malformed', status: 502, type: 'api_error', retryAfter: null },
  { model: 'unavailable', status: 503, type: 'overloaded_error', retryAfter: null },
  { model: 'overloaded', status: 529, type: 'overloaded_error', retryAfter: null },
];

describeOnEmbedded('the sandbox in real clients', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  describe.each(CLIENTS)('$name', (kind) => {
    const connect = () => kind.connect(gateway.origin, API_KEY);

    describe.each(MODES)('$mode', ({ streamed }) => {
      it.each(REPLIES)('sees what sandbox/$model answers', async ({ model, question, seen }) => {
        const request = { model: `sandbox/${model}`, turn: 'Hello there, 你好.', ...question };
        expect(await connect().ask(request, streamed)).toMatchObject(seen);
      });

      it('runs a loop of tools with sandbox/tools', async () => {
        const client = connect();
        const options = { model: 'sandbox/tools', tools: TOOLS };
        const { calls, history } = await client.ask({ ...options, turn: 'Weather and time?' }, streamed);
        expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
        const results = calls.map(({ id, name }) => ({ id, name, text: 'sunny' }));
        const { text } = await client.ask({ ...options, history, turn: { results } }, streamed);
        expect(text).toBe('The tool answered: sunny\nsunny');
      });

      it.each(REFUSALS)('sees $status for sandbox/$model', async ({ model, status, type, retryAfter }) => {
        const client = connect();
        const answer = client.ask({ model: `sandbox/${model}`, turn: 'Hello' }, streamed);
        expect(
          await answer.then(
            () => 'an answer',
            (error: unknown) => client.faultOf(error),
          ),
        ).toEqual({
          errorName: kind.errorName(status),
          status,
          type,
          message: expect.stringMatching(/./),
          retryAfter,
        });
      });
    });

    it.each([
      { model: 'cut', type: 'api_error' },
      { model: 'error-event', type: 'overloaded_error' },
    ])('sees a few words of sandbox/$model, then an error', async ({ model, type }) => {
      const client = connect();
      let pieces = 0;
      const answer = client.ask({ model: `sandbox/${model}`, turn: 'Hello' }, true, { onText: () => pieces++ });
      const fault = await answer.then(
        () => 'an answer',
        (error: unknown) => client.faultOf(error),
      );
      expect(fault).toMatchObject({ errorName: kind.inBandErrorName, status: undefined, type });
      expect(pieces).toBeGreaterThan(0);
    });

    it('gets an object of the wanted shape', async () => {
      const model = kind.requestsShapeByTool ? 'sandbox/tools' : 'sandbox/json';
      const value = await connect().askInShape({ model, turn: 'Which city?' }, SCHEMA);
      expect(value).toEqual({ city: expect.any(String) });
    });
  });
});
