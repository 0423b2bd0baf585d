/**
 * The response cache: hits of every route, streamed and whole, cost and use nothing and are marked; lives, replacement,
 * rules of the caller, zero data retention, switches of headers and presets; requests under way share a call. The
 * real application over HTTP, on both databases, with upstreams that the test holds back.
 */
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { KeptReplies } from '../../src/kept-replies/kept-replies.service.js';
import { anthropicError, anthropicText, anthropicThinking, anthropicToolUse } from '../support/anthropic-upstream.js';
import { API_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, sse, type Script } from '../support/upstream-answers.js';
import { after, ask, askStream, delta, END, gate, MessagesBench, OPEN, TOOLS } from './messages-bench.js';

const ON = { 'x-fairlead-cache': 'true' };

describeOnEachDatabase('the response cache', (database) => {
  let bench: MessagesBench;
  let texts = 0;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const calls = (): number => bench.anthropic.requests.length;
  /** A body that no test has sent. */
  const fresh = (more: object = {}) => ask('test/native', { messages: [{ role: 'user', content: `Text ${++texts}` }], ...more }); // oxfmt-ignore
  const send = (body: object, headers: Record<string, string> = ON, more: object = {}) =>
    bench.gateway.messages(body, { headers, ...more });
  const cacheOf = ({ headers }: Response, name = 'x-fairlead-cache') => ({
    status: headers.get(`${name}-status`),
    age: headers.get(`${name}-age`),
    ttl: headers.get(`${name}-ttl`),
    source: headers.get(`${name}-source-id`),
  });
  const statusOf = (response: Response): string | null => cacheOf(response).status;
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    bench.gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);
  /** Sends the body twice. @returns the second reply */
  const twice = async (body: object, headers: Record<string, string> = ON): Promise<Response> => {
    const first = await send(body, headers);
    expect(first.status).toBe(200);
    await first.text();
    return send(body, headers);
  };

  it('returns a stored reply under a new id, free of charge, with the id of its source', async () => {
    const body = fresh();
    bench.anthropic.script(anthropicText('Cached.'));
    const first = await send(body);
    const source = first.headers.get('x-generation-id')!;
    expect(cacheOf(first)).toEqual({ status: 'MISS', age: null, ttl: '300', source: null });
    const answer = (await first.json()) as JsonBody;
    await new LedgerReader(bench.gateway).rest();
    const { data: before } = await bench.gateway.manage('GET', '/credits');
    const count = calls();
    const again = await send(body);
    const { status, age, ttl, source: named } = cacheOf(again);
    expect([status, named]).toEqual(['HIT', source]);
    expect(age).toMatch(/^\d+$/);
    expect([Number(age) < 60, Number(age) + Number(ttl)]).toEqual([true, 300]);
    const id = again.headers.get('x-generation-id')!;
    const hit = (await again.json()) as JsonBody;
    expect(id).not.toBe(source);
    expect(hit.id).toBe(id);
    expect([hit.content, hit.model, hit.provider, hit.stop_reason]).toEqual([answer.content, answer.model, answer.provider, answer.stop_reason]); // oxfmt-ignore
    expect(hit.usage).toMatchObject({ input_tokens: 0, output_tokens: 0, cost: 0, cache_read_input_tokens: 0 });
    expect([answer.usage.service_tier, hit.usage.service_tier]).toEqual(['standard', 'standard']);
    expect(calls()).toBe(count);
    await new LedgerReader(bench.gateway).rest();
    expect((await bench.gateway.manage('GET', '/credits')).data).toEqual(before);
    const { data } = await bench.gateway.manage('GET', `/generation?id=${id}`);
    expect(data).toMatchObject({ response_cache_source_id: source, usage: 0, tokens_prompt: 0, model: 'test/native', provider: 'p0', outcome: 'completed', attempts: [] }); // oxfmt-ignore
    expect((await bench.gateway.manage('GET', `/generation?id=${source}`)).data.response_cache_source_id).toBeNull();
    // Age and rest of life are those of the stored reply.
    await query(
      `UPDATE kept_replies SET ended_at = ended_at - interval '100 s', expires_at = expires_at - interval '100 s' WHERE generation_id = $1`,
      [source],
    );
    const older = cacheOf(await send(body));
    expect([older.status, Number(older.age) >= 100, Number(older.age) + Number(older.ttl)]).toEqual(['HIT', true, 300]);
  });

  it.each([
    ['text', anthropicText('Streamed.')],
    ['thinking', anthropicThinking('Hm.', 'So.')],
    ['tools', anthropicToolUse({ name: 'get_weather', input: { city: 'Oslo', at: 1.0 } })],
  ] as [string, Script][])('gives a stream of %s again: the same blocks, no usage', async (_, script) => {
    const body = fresh({ stream: true, tools: TOOLS });
    bench.anthropic.script(script);
    const first = await (await send(body)).text();
    const count = calls();
    const again = await send(body);
    expect([again.status, statusOf(again)]).toEqual([200, 'HIT']);
    const text = await again.text();
    const blocks = (stream: string): string => [...stream.matchAll(/"delta":(\{[^\n]*)|"content_block":(\{[^\n]*)/g)].filter(([line]) => !line.includes('stop_reason')).map(([, one, two]) => (one ?? two)!.replace(/\}+$/, '')).join('').replaceAll(/\{"type":"(?:text|thinking|input_json)_delta","\w+":"|"/g, ''); // oxfmt-ignore
    expect(blocks(text)).toBe(blocks(first));
    expect(text).toContain('message_stop');
    expect(text).toContain('"cost":0');
    expect(text).not.toMatch(/"(?:input|output)_tokens":[1-9]/);
    expect(calls()).toBe(count);
  });

  it.each([
    ['/chat/completions', { model: 'test/native', messages: [{ role: 'user', content: 'Of chat' }] }],
    ['/responses', { model: 'test/native', input: 'Of responses' }],
  ])('serves %s, each form of reply by itself', async (path, body) => {
    bench.anthropic.script(anthropicText('Any format.'));
    const post = (stream: boolean) =>
      bench.gateway.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'X-OpenRouter-Cache': 'true' },
        body: JSON.stringify({ ...body, stream }),
      });
    for (const stream of [false, true]) {
      const name = 'x-openrouter-cache';
      const first = await post(stream);
      expect(cacheOf(first, name).status).toBe('MISS');
      await first.text();
      const again = await post(stream);
      expect([cacheOf(again, name).status, statusOf(again)]).toEqual(['HIT', null]);
      const text = await again.text();
      expect(text).toContain(again.headers.get('x-generation-id')!);
      expect(text).toMatch(/"cost":\s*0[,}]/);
    }
  });

  it('stores replies for the requested TTL, replaces them, and expires them', async () => {
    bench.anthropic.script(anthropicText('Life.'));
    for (const [given, ttl] of [
      ['60abc', '60'],
      ['1.5', '1'],
      ['0', '1'],
      ['99999999', '86400'],
      ['abc', '300'],
    ]) {
      // oxfmt-ignore
      const reply = await send(fresh(), { ...ON, 'x-fairlead-cache-ttl': given! });
      expect([given, cacheOf(reply).ttl]).toEqual([given, ttl]);
      await reply.text();
    }
    const body = fresh();
    expect(statusOf(await twice(body))).toBe('HIT');
    const count = calls();
    const cleared = await send(body, { ...ON, 'x-fairlead-cache-clear': 'true' });
    expect(statusOf(cleared)).toBe('MISS');
    await cleared.text();
    expect(calls()).toBe(count + 1);
    expect(statusOf(await send(body))).toBe('HIT');
    await query(`UPDATE kept_replies SET expires_at = now() - interval '1 s' WHERE kind = 'cache'`);
    const late = await send(body);
    expect(statusOf(late)).toBe('MISS');
    await late.text();
  });

  it('stores neither refusals nor failures, nor replies that were not read to their end', async () => {
    const body = fresh();
    bench.anthropic.script(() => json(anthropicError('overloaded_error', 'Later.'), 529));
    expect((await send(body)).status).toBe(529);
    bench.anthropic.script(() => sse([OPEN, delta('half'), `event: error\ndata: ${JSON.stringify(anthropicError('overloaded_error', 'Broken.'))}\n\n`])); // oxfmt-ignore
    const broken = await send({ ...body, stream: true });
    expect(await broken.text()).toContain('"type":"error"');
    const held = gate();
    bench.anthropic.script(() => sse([OPEN, delta('left'), held.opened, END]));
    const client = await bench.open({ ...body, stream: true }, [['x-fairlead-cache', 'true']]);
    await client.until('left');
    client.destroy();
    held.open();
    await new LedgerReader(bench.gateway).rest();
    bench.anthropic.script(anthropicText('Now.'));
    for (const one of [body, { ...body, stream: true }]) {
      const reply = await send(one);
      expect(statusOf(reply)).toBe('MISS');
      await reply.text();
    }
  });

  it('takes no part under zero data retention, nor without a switch', async () => {
    const { key } = await bench.gateway.guardedKey({ enforce_zdr: true });
    bench.anthropic.script(anthropicText('Secret.'));
    const body = { ...fresh(), model: 'test/forgetful' };
    for (const [headers, by] of [
      [ON, key],
      [{}, API_KEY],
      [{ 'x-fairlead-cache': 'false' }, API_KEY],
      [{ 'x-fairlead-cache': 'yes' }, API_KEY],
    ] as const) {
      // oxfmt-ignore
      for (let round = 0; round < 2; round++) {
        const count = calls();
        const reply = await send(body, headers, { key: by });
        expect([reply.status, statusOf(reply)]).toEqual([200, null]);
        await reply.text();
        expect(calls()).toBe(count + 1);
      }
    }
    expect(await query(`SELECT id FROM kept_replies WHERE key_hash = $1`, [hashKey(key)])).toEqual([]);
  });

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('runs a request anew whose stored %s reply cannot be opened, and stores the new one', async (_, more) => {
    const body = fresh(more);
    const before = calls();
    bench.anthropic.script(anthropicText('Cannot be opened.'));
    const first = await send(body);
    await first.text();
    const id = first.headers.get('x-generation-id');
    await query(
      `UPDATE kept_reply_parts p SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1)
       FROM kept_replies r WHERE r.id = p.reply_id AND r.generation_id = $1`,
      [id],
    );
    bench.anthropic.script(anthropicText('Cannot be opened.'));
    const statuses: (string | null)[] = [];
    for (let time = 0; time < 2; time++) {
      const again = await send(body);
      expect(again.status).toBe(200);
      await again.text();
      statuses.push(statusOf(again));
    }
    expect(statuses).toEqual(['MISS', 'HIT']);
    expect(calls()).toBe(before + 2);
  });

  it('takes no part where the body requires zero data retention', async () => {
    const body = fresh({ provider: { zdr: true } });
    for (let time = 0; time < 2; time++) {
      const reply = await send(body);
      expect(statusOf(reply)).toBeNull();
      await reply.text();
    }
  });

  it('gives nothing again that was given under other rules', async () => {
    const { key, guardrailId } = await bench.gateway.guardedKey({ allowed_models: ['test/native'] });
    bench.anthropic.script(anthropicText('By rule.'));
    const body = fresh();
    for (const status of ['MISS', 'HIT']) {
      const reply = await send(body, ON, { key });
      expect(statusOf(reply)).toBe(status);
      await reply.text();
    }
    await bench.gateway.manage('PATCH', `/guardrails/${guardrailId}`, { allowed_models: ['test/translated'] });
    expect((await send(body, ON, { key })).status).toBe(403);
  });

  it('is empty for a rotated key, and for nobody else', async () => {
    const { key, hash } = await bench.gateway.newKey();
    bench.anthropic.script(anthropicText('Of a secret.'));
    const body = fresh();
    const statusBy = async (secret: string): Promise<string | null> => {
      const reply = await send(body, ON, { key: secret });
      await reply.text();
      return statusOf(reply);
    };
    expect([await statusBy(key), await statusBy(key)]).toEqual(['MISS', 'HIT']);
    const { key: second } = await bench.gateway.manage('POST', `/keys/${hash}/rotate`, { grace_seconds: 3600 });
    expect([await statusBy(second), await statusBy(second), await statusBy(key)]).toEqual(['MISS', 'HIT', 'HIT']);
  });

  it('answers fifty who share a call from one, for one charge', async () => {
    const body = fresh();
    const count = calls();
    await new LedgerReader(bench.gateway).rest();
    const before = await bench.gateway.manage('GET', '/credits');
    const held = gate();
    bench.anthropic.script(after(held.opened, anthropicText('For fifty.')));
    const all = Array.from({ length: 50 }, () => send(body, { ...ON, 'x-fairlead-cache-share': 'true' }));
    await bench.anthropic.request(count);
    held.open();
    const replies = await Promise.all(all);
    const views = await Promise.all(replies.map(async (reply) => (await reply.json()) as JsonBody));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(views.map(({ content }) => JSON.stringify(content))).size).toBe(1);
    const [first, ...others] = replies.toSorted((one) => (statusOf(one) === 'MISS' ? -1 : 1)) as [Response, ...Response[]]; // oxfmt-ignore
    expect(statusOf(first)).toBe('MISS');
    const marks = others.map((reply) => [statusOf(reply), cacheOf(reply).source]);
    const source = first.headers.get('x-generation-id');
    expect(marks).toEqual(others.map(() => [expect.stringMatching(/^(?:SHARED|HIT)$/), source]));
    expect(calls()).toBe(count + 1);
    await new LedgerReader(bench.gateway).rest();
    const { data } = await bench.gateway.manage('GET', '/credits');
    const costs = views.map(({ usage }) => usage.cost as number).filter((cost) => cost > 0);
    expect(costs).toHaveLength(1);
    expect(data.total_usage - before.data.total_usage).toBeCloseTo(costs[0]!, 10);
  });

  it('lets those who share a call run by themselves when it fails', async () => {
    const body = fresh();
    const count = calls();
    const held = gate();
    let requested = 0;
    const failing = after(held.opened, () => json(anthropicError('overloaded_error', 'Later.'), 529));
    bench.anthropic.script((request, index) =>
      (requested++ === 0 ? failing : anthropicText('By itself.'))(request, index),
    );
    const share = { ...ON, 'x-fairlead-cache-share': 'true' };
    const first = send(body, share);
    await bench.anthropic.request(count);
    const second = send(body, share);
    held.open();
    expect((await first).status).toBe(529);
    const reply = await second;
    expect([reply.status, statusOf(reply)]).toEqual([200, 'MISS']);
    expect(await reply.text()).toContain('By itself.');
  });

  it('follows the switches of a preset: its own false beats the header', async () => {
    bench.anthropic.script(anthropicText('Preset.'));
    const save = (slug: string, more: object) =>
      bench.gateway.request(`/presets/${slug}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/native', max_tokens: 9, ...more }),
      });
    await save('on', { cache_enabled: true, cache_ttl_seconds: 77 });
    await save('off', { cache_enabled: false });
    const use = (preset: string, headers: Record<string, string> = {}) =>
      send({ preset, messages: [{ role: 'user', content: 'By preset' }] }, headers);
    const first = await use('on');
    expect(cacheOf(first)).toMatchObject({ status: 'MISS', ttl: '77' });
    await first.text();
    expect(statusOf(await use('on'))).toBe('HIT');
    expect(statusOf(await use('on', { 'x-fairlead-cache': 'false' }))).toBeNull();
    expect(statusOf(await use('off', ON))).toBeNull();
    // The header's time before that of the preset, by either name of the header.
    for (const name of ['x-fairlead-cache', 'x-openrouter-cache']) {
      const own = await use('on', { [`${name}-ttl`]: '60', [`${name}-clear`]: 'true' });
      expect(cacheOf(own, name)).toMatchObject({ status: 'MISS', ttl: '60' });
      await own.text();
      const kept = cacheOf(await use('on'));
      expect([kept.status, Number(kept.ttl) <= 60]).toEqual(['HIT', true]);
    }
    // Another version is another body.
    await save('on', { cache_enabled: true, temperature: 1 });
    bench.gateway.gateway.app.get(KeptReplies, { strict: false });
    const changed = await use('on');
    expect(cacheOf(changed)).toMatchObject({ status: 'MISS', ttl: '300' });
    await changed.text();
  });

  it('runs equal requests under way each by itself, unless they share', async () => {
    const body = fresh({ stream: true });
    const held = gate();
    const before = calls();
    bench.anthropic.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
    const share = { ...ON, 'x-fairlead-cache-share': 'true' };
    const first = await send(body, share);
    const alone = await send(body);
    expect([statusOf(first), statusOf(alone)]).toEqual(['MISS', 'MISS']);
    const shared = await Promise.all([send(body, share), send(body, share)]);
    expect(shared.map((one) => cacheOf(one))).toEqual(
      shared.map(() => ({ status: 'SHARED', age: null, ttl: '300', source: first.headers.get('x-generation-id') })),
    );
    expect(calls()).toBe(before + 2);
    held.open();
    const all = await Promise.all(shared.map((one) => one.text()));
    for (const text of all) {
      expect(text).toContain('two');
      expect(text).toContain('"cost":0');
    }
    await Promise.all([first.text(), alone.text()]);
    await new LedgerReader(bench.gateway).rest();
    const rows = await query(`SELECT count(*)::int AS charged FROM generations WHERE cost > 0 AND id = ANY($1)`, [[first, alone, ...shared].map(({ headers }) => headers.get('x-generation-id'))]); // oxfmt-ignore
    expect(rows).toEqual([{ charged: 2 }]);
  });

  it('continues for those who share it when its own client leaves', async () => {
    const body = fresh({ stream: true });
    const held = gate();
    const before = calls();
    bench.anthropic.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
    const client = await bench.open(body, [['x-fairlead-cache', 'true'], ['x-fairlead-cache-share', 'true']]); // oxfmt-ignore
    await client.until('one ');
    const shared = await send(body, { ...ON, 'x-fairlead-cache-share': 'true' });
    expect(statusOf(shared)).toBe('SHARED');
    client.destroy();
    held.open();
    expect(await shared.text()).toContain('two');
    expect(calls()).toBe(before + 1);
  });

  it('also works for a request with an Idempotency-Key', async () => {
    const body = fresh();
    bench.anthropic.script(after(Promise.resolve(), anthropicText('Both.')));
    expect(statusOf(await twice(body))).toBe('HIT');
    const named = { ...ON, 'idempotency-key': 'cached once' };
    const first = await send(body, named);
    const again = await send(body, named);
    expect([statusOf(first), statusOf(again), again.headers.get('x-fairlead-idempotent-replay')]).toEqual(['HIT', 'HIT', 'true']); // oxfmt-ignore
    expect(await again.text()).toBe(await first.text());
    await (await send(askStream('test/native'), ON)).text();
  });
});
