/**
 * An answer that should be JSON is returned as JSON where it can be repaired; otherwise, or where it is valid,
 * unchanged. The charge does not change. A strict double of a model, whole and streamed, on every face. Rules:
 * docs/use/plugins/response-healing.md.
 */
import { describeOnEmbedded } from '../support/database.js';
import { anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CUT, HANG, sse } from '../support/upstream-answers.js';
import { delta, OPEN } from '../http/messages-bench.js';
import {
  CALL,
  calls,
  formFor,
  leftWithin,
  LoopBench,
  microUsd,
  ROUTES,
  answersAndCalls,
  type Route,
} from '../tools/faults-bench.js';

const FACES = ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
const SCHEMA = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
const BROKEN = 'Here it is:\n```json\n{a: 1,}\n```';
const HEALED = '{"a": 1}';

const formatOn = (route: Route): object =>
  route === '/messages'
    ? { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }
    : { response_format: { type: 'json_schema', json_schema: { name: 'it', schema: SCHEMA } } };

const textOf = (reply: JsonBody): string =>
  reply.message ? reply.message.content : reply.content.map((block: JsonBody) => block.text ?? '').join('');

describeOnEmbedded('the plugin response-healing', (database) => {
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());

  const ask = (route: Route, fields: object): Promise<JsonBody> =>
    bench.ask(route, { tools: undefined, plugins: [{ id: 'response-healing' }], ...formatOn(route), ...fields }, key);

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    it('heals what can be repaired, for the same cost', async () => {
      bench.begin(anthropicText(BROKEN));
      const reply = await ask(route, { stream });
      expect([reply.status, textOf(reply)]).toEqual([200, HEALED]);
      expect(microUsd(reply.usage.cost)).toBe(CALL);
      expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: CALL });
    });

    it.each([
      ['is valid', ' {"a":\t1}\n'],
      ['is beyond repair', 'I cannot do that.'],
      ['does not fit the schema', '{"a": "one"}'],
    ])('leaves what %s unchanged', async (_what, text) => {
      bench.begin(anthropicText(text));
      const reply = await ask(route, { stream });
      expect([reply.status, textOf(reply)]).toEqual([200, text]);
    });

    it('invents nothing that the limit cut off', async () => {
      bench.begin(anthropicReply([{ type: 'text', text: '{"a": 1' }], { stopReason: 'max_tokens' }));
      expect(textOf(await ask(route, { stream }))).toBe('{"a": 1');
    });

    it.each([
      ['that is off', { plugins: [{ id: 'response-healing', enabled: false }] }],
      ['without a format', { output_config: undefined, response_format: undefined }],
    ])('does nothing %s', async (_what, fields) => {
      bench.begin(anthropicText(BROKEN));
      expect(textOf(await ask(route, { stream, ...fields }))).toBe(BROKEN);
    });

    it('leaves tool calls unchanged', async () => {
      bench.begin(calls({ name: 'mine', input: { a: 1 } }));
      const tools =
        route === '/messages'
          ? [{ name: 'mine', input_schema: { type: 'object' } }]
          : [{ type: 'function', function: { name: 'mine', parameters: { type: 'object' } } }];
      const reply = await ask(route, { stream, tools });
      expect(reply.status).toBe(200);
      expect(reply.text).toContain('mine');
    });
  });

  it.each(ROUTES)('is left with its caller on %s while it holds text back', async (route) => {
    bench.begin(sse([OPEN + delta('{"a"'), HANG]));
    const fields = { stream: true, tools: undefined, plugins: [{ id: 'response-healing' }], ...formatOn(route) };
    const client = await bench.open(route, fields, key);
    const openCall = await bench.upstreams.main.request(0);
    client.destroy();
    expect(await leftWithin(openCall, Date.now())).toBeLessThan(1_000);
    await bench.row();
  });

  it.each(ROUTES)('ends on %s with the error where the provider breaks off', async (route) => {
    bench.begin(sse([OPEN + delta('{"a"'), CUT]));
    const response = await bench.gateway.request(route, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(
        formFor(
          route,
          bench.body({ stream: true, tools: undefined, plugins: [{ id: 'response-healing' }], ...formatOn(route) }),
        ),
      ),
    });
    expect(await response.text()).toContain('"error"');
    await bench.row();
  });

  it('releases an answer that is too long to be healed', async () => {
    const text = `{a: "${'x'.repeat(1024 * 1024)}"}`;
    bench.begin(anthropicReply([{ type: 'text', text }]));
    expect(textOf(await ask('/chat/completions', {})) === text).toBe(true);
  });

  it('leaves the text before a tool call unchanged', async () => {
    bench.begin(answersAndCalls(BROKEN, { name: 'mine', input: {} }));
    const tools = [{ name: 'mine', input_schema: { type: 'object' } }];
    expect(textOf(await ask('/messages', { tools }))).toBe(BROKEN);
  });

  it.each(ROUTES)('reports on %s what it did', async (route) => {
    const replyOf = async (text: string): Promise<string> => {
      bench.begin(anthropicText(text));
      const response = await bench.gateway.request(route, {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
        body: JSON.stringify(
          formFor(route, bench.body({ tools: undefined, plugins: [{ id: 'response-healing' }], ...formatOn(route) })),
        ),
      });
      return response.text();
    };
    expect(await replyOf(BROKEN)).toMatch(/"name":"response-healing","summary":"healed","data":\{"milliseconds":\d+\}/);
    expect(await replyOf('No.')).toMatch(
      /"summary":"not-healed","data":\{"reason":"beyond repair","milliseconds":\d+\}/,
    );
    expect(await replyOf(HEALED)).not.toContain('"name":"response-healing"');
  });

  it.each([
    ['null', { enabled: null }],
    ['a word', { enabled: 'yes' }],
  ])('refuses %s as a switch', async (_what, options) => {
    const reply = await ask('/messages', { plugins: [{ id: 'response-healing', ...options }] });
    expect(reply.status).toBe(400);
  });
});
