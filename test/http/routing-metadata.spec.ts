/**
 * Checks that a caller who requests routing metadata receives all of docs/use/routing-metadata.md#fields, under both
 * names, wherever a reply can end, and that other callers receive none. Exact objects are compared on replies,
 * streams, errors and in-band errors of a gateway with scripted providers.
 */
import { MANAGEMENT_KEY } from '../support/app.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiReply } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { frame, HANG, json, sse } from '../support/upstream-answers.js';
import { Transport } from '../../src/providers/transport/transport.js';
import { after, delta, gate, OPEN } from './messages-bench.js';
import { ask, at, inTurn, model, RoutingBench } from './routing-bench.js';

const HEADERS = [
  'x-router-metadata',
  'x-openrouter-metadata',
  'x-router-experimental-metadata',
  'x-openrouter-experimental-metadata',
];
const ENABLED = { headers: { 'X-Router-Metadata': 'enabled' } };
const KEYS = ['router_metadata', 'openrouter_metadata'];
const MODES = [false, true];

describeOnEmbedded('router metadata', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      variables: { FAIRLEAD_TIMEOUTS: 'idle=1500ms', FAIRLEAD_HEARTBEAT: '600ms' },
      providers: { alpha: { policy: { region: 'eu-west' } }, beta: {}, gamma: { kind: 'openai' } },
      models: [
        model('test/pair', inTurn(['alpha', 'beta'])),
        model('test/next', [at('gamma')]),
        model(
          'test/crowd',
          Array.from({ length: 120 }, (_, index) => at(`alpha/v${index}`)),
        ),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  /** The one object under both names of a reply, an event or an error. */
  function metadataOf(holder: JsonBody): JsonBody {
    const [own, other] = KEYS.map((key) => holder[key]);
    expect(own).toBeDefined();
    expect(own).toEqual(other);
    return own;
  }

  const available = (selected?: string): object[] => [
    { provider: 'Alpha', model: 'test/pair', selected: selected === 'alpha' },
    { provider: 'Beta', model: 'test/pair', selected: selected === 'beta' },
  ];
  const DIRECT = {
    requested: 'test/pair',
    strategy: 'direct',
    region: 'eu-west',
    summary: 'available=2, selected=Alpha',
    attempt: 1,
    is_byok: false,
    endpoints: { total: 2, available: available('alpha') },
    attempts: [{ provider: 'Alpha', model: 'test/pair', status: 200 }],
  };

  /** Without the one field that differs from call to call. */
  const untimed = ({ generation_time, ...others }: JsonBody): JsonBody => {
    expect(generation_time).toEqual(expect.any(Number));
    return others;
  };

  describe('where it is sent', () => {
    it('in a whole reply', async () => {
      const { body } = await bench.ask(ask('test/pair'), ENABLED);
      expect(untimed(metadataOf(body))).toEqual(DIRECT);
    });

    it('in message_stop, and in no other event', async () => {
      const { events } = await bench.ask(ask('test/pair', { stream: true }), ENABLED);
      expect(untimed(metadataOf(events.at(-1)))).toEqual(DIRECT);
      expect(events.at(-1).type).toBe('message_stop');
      expect(JSON.stringify(events.slice(0, -1))).not.toMatch(/router_metadata/);
    });

    it.each(MODES)('with every attempt and its status, of the model that answered (stream %s)', async (stream) => {
      bench.fails('alpha', 529);
      bench.fails('beta', 404);
      const { body, events } = await bench.ask(ask('test/pair', { stream, models: ['test/next'] }), ENABLED);
      expect(untimed(metadataOf(stream ? events.at(-1) : body))).toEqual({
        ...DIRECT,
        strategy: 'fallback',
        region: null,
        summary: 'available=3, selected=Gamma',
        attempt: 3,
        endpoints: {
          total: 3,
          available: [...available(), { provider: 'Gamma', model: 'test/next', selected: true }],
        },
        attempts: [
          { provider: 'Alpha', model: 'test/pair', status: 529 },
          { provider: 'Beta', model: 'test/pair', status: 404 },
          { provider: 'Gamma', model: 'test/next', status: 200 },
        ],
      });
    });

    it.each(MODES)('at the top of an error after routing, where none is selected (stream %s)', async (stream) => {
      bench.fails('alpha', 503);
      bench.script('beta', { raw: true, body: ['not http\r\n\r\n', HANG] });
      const { status, body } = await bench.ask(ask('test/pair', { stream }), ENABLED);
      expect(status).toBe(502);
      expect(JSON.stringify(body.error)).not.toMatch(/router_metadata/);
      expect(untimed(metadataOf(body))).toEqual({
        ...DIRECT,
        region: null,
        summary: 'available=2',
        attempt: 2,
        endpoints: { total: 2, available: available() },
        attempts: [
          { provider: 'Alpha', model: 'test/pair', status: 503 },
          { provider: 'Beta', model: 'test/pair', status: 502 },
        ],
      });
    });

    it.each([400, 429, 529])('on a %i', async (status) => {
      bench.fails('alpha', status);
      const outcome = await bench.ask(ask('test/pair', { provider: { only: ['alpha'] } }), ENABLED);
      expect(outcome.status).toBe(status);
      expect(metadataOf(outcome.body)).toMatchObject({
        attempt: 1,
        summary: 'available=1',
        endpoints: { total: 2, available: [available()[0]] },
        attempts: [{ provider: 'Alpha', model: 'test/pair', status }],
      });
    });

    it('where no provider was reached: attempt 0, and no endpoint available', async () => {
      const { status, body } = await bench.ask(ask('test/pair', { provider: { only: ['groq'] } }), ENABLED);
      expect(status).toBe(404);
      expect(untimed(metadataOf(body))).toEqual({
        requested: 'test/pair',
        strategy: 'direct',
        region: null,
        summary: 'available=0',
        attempt: 0,
        is_byok: false,
        endpoints: { total: 2, available: [] },
      });
    });

    it('where a whole reply turned out to be invalid, and no endpoint is selected', async () => {
      bench.script('gamma', openaiReply({ tools: [{ name: 'get_weather', arguments: '{"ci' }] }));
      const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }];
      const { status, body } = await bench.ask(ask('test/next', { tools }), ENABLED);
      expect(status).toBe(502);
      expect(metadataOf(body)).toMatchObject({
        attempt: 1,
        summary: 'available=1',
        endpoints: { available: [{ provider: 'Gamma', model: 'test/next', selected: false }] },
      });
    });

    it('in the error event of a stream that has begun, where none is selected', async () => {
      const going = gate();
      const failure = frame('error', anthropicError('overloaded_error', 'Too busy'));
      bench.script('alpha', sse([OPEN + delta('one'), going.opened, failure]));
      const response = await bench.gateway.messages(ask('test/pair', { stream: true }), ENABLED);
      going.open();
      const events = readMessagesEvents(await response.text());
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
      expect(metadataOf(events.at(-1))).toMatchObject({
        attempt: 1,
        summary: 'available=2',
        region: null,
        endpoints: { available: available() },
      });
    });

    it('in the error event of a stream of which only keep-alives were sent', async () => {
      const answered = gate();
      bench.fails('alpha', 529);
      bench.script(
        'beta',
        after(answered.opened, () => json(anthropicError('api_error', 'Broken'), 500)),
      );
      const response = await bench.gateway.messages(ask('test/pair', { stream: true }), ENABLED);
      expect(response.status).toBe(200);
      answered.open();
      const events = readMessagesEvents(await response.text());
      expect(events).toHaveLength(1);
      expect(metadataOf(events[0])).toMatchObject({
        attempt: 2,
        summary: 'available=2',
        endpoints: { available: available() },
        attempts: [{ status: 529 }, { status: 500 }],
      });
    });

    it('in the error event of a provider that stopped sending', async () => {
      bench.script('alpha', sse([OPEN + delta('one'), HANG]));
      const { events } = await bench.ask(ask('test/pair', { stream: true }), ENABLED);
      expect(metadataOf(events.at(-1))).toMatchObject({ attempt: 1, endpoints: { available: available() } });
    });
  });

  describe('where it is not sent', () => {
    const silent = (text: string): void => expect(text).not.toMatch(/router_metadata/);

    it.each<[string, object, string | null | undefined, number]>([
      ['without a key', ask('test/pair'), null, 401],
      ['with a wrong key', ask('test/pair'), 'sk-nobody-knows-this-key', 401],
      ['with a key of the wrong kind', ask('test/pair'), MANAGEMENT_KEY, 403],
      ['with a body that is not valid', { model: 'test/pair' }, undefined, 400],
      ['with a preference that is not known', ask('test/pair', { provider: { speed: 'high' } }), undefined, 400],
    ])('%s', async (_, body, key, status) => {
      const response = await bench.gateway.messages(body, { ...ENABLED, ...(key !== undefined && { key }) });
      expect(response.status).toBe(status);
      silent(await response.text());
    });

    it.each(MODES)('on a failure of the gateway (stream %s)', async (stream) => {
      const transport = bench.gateway.gateway.app.get(Transport);
      const defect = jest.spyOn(transport, 'open').mockRejectedValue(new TypeError('a defect of the gateway'));
      const response = await bench.gateway.messages(ask('test/pair', { stream }), ENABLED);
      defect.mockRestore();
      const text = await response.text();
      // On a busy machine a heartbeat may have begun the stream.
      const hasBegun = text.startsWith(':');
      const { error }: JsonBody = JSON.parse(hasBegun ? /^data: (.*)$/m.exec(text)![1]! : text);
      expect([response.status, error.error_type]).toEqual([hasBegun ? 200 : 500, 'server']);
      silent(text);
    });

    it.each(MODES)('without being requested (stream %s)', async (stream) => {
      const reply = await bench.gateway.messages(ask('test/pair', { stream }));
      silent(await reply.text());
      bench.fails('alpha', 400);
      const error = await bench.gateway.messages(ask('test/pair', { stream }));
      expect(error.status).toBe(400);
      silent(await error.text());
    });

    it('by an upstream that speaks in its name', async () => {
      const forged = { requested: 'forged' };
      bench.script('alpha', (request, index) => {
        const answer = anthropicText('Hello.')(request, index) as { body: string[] };
        const body = { ...JSON.parse(answer.body[0]!), router_metadata: forged, openrouter_metadata: forged };
        return { headers: { 'content-type': 'application/json' }, body: [JSON.stringify(body)] };
      });
      const { body } = await bench.ask(ask('test/pair'));
      expect(Object.keys(body).filter((key) => KEYS.includes(key))).toEqual([]);
    });
  });

  describe('how it is requested', () => {
    const isShown = async (headers: Record<string, string>): Promise<boolean> => {
      const { body } = await bench.ask(ask('test/pair'), { headers });
      return KEYS.every((key) => key in body);
    };

    it.each(HEADERS.flatMap((name) => ['enabled', 'ENABLED', ' Enabled '].map((value) => [name, value] as const)))(
      '%s: %s',
      async (name, value) => expect(await isShown({ [name]: value })).toBe(true),
    );

    it.each(HEADERS.flatMap((name) => ['disabled', 'true', '1', ''].map((value) => [name, value] as const)))(
      'not by %s: %j',
      async (name, value) => expect(await isShown({ [name]: value })).toBe(false),
    );

    it('the header goes to no provider', async () => {
      await bench.ask(ask('test/pair'), { headers: Object.fromEntries(HEADERS.map((name) => [name, 'enabled'])) });
      expect(Object.keys(bench.sent('alpha').headers).filter((name) => name.includes('metadata'))).toEqual([]);
    });
  });

  it('counts every endpoint, and lists a hundred', async () => {
    const { body } = await bench.ask(ask('test/crowd'), ENABLED);
    const { endpoints, summary } = metadataOf(body);
    expect(endpoints.total).toBe(120);
    expect(summary).toBe('available=120, selected=Alpha');
    expect(endpoints.available).toHaveLength(100);
    expect(endpoints.available.filter(({ selected }: JsonBody) => selected)).toHaveLength(1);
  });

  it('names the model as it was requested', async () => {
    const { body } = await bench.ask(ask('test/pair:floor'), ENABLED);
    expect(metadataOf(body)).toMatchObject({ requested: 'test/pair:floor', attempts: [{ model: 'test/pair' }] });
  });

  it('names no address, no credential and no price', async () => {
    bench.fails('alpha', 500);
    const { body } = await bench.ask(ask('test/pair'), ENABLED);
    expect(JSON.stringify(metadataOf(body))).not.toMatch(/127\.0\.0\.1|credential-of|usd|price|http/i);
  });
});
