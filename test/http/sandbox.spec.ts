/**
 * Checks that every sandbox model behaves over HTTP as its name states, whole and streamed. There is one expectation
 * for each model of the shipped list, so a new model needs one too.
 */
import { drawPicture } from '../../src/providers/dialects/simulated/picture.js';
import { SANDBOX_MODELS } from '../../src/providers/dialects/simulated/models.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { ask, askStream, buildMessage, MessagesBench, TOOLS } from './messages-bench.js';

describeOnEmbedded('the sandbox', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { extendsShipped: true });
  }, 240_000);
  afterAll(() => bench?.close());

  type Outcome = { readonly status: number; readonly error?: string } | { readonly message: object };
  interface Sight {
    readonly whole: Outcome;
    /** The different form in a stream, where the status has been sent before the error. */
    readonly inBand?: string;
    readonly question?: object;
  }
  const TEXT = 'Hello there, 你好.';
  const refused = (status: number, error: string): Sight => ({ whole: { status, error } });
  const answered = (message: object, question: object = {}): Sight => ({ whole: { message }, question });

  /** A caller can only leave the model that never answers: `client-gone.spec.ts`. */
  const SIGHTS: Readonly<Record<string, Sight | 'never answers' | 'has a task'>> = {
    echo: answered({ content: [{ type: 'text', text: TEXT }], stop_reason: 'end_turn' }),
    tools: answered(
      {
        content: [
          { type: 'tool_use', name: 'get_weather' },
          { type: 'tool_use', name: 'get_time' },
        ],
        stop_reason: 'tool_use',
      },
      { tools: TOOLS },
    ),
    thinking: answered({
      content: [
        { type: 'thinking', thinking: expect.stringMatching(/./), signature: expect.stringMatching(/./) },
        { type: 'text', text: TEXT },
      ],
    }),
    slow: answered({ content: [{ type: 'text', text: 'The ' }], stop_reason: 'max_tokens' }, { max_tokens: 1 }),
    overloaded: refused(529, 'overloaded_error'),
    'rate-limited': refused(429, 'rate_limit_error'),
    unavailable: refused(503, 'overloaded_error'),
    'server-error': refused(502, 'api_error'),
    'bad-request': refused(400, 'invalid_request_error'),
    unauthorized: refused(502, 'api_error'),
    malformed: refused(502, 'api_error'),
    cut: { ...refused(502, 'api_error'), inBand: 'api_error' },
    'error-event': { ...refused(529, 'overloaded_error'), inBand: 'overloaded_error' },
    refusal: answered({ content: [], stop_reason: 'refusal', stop_details: { type: 'refusal', category: null } }),
    'max-tokens': answered({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } }),
    long: answered({ stop_reason: 'end_turn', usage: { output_tokens: 2000 } }, { max_tokens: 8192 }),
    image: answered(
      {
        content: [
          { type: 'text', text: 'Here it is.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: drawPicture(TEXT) } },
        ],
      },
      { max_tokens: 500 },
    ),
    json: answered({ content: [{ type: 'text', text: JSON.stringify({ text: TEXT }) }] }),
    cache: answered({ usage: { cache_read_input_tokens: 2, cache_creation_input_tokens: 1 } }),
    silent: 'never answers',
    // `test/embeddings`.
    embeddings: 'has a task',
    rerank: 'has a task',
  };

  it('has every model under test', () => {
    expect(Object.keys(SIGHTS).sort()).toEqual(SANDBOX_MODELS.map(({ name }) => name).sort());
  });

  const models = Object.entries(SIGHTS).flatMap(([name, sight]): [string, Sight][] =>
    typeof sight === 'string' ? [] : [[name, sight]],
  );

  it.each(models)('%s answers whole as its name states', async (name, { whole, question }) => {
    const response = await bench.gateway.messages(
      ask(`sandbox/${name}`, { messages: [{ role: 'user', content: TEXT }], ...question }),
    );
    const body = (await response.json()) as JsonBody;
    if ('message' in whole) expect([response.status, body]).toMatchObject([200, whole.message]);
    else
      expect([response.status, body]).toMatchObject([
        whole.status,
        { error: { type: whole.error, code: whole.status } },
      ]);
  });

  it.each(models)('%s streams as its name states', async (name, { whole, inBand, question }) => {
    const response = await bench.gateway.messages(
      askStream(`sandbox/${name}`, { messages: [{ role: 'user', content: TEXT }], ...question }),
    );
    const text = await response.text();
    if (inBand !== undefined) {
      const events = readMessagesEvents(text);
      expect(events.some(({ delta }) => delta?.text !== undefined)).toBe(true);
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: inBand } });
    } else if ('message' in whole) {
      expect(buildMessage(readMessagesEvents(text))).toMatchObject(whole.message);
    } else {
      expect([response.status, JSON.parse(text)]).toMatchObject([whole.status, { error: { type: whole.error } }]);
    }
  });

  it('rate-limited hints when to come back', async () => {
    expect((await bench.gateway.messages(ask('sandbox/rate-limited'))).headers.get('retry-after')).toBe('2');
  });
});
