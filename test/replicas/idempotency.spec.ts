/**
 * Requests that run once, over replicas: joined and repeated at another one, fifty at once over both in every format,
 * another body refused at both; streams resumed elsewhere; a client that goes to another one; replies above 1 MiB, and
 * those that must not be retained any more; the replica that ran them killed before and after the end; the database cut
 * off. Gateways as separate processes on one PostgreSQL; scripted upstreams.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, MANAGEMENT_KEY } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import type { JsonBody } from '../support/recorded-request.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { HANG, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { after, ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';
import { ALL, costOf, replyOf, STREAMS, taskEntries } from '../http/once-faces.js';

const TEST_MS_MAX = 240_000;
const REPLAY = 'x-fairlead-idempotent-replay';

describeOnPostgres('requests that run once, at two replicas', (database) => {
  let upstream: Upstream;
  let tasks: Upstream;
  let source: DataSource;
  let proxy: TcpProxy;
  let variables: NodeJS.ProcessEnv;
  let names = 0;
  const gateways: GatewayProcess[] = [];
  const start = async (more: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> => {
    const folder = `${database.settings.dataDir}/${gateways.length}`;
    const gateway = await GatewayProcess.start(folder, { ...variables, ...more });
    gateways.push(gateway);
    return gateway;
  };
  let one: GatewayProcess;
  let two: GatewayProcess;

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    tasks = await startUpstream('openai');
    tasks.strict = false;
    source = await database.connect();
    proxy = new TcpProxy(database.settings.databaseUrl!.reveal());
    await proxy.start();
    const catalog = join(database.settings.dataDir, 'catalog.json');
    const entry = { id: 'test/native', at: [{ url: upstream.url, dialect: 'anthropic-messages' as const }] };
    await writeFile(catalog, JSON.stringify(catalogOf(entry, ...taskEntries(tasks.url))));
    variables = {
      DATABASE_URL: database.settings.databaseUrl!.reveal(),
      FAIRLEAD_CATALOG: catalog,
      FAIRLEAD_INITIAL_CREDITS: '1000',
    };
    one = await start({ DATABASE_URL: proxy.url });
    two = await start();
  }, TEST_MS_MAX);
  afterAll(async () => {
    for (const gateway of gateways) await gateway.kill();
    await proxy?.stop();
    await source?.destroy();
    await upstream?.close();
    await tasks?.close();
  }, TEST_MS_MAX);

  const upstreamOf = (path: string): Upstream => (/embeddings|rerank/.test(path) ? tasks : upstream);
  const newName = (): string => `of replicas ${++names}`;
  const send = (
    gateway: GatewayProcess,
    body: object,
    headers: Record<string, string>,
    path = '/messages',
    key = API_KEY,
  ): Promise<Response> =>
    fetch(`${gateway.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const resume = (gateway: GatewayProcess, id: string, last?: number, key = API_KEY): Promise<Response> =>
    fetch(`${gateway.origin}/api/v1/generation/stream?id=${id}`, {
      headers: { authorization: `Bearer ${key}`, ...(last !== undefined && { 'last-event-id': String(last) }) },
    });
  const manage = async (gateway: GatewayProcess, method: string, path: string, body?: object): Promise<JsonBody> => {
    const response = await fetch(`${gateway.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return response.json();
  };
  /** The ids of all generations that are settled or under way. */
  const generations = async (): Promise<string[]> =>
    (await source.query<{ id: string }[]>('select id from generations union select generation_id as id from holds')).map(({ id }) => id); // oxfmt-ignore
  /** The one generation since those, with its charges in millionths of a USD, once it is charged. */
  const chargesSince = async (before: readonly string[]): Promise<{ id: string; charges: number[] }> => {
    const [id, ...others] = (await generations()).filter((one) => !before.includes(one)) as [string, ...string[]];
    expect(others).toEqual([]);
    for (;;) {
      const entries = await source.query<{ amount: string }[]>('select amount from ledger_entries where generation_id = $1', [id]); // oxfmt-ignore
      if (entries.length > 0) return { id, charges: entries.map(({ amount }) => Math.round(Number(amount) * 1e6)) };
      await sleep(100);
    }
  };
  /** What is stored of a generation. */
  const storedOf = async (id: string): Promise<JsonBody> =>
    (
      await source.query<JsonBody[]>(
        `SELECT state, (SELECT count(*)::int FROM kept_reply_parts p WHERE p.reply_id = r.id) AS parts
         FROM kept_replies r WHERE generation_id = $1`,
        [id],
      )
    )[0];
  /** Reads a response until its text contains a part, or to its end. */
  const readerOf = (response: Response) => {
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    return {
      until: async (part?: string): Promise<string> => {
        while (part === undefined || !text.includes(part)) {
          const { value, done } = await reader.read();
          text += decoder.decode(value, { stream: true });
          if (done) break;
        }
        return text;
      },
      cancel: () => reader.cancel(),
    };
  };
  const named = (gateway: GatewayProcess, body: object, name: string): Promise<Response> =>
    send(gateway, body, { 'idempotency-key': name });
  const errorOf = async (response: Response): Promise<JsonBody> => ((await response.json()) as JsonBody).error;

  it(
    'gives whole replies and streams again at the other one',
    async () => {
      for (const body of [ask('test/native'), askStream('test/native')]) {
        const before = upstream.requests.length;
        const name = newName();
        upstream.script(anthropicText('Everywhere.'));
        const first = await (await named(one, body, name)).text();
        const again = await named(two, body, name);
        expect([again.headers.get(REPLAY), await again.text()]).toEqual(['true', first]);
        const other = await named(two, { ...body, max_tokens: 5 }, name);
        expect([other.status, (await errorOf(other)).error_type]).toEqual([409, 'idempotency_conflict']);
        expect(upstream.requests.length).toBe(before + 1);
      }
    },
    TEST_MS_MAX,
  );

  it(
    'joins a running stream at the other one, live, and resumes it there',
    async () => {
      const before = upstream.requests.length;
      const name = newName();
      const held = gate();
      upstream.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
      const headers = { 'idempotency-key': name, 'x-fairlead-resumable': 'true' };
      const first = await send(one, askStream('test/native'), headers);
      const joined = await send(two, askStream('test/native'), headers);
      const id = first.headers.get('x-generation-id')!;
      const reader = readerOf(joined);
      await reader.until('one ');
      const resumed = await resume(two, id, 2);
      held.open();
      const whole = await first.text();
      expect(await reader.until()).toBe(whole);
      expect(await resumed.text()).toBe(whole.slice(whole.indexOf('id: 3\n')));
      expect(upstream.requests.length).toBe(before + 1);
    },
    TEST_MS_MAX,
  );

  it.each(ALL)(
    'answers fifty at once over both from one call, for one charge: %s %j',
    async (path, body) => {
      const server = upstreamOf(path);
      const [before, known] = [server.requests.length, await generations()];
      const held = gate();
      server.script(after(held.opened, replyOf(path)));
      const headers = { 'idempotency-key': newName() };
      const sent = Array.from({ length: 50 }, (_, at) => send(at % 2 === 0 ? one : two, body, headers, path));
      await server.request(before);
      await sleep(500);
      held.open();
      const replies = await Promise.all(sent);
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      const texts = new Set(await Promise.all(replies.map((response) => response.text())));
      expect(texts.size).toBe(1);
      expect(replies.filter((response) => response.headers.get(REPLAY) === null)).toHaveLength(1);
      expect(server.requests.length).toBe(before + 1);
      const cost = costOf(path);
      const { id, charges } = await chargesSince(known);
      expect(charges).toEqual([cost]);
      expect(new Set(replies.map((response) => response.headers.get('x-generation-id')))).toEqual(new Set([id]));
      for (const gateway of [one, two]) {
        const { data } = await manage(gateway, 'GET', `/generation?id=${id}`);
        expect([data.total_cost, data.usage]).toEqual([cost / 1e6, cost / 1e6]);
      }
    },
    TEST_MS_MAX,
  );

  it.each(ALL)(
    'refuses another body at both while the first request runs at one, which is undisturbed: %s %j',
    async (path, body) => {
      const server = upstreamOf(path);
      const [before, known, held] = [server.requests.length, await generations(), gate()];
      server.script(after(held.opened, replyOf(path)));
      const headers = { 'idempotency-key': newName() };
      const first = send(one, body, headers, path);
      await server.request(before);
      const from = Date.now();
      const refuse = async (gateway: GatewayProcess): Promise<JsonBody> => {
        const refused = await send(gateway, { ...body, user: 'another' }, headers, path);
        expect([refused.status, refused.headers.get(REPLAY)]).toEqual([409, null]);
        return errorOf(refused);
      };
      const here = await refuse(one);
      const { generation_id: id, first_used_at: usedAt, charged } = here.metadata;
      expect([here.metadata.error_type, charged]).toEqual(['idempotency_conflict', null]);
      expect(here.message).toContain(`was used for another request (generation ${id}) at ${usedAt};`);
      expect(Math.abs(Date.parse(usedAt) - from)).toBeLessThan(60_000);
      expect(await refuse(two)).toEqual(here);
      held.open();
      const reply = await first;
      expect([reply.status, reply.headers.get('x-generation-id')]).toEqual([200, id]);
      const text = await reply.text();
      for (const gateway of [one, two]) expect(await (await send(gateway, body, headers, path)).text()).toBe(text);
      expect(server.requests.length).toBe(before + 1);
      expect(await chargesSince(known)).toEqual({ id, charges: [costOf(path)] });
      for (const gateway of [one, two]) expect((await refuse(gateway)).metadata.charged).toBe(costOf(path) / 1e6);
    },
    TEST_MS_MAX,
  );

  it.each(STREAMS)(
    'gives a client that left one of them the whole stream at the other, for one call and one charge: %s',
    async (path, body) => {
      const [before, known] = [upstream.requests.length, await generations()];
      const held = gate();
      upstream.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
      const headers = { 'idempotency-key': newName() };
      const left = readerOf(await send(one, body, headers, path));
      const begun = await left.until('one ');
      await left.cancel();
      const again = await send(two, body, headers, path);
      expect([again.status, again.headers.get(REPLAY)]).toEqual([200, 'true']);
      held.open();
      const whole = await again.text();
      expect(whole.startsWith(begun)).toBe(true);
      expect(whole).toMatch(/one [^]*two[^]*data: \[DONE\]\n\n$/);
      expect(await (await send(one, body, headers, path)).text()).toBe(whole);
      expect(upstream.requests.length).toBe(before + 1);
      const { id, charges } = await chargesSince(known);
      // 3 tokens at 3 USD and 5 at 15 USD for a million.
      expect([again.headers.get('x-generation-id'), charges]).toEqual([id, [84]]);
    },
    TEST_MS_MAX,
  );

  it.each(STREAMS)(
    'ends the stream of a client that joined at the other one, when the reply is too large to be kept: %s',
    async (path, body) => {
      const [before, known] = [upstream.requests.length, await generations()];
      const held = gate();
      const pieces = Array.from({ length: 8 }, () => delta('l'.repeat(200_000)));
      upstream.script(() => sse([OPEN, delta('one '), held.opened, ...pieces, END]));
      const headers = { 'idempotency-key': newName(), 'x-fairlead-resumable': 'true' };
      const first = await send(one, body, headers, path);
      const joined = readerOf(await send(two, body, headers, path));
      await joined.until('one ');
      held.open();
      expect(await first.text()).toMatch(/lll"[^]*data: \[DONE\]\n\n$/);
      const cut = await joined.until();
      expect(cut).toContain('The rest of this reply is not kept: connection error.');
      const ids = [...cut.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
      expect(ids).toEqual(ids.map((_, at) => at + 1));
      const id = first.headers.get('x-generation-id')!;
      for (const gateway of [one, two]) {
        for (const response of [await send(gateway, body, headers, path), await resume(gateway, id, 1)]) {
          const { error_type: type, metadata } = await errorOf(response);
          expect([response.status, type ?? metadata.error_type]).toEqual([409, 'idempotency_not_kept']);
        }
      }
      expect(await storedOf(id)).toEqual({ state: 'dropped', parts: 0 });
      expect(upstream.requests.length).toBe(before + 1);
      expect((await chargesSince(known)).charges).toEqual([84]);
    },
    TEST_MS_MAX,
  );

  it(
    'stores no more of a running reply once the other one learns that it must not be retained',
    async () => {
      const before = upstream.requests.length;
      const { key, data } = await manage(two, 'POST', '/keys', { name: 'a key' });
      const held = gate();
      upstream.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
      const headers = { 'idempotency-key': newName() };
      const first = await send(one, askStream('test/native'), headers, '/messages', key);
      const id = first.headers.get('x-generation-id')!;
      while ((await storedOf(id))?.parts !== 1) await sleep(50);
      const { data: guardrail } = await manage(two, 'POST', '/guardrails', { name: 'a guardrail', enforce_zdr: true });
      await manage(two, 'POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [data.hash] });
      const again = await send(two, askStream('test/native'), headers, '/messages', key);
      expect([again.status, (await errorOf(again)).error_type]).toEqual([409, 'idempotency_not_kept']);
      expect(await storedOf(id)).toEqual({ state: 'dropped', parts: 0 });
      held.open();
      expect(await first.text()).toMatch(/one [^]*two[^]*message_stop/);
      expect(await storedOf(id)).toEqual({ state: 'dropped', parts: 0 });
      expect(upstream.requests.length).toBe(before + 1);
    },
    TEST_MS_MAX,
  );

  it(
    'resumes a stream of a killed replica: what it had stored, and an end that says so; later a 409',
    async () => {
      const victim = await start();
      upstream.script(() => sse([OPEN, delta('never '), HANG]));
      const resumable = { 'x-fairlead-resumable': 'true' };
      const cut = await Promise.all(STREAMS.map(([path, body]) => send(victim, body, resumable, path)));
      const begun = await Promise.all(cut.map((response) => readerOf(response).until('never ')));
      const ids = cut.map(({ headers }) => headers.get('x-generation-id')!);
      for (const id of ids) while (!((await storedOf(id))?.parts > 0)) await sleep(50);
      await sleep(500);
      await victim.kill();
      const resumed = await Promise.all(ids.map(async (id) => (await resume(two, id, 1)).text()));
      for (const [index, text] of resumed.entries()) {
        const read = begun[index]!;
        expect(text.startsWith(read.slice(read.indexOf('id: 2\n')))).toBe(true);
        expect(text).toContain('The gateway that ran this request stopped: connection error.');
        expect(text).toMatch(/id: \d+\ndata: \[DONE\]\n\n$/);
        const numbers = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
        expect(numbers).toEqual(numbers.map((_, at) => at + 2));
      }
      for (const id of ids) {
        const late = await resume(two, id, 1);
        const { error_type: type, metadata } = await errorOf(late);
        expect([late.status, type ?? metadata.error_type, metadata.generation_id]).toEqual([409, 'idempotency_lost', id]); // oxfmt-ignore
      }
    },
    TEST_MS_MAX,
  );

  it(
    'answers from what is stored, or says what was lost and charged, when the replica is killed',
    async () => {
      const victim = await start();
      const kept = newName();
      upstream.script(anthropicText('Recorded.'));
      const whole = await (await named(victim, askStream('test/native'), kept)).text();
      const lost = newName();
      upstream.script(() => sse([OPEN, delta('never '), HANG]));
      const cut = await named(victim, askStream('test/native'), lost);
      const id = cut.headers.get('x-generation-id');
      const joined = await named(two, askStream('test/native'), lost);
      const item = { model: 'test/native', input: 'Hi', stream: true };
      const responses = newName();
      const sent = { 'idempotency-key': responses, 'x-fairlead-resumable': 'true' };
      const cutResponse = await send(victim, item, sent, '/responses');
      const joinedResponse = await send(two, item, sent, '/responses');
      const silent = newName();
      const before = upstream.requests.length;
      upstream.script(() => sse([HANG]));
      void named(victim, ask('test/native'), silent).catch(() => undefined);
      await upstream.request(before);
      const cutOff = [cut, cutResponse].map((response) => response.text().catch(() => 'cut'));
      await victim.kill();
      expect(await Promise.all(cutOff)).toEqual(['cut', 'cut']);

      const again = await named(two, askStream('test/native'), kept);
      expect([again.headers.get(REPLAY), await again.text()]).toEqual(['true', whole]);
      // A request that had joined it gets the beginning, and a failure that explains it.
      const rest = await joined.text();
      expect(rest).toContain('never ');
      expect(rest).toContain('"type":"error"');
      expect(rest).toContain('The gateway that ran this request stopped');
      // In the other format its numbers continue, and so do the ids of its events.
      const failed = await joinedResponse.text();
      expect(failed.match(/^event: .*$/gm)).toEqual(expect.arrayContaining(['event: response.created', 'event: response.output_text.delta'])); // oxfmt-ignore
      expect(failed).toMatch(
        /event: response\.failed\n.*The gateway that ran this request stopped[^]*data: \[DONE\]\n\n$/,
      );
      const numbers = [...failed.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(numbers.map((_, at) => at));
      const ids = [...failed.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
      expect(ids).toEqual(Array.from({ length: numbers.length + 1 }, (_, at) => at + 1));
      // Later ones wait until the replica counts as dead, and get an error for the lost reply.
      for (const [body, name] of [
        [askStream('test/native'), lost],
        [ask('test/native'), silent],
      ] as const) {
        // oxfmt-ignore
        const repeated = await named(two, body, name);
        expect(repeated.status).toBe(409);
        const error = await errorOf(repeated);
        expect(error).toMatchObject({
          error_type: 'idempotency_lost',
          metadata: { first_used_at: expect.any(String) },
        });
        expect(Object.keys(error.metadata)).toEqual(expect.arrayContaining(['generation_id', 'charged']));
        if (name === lost) expect(error.metadata.generation_id).toBe(id);
      }
      // Once the dead replica's hold is settled, the charge is known.
      let charged: number | null = null;
      while (charged === null) {
        await sleep(500);
        charged = (await errorOf(await named(two, askStream('test/native'), lost))).metadata.charged;
      }
      // Charged by its last heartbeat's observation, as entered.
      const entered = await source.query<{ amount: string }[]>('select sum(amount) as amount from ledger_entries where generation_id = $1', [id]); // oxfmt-ignore
      expect(charged).toBe(Number(entered[0]!.amount));
    },
    TEST_MS_MAX,
  );

  it(
    'runs a repetition of a request that was refused because the answer of the database was late',
    async () => {
      const name = newName();
      const before = upstream.requests.length;
      // The database stores the claim, and the gateway learns of it too late.
      proxy.mute();
      try {
        const refused = await named(one, ask('test/native'), name);
        expect([refused.status, (await errorOf(refused)).error_type]).toEqual([503, 'server']);
      } finally {
        proxy.resume();
      }
      expect(upstream.requests.length).toBe(before);
      upstream.script(anthropicText('Once after all.'));
      const again = await named(two, ask('test/native'), name);
      expect([again.status, again.headers.get(REPLAY)]).toEqual([200, null]);
      expect(await again.text()).toContain('Once after all.');
      expect(upstream.requests.length).toBe(before + 1);
    },
    TEST_MS_MAX,
  );

  it(
    'gives a reply again after an outage of the database for all that was longer than its lease',
    async () => {
      const name = newName();
      const held = gate();
      upstream.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
      const before = upstream.requests.length;
      const running = await named(one, askStream('test/native'), name);
      const joined = await named(two, askStream('test/native'), name);
      const rest = readerOf(joined);
      await rest.until('one ');
      const address = new URL(database.settings.databaseUrl!.reveal());
      const stored = address.pathname.slice(1);
      address.pathname = '/postgres';
      const server = new pg.Client({ connectionString: address.href });
      await server.connect();
      try {
        await server.query(`ALTER DATABASE ${stored} ALLOW_CONNECTIONS false`);
        await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [stored]);
        await sleep(7_500);
      } finally {
        await server.query(`ALTER DATABASE ${stored} ALLOW_CONNECTIONS true`);
        await server.end();
      }
      await sleep(1_000);
      held.open();
      const text = await running.text();
      expect(text).toContain('message_stop');
      expect(await rest.until()).toBe(text);
      for (const gateway of [one, two]) {
        const again = await named(gateway, askStream('test/native'), name);
        expect([again.status, again.headers.get(REPLAY), await again.text()]).toEqual([200, 'true', text]);
      }
      expect(upstream.requests.length).toBe(before + 1);
    },
    TEST_MS_MAX,
  );

  it(
    'refuses new names while the database is away, and stores what ended meanwhile',
    async () => {
      const name = newName();
      const held = gate();
      upstream.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
      const before = upstream.requests.length;
      const known = await generations();
      const running = await named(one, askStream('test/native'), name);
      await proxy.stop();
      let text: string;
      try {
        const refused = await named(one, ask('test/native'), newName());
        expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
        held.open();
        text = await running.text();
        expect(text).toContain('message_stop');
        // Repeated at the same replica, it is answered from memory.
        const again = await named(one, askStream('test/native'), name);
        expect([again.status, again.headers.get(REPLAY), await again.text()]).toEqual([200, 'true', text]);
      } finally {
        await proxy.start();
      }
      for (;;) {
        const elsewhere = await named(two, askStream('test/native'), name);
        const repeated = await elsewhere.text();
        // Until it is stored there, it is lost or breaks off.
        if (repeated !== text) {
          await sleep(500);
          continue;
        }
        expect([elsewhere.status, elsewhere.headers.get(REPLAY)]).toEqual([200, 'true']);
        break;
      }
      expect(upstream.requests.length).toBe(before + 1);
      expect(await chargesSince(known)).toEqual({ id: running.headers.get('x-generation-id'), charges: [84] });
    },
    TEST_MS_MAX,
  );
});
