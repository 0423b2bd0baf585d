/**
 * What makes two requests equal to the response cache: route, key, betas, and the body but for its white space; and
 * which replies it stores: those of up to 1 MiB, streamed and whole. The real application over HTTP, on both databases.
 */
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { slices, sse, type Script } from '../support/upstream-answers.js';
import { ask, delta, END, MessagesBench, OPEN } from './messages-bench.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MIB = 1024 * 1024;

/** A text in large pieces. */
const large =
  (text: string): Script =>
  (request, index) =>
    request.json?.stream === true
      ? sse([OPEN, ...slices(text, 50_000).map(delta), END])
      : anthropicText(text)(request, index);

describeOnEachDatabase('the key of the response cache', (database) => {
  let bench: MessagesBench;
  let texts = 0;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
    bench.anthropic.script(anthropicText('Kept.'));
  }, 240_000);
  afterAll(() => bench?.close());

  interface Sent {
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly key?: string;
  }
  type Body = ReturnType<typeof ask>;
  const calls = (): number => bench.anthropic.requests.length;
  /** A body that no test has sent. It is valid at each route of conversations but responses. */
  const fresh = (more: object = {}): Body => ask('test/native', { messages: [{ role: 'user', content: `Text ${++texts}` }], ...more }); // oxfmt-ignore
  /** @returns status of the cache, and the calls that the request made */
  async function send(body: object | string, { path = '/messages', headers, key = API_KEY }: Sent = {}) {
    const before = calls();
    const reply = await bench.gateway.request(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', 'x-fairlead-cache': 'true', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await reply.text();
    expect([reply.status, text]).toEqual([200, expect.any(String)]);
    return { outcome: [reply.headers.get('x-fairlead-cache-status'), calls() - before], text };
  }
  const outcomeOf = async (body: object | string, sent?: Sent) => (await send(body, sent)).outcome;
  const MISS = ['MISS', 1];
  const HIT = ['HIT', 0];

  it.each<[string, (body: Body) => object | string]>([
    ['white space', (body) => `\n${JSON.stringify(body, null, '\t')} \r\n`],
    ['white space around each sign', (body) => JSON.stringify(body).replaceAll(/([[{,]|":)(?=["[{\d])/g, '$1 ')],
  ])('leaves out %s', async (_, other) => {
    const body = fresh();
    expect(await outcomeOf(body)).toEqual(MISS);
    expect(other(body)).not.toBe(JSON.stringify(body));
    expect(await outcomeOf(other(body))).toEqual(HIT);
  });

  it.each<[string, (body: Body) => object]>([
    ['the order of members', ({ model, ...rest }) => ({ ...rest, model })],
    ['the order of members within', (body) => ({ ...body, messages: [{ content: body['messages'][0].content, role: 'user' }] })],
    ['a member that states its default', (body) => ({ ...body, temperature: 1 })],
    ['the form of the reply, where it states its default', (body) => ({ ...body, stream: false })],
    ['the form of the reply', (body) => ({ ...body, stream: true })],
    ['the model', (body) => ({ ...body, model: 'test/native-pair' })],
    ['white space within a text', (body) => ({ ...body, messages: [{ role: 'user', content: `${body['messages'][0].content} ` }] })],
    ['the letters of a text', (body) => ({ ...body, messages: [{ role: 'user', content: body['messages'][0].content.toUpperCase() }] })],
    ['another form of a text', (body) => ({ ...body, messages: [{ role: 'user', content: [{ type: 'text', text: body['messages'][0].content }] }] })],
    ['a limit', (body) => ({ ...body, max_tokens: 99 })],
  ])('includes %s', async (_, other) => {
    const body = fresh();
    expect(await outcomeOf(body)).toEqual(MISS);
    for (const outcome of [MISS, HIT]) expect(await outcomeOf(other(body))).toEqual(outcome);
    expect(await outcomeOf(body)).toEqual(HIT);
  }); // oxfmt-ignore

  it('includes each byte of media', async () => {
    const withImage = (data: string, text: string) =>
      ask('test/native', {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
              { type: 'text', text },
            ],
          },
        ],
      });
    const text = `Text ${++texts}`;
    expect(await outcomeOf(withImage(PNG, text))).toEqual(MISS);
    expect(await outcomeOf(withImage(PNG, text))).toEqual(HIT);
    expect(await outcomeOf(withImage(PNG.replace('WjR9', 'WjR8'), text))).toEqual(MISS);
  });

  it('includes the route: one body at two routes has two replies, each in its format', async () => {
    const body = fresh();
    const paths = ['/messages', '/chat/completions'];
    const replies: JsonBody[] = [];
    for (const path of paths) {
      const { outcome, text } = await send(body, { path });
      expect([path, outcome]).toEqual([path, MISS]);
      replies.push(JSON.parse(text));
    }
    expect(replies.map(({ type, object }) => type ?? object)).toEqual(['message', 'chat.completion']);
    for (const path of paths) expect([path, await outcomeOf(body, { path })]).toEqual([path, HIT]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['attribution', { 'http-referer': 'https://example.com', 'x-title': 'Search', 'x-openrouter-title': 'Search', 'user-agent': 'Search/1' }],
    ['categories', { 'x-openrouter-categories': 'cli-agent' }],
    ['tags', { 'x-fairlead-tags': 'team=search' }],
    ['the other name of the headers', { 'x-openrouter-cache': 'true', 'x-openrouter-cache-ttl': '60' }],
    ['requested metadata', { 'x-router-metadata': 'enabled' }],
    ['the version of a format', { 'anthropic-version': '2023-06-01' }],
    ['a trace of the client', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }],
  ])('leaves out headers of %s', async (_, headers) => {
    const body = fresh();
    expect(await outcomeOf(body)).toEqual(MISS);
    expect(await outcomeOf(body, { headers })).toEqual(HIT);
  }); // oxfmt-ignore

  it('includes betas, and the API key', async () => {
    const body = fresh();
    expect(await outcomeOf(body)).toEqual(MISS);
    const headers = { 'anthropic-beta': 'output-300k-2026-03-24' };
    for (const outcome of [MISS, HIT]) expect(await outcomeOf(body, { headers })).toEqual(outcome);
    const { key } = await bench.gateway.newKey();
    for (const outcome of [MISS, HIT]) expect(await outcomeOf(body, { key })).toEqual(outcome);
    expect(await outcomeOf(body)).toEqual(HIT);
  });

  it.each<[path: string, stream: boolean]>([
    ['/messages', false],
    ['/messages', true],
    ['/chat/completions', false],
    ['/chat/completions', true],
    ['/responses', false],
    ['/responses', true],
  ])('answers %s, streamed %s, with more than 1 MiB and does not store it; with less it does', async (path, stream) => {
    const { key } = await bench.gateway.newKey();
    const content = `Text ${++texts}`;
    const body =
      path === '/responses'
        ? { model: 'test/native', input: content, stream }
        : { ...ask('test/native', { messages: [{ role: 'user', content }] }), stream };
    // A stream of responses has the text in its deltas and in each event of an end.
    const times = path === '/responses' && stream ? 5 : 1;
    for (const length of [MIB + 1, MIB * 2]) {
      const words = 'word '.repeat(Math.ceil(length / 5));
      bench.anthropic.script(large(words));
      for (let time = 0; time < 2; time++) {
        const { outcome, text } = await send(body, { path, key });
        expect([length, outcome]).toEqual([length, MISS]);
        expect(text.match(/word/g)).toHaveLength(times * Math.ceil(length / 5));
        expect(text).toMatch(/end_turn|"finish_reason":"stop"|"status":"completed"/);
      }
      const rows = await bench.gateway.gateway.app.get(DataSource, { strict: false }).query<JsonBody[]>(
        `SELECT r.state, count(p.number)::int AS parts FROM kept_replies r
         LEFT JOIN kept_reply_parts p ON p.reply_id = r.id WHERE r.key_hash = $1 GROUP BY r.id`,
        [hashKey(key)],
      );
      expect(rows).toEqual([{ state: 'dropped', parts: 0 }]);
    }
    bench.anthropic.script(large('word '.repeat(100_000)));
    const { text } = await send(body, { path, key });
    expect(text.match(/word/g)).toHaveLength(times * 100_000);
    expect(await outcomeOf(body, { path, key })).toEqual(HIT);
    bench.anthropic.script(anthropicText('Kept.'));
  });
});
