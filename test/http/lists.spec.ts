/**
 * Whose generations and entries are listed, by which filters, in which formats; and that each wrong query is refused
 * by name. Rows are settled by the ledger's own statement and read over HTTP, on both databases. Readers that stop or
 * leave are bare sockets, and the statements that their exports send are counted.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { shortEndUser } from '../../src/core/end-user.js';
import { hashKey } from '../../src/core/ids.js';
import { GenerationListRepository } from '../../src/ledger/generations/generation-list.repository.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { addKey, addStrangers, generationRow, ownerOf, settle, type Owner } from './generation-rows.js';

const DAY = '2026-11-15';

/** Longer than an entry of an index may be, and hardly shorter compressed. */
const LONG_ID = randomBytes(5_000).toString('hex');
/** Records have its hash. */
const LONG_USER = 'u'.repeat(300);
const EMOJI = '🙂'.repeat(256);

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
  readonly text: string;
  readonly type: string;
}

describeOnEachDatabase('lists', (database) => {
  let gateway: TestGateway;
  let store: DataSource;
  let owner: Owner;
  let neighbour: Owner;
  let strangers: Owner;
  /** By a name of the test's own. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    gateway = await startGateway(database);
    store = gateway.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
    neighbour = await addKey(store, owner.account_id);
    strangers = await addStrangers(store);
    let minute = 0;
    const add = async (name: string, changes: Partial<GenerationRow> = {}, whose = owner): Promise<void> => {
      const at = `${DAY}T12:${String(minute++).padStart(2, '0')}:00.000Z`;
      const row = generationRow(whose, { held_at: at, cost: '0.5', ...changes });
      ids[name] = row.id;
      await settle(store, row);
    };
    await add('plain', { tags: { team: 'search', feature: 'a=b' } });
    await add('theirs', {}, strangers);
    await add('neighbour', { key_user: 'anna', model: 'test/other', requested_model: 'test/other' }, neighbour);
    await add('session', { session_id: LONG_ID, end_user: EMOJI, api_type: 'chat' });
    await add('overloaded', { outcome: 'provider-overloaded', model: null, provider: null, cost: '0' });
    await add('rejected', { ...rejectedWith(400), end_user: shortEndUser(LONG_USER) });
    await add('unprocessable', rejectedWith(422));
    await add('gone', { outcome: 'caller-gone', provider: 'p7' });
    await add('formula', { end_user: '=HYPERLINK("http://x","y")', session_id: 'a,"b"\nc', cost: '2.25' });
  }, 240_000);
  afterAll(() => gateway?.close());

  const rejectedWith = (status: number): Partial<GenerationRow> => ({
    outcome: 'provider-rejected-request',
    attempts: [{ provider: 'P', model: 'test/model', endpoint: 'p0', status }],
  });

  async function read(path: string, key = MANAGEMENT_KEY): Promise<Reply> {
    const response = await gateway.request(path, { key });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, text, type, body: type.startsWith('application/json') ? JSON.parse(text) : null };
  }

  /** The test's own names of the listed generations. */
  async function list(query: string, key = MANAGEMENT_KEY): Promise<string[]> {
    const { status, body } = await read(`/generations?${query}`, key);
    expect([query, status, body.error]).toEqual([query, 200, undefined]);
    return body.data.map(({ id }: JsonBody) => Object.keys(ids).find((name) => ids[name] === id) ?? id);
  }

  const ALL = ['formula', 'gone', 'unprocessable', 'rejected', 'overloaded', 'session', 'neighbour', 'plain'];

  it('shows a management key its account, an inference key its own, newest first', async () => {
    expect(await list('')).toEqual(ALL);
    expect(await list('', API_KEY)).toEqual(ALL.filter((name) => name !== 'neighbour'));
    expect(await list(`key=${owner.key_hash}&workspace_id=${owner.workspace_id}`, API_KEY)).toContain('plain');
    for (const wall of [`key=${neighbour.key_hash}`, `workspace_id=${neighbour.workspace_id}`]) {
      expect(await list(wall)).toEqual(['neighbour']);
      expect((await read(`/generations?${wall}`, API_KEY)).status).toBe(404);
    }
    for (const wall of [`key=${strangers.key_hash}`, `workspace_id=${strangers.workspace_id}`])
      for (const key of [MANAGEMENT_KEY, API_KEY]) expect((await read(`/generations?${wall}`, key)).status).toBe(404);
  });

  it.each([
    [`user=${encodeURIComponent(EMOJI)}`, ['session']],
    [`user=${LONG_USER}`, ['rejected']],
    [`session_id=${LONG_ID}`, ['session']],
    ['session_id=s', []],
    ['status=529', ['overloaded']],
    ['status=400', ['rejected']],
    ['status=422', ['unprocessable']],
    ['status=499', ['gone']],
    ['status=418', []],
    ['error_type=unprocessable', ['unprocessable']],
    ['error_type=provider_overloaded', ['overloaded']],
    ['outcome=provider-rejected-request', ['rejected']],
    ['outcome=caller-gone&status=499', ['gone']],
    ['outcome=caller-gone&status=200', []],
    [`from=${DAY}&status=200`, ['formula', 'session', 'neighbour', 'plain']],
    [`from=${DAY}&model=test/other`, ['neighbour']],
    [`from=${DAY}&provider=p7`, ['gone']],
    // Known to the catalog alone: by its id, by another name, with a routing suffix.
    [`from=${DAY}&model=sandbox/echo`, []],
    [`from=${DAY}&model=echo`, []],
    [`from=${DAY}&model=sandbox/echo:nitro`, []],
    [`from=${DAY}&provider=sandbox`, []],
    [`from=${DAY}&member=anna`, ['neighbour']],
    [`from=${DAY}&api=chat`, ['session']],
    [`from=${DAY}&min_cost=0.500000000001`, ['formula']],
    [`from=${DAY}&tag=team=search`, ['plain']],
    [`from=${DAY}&tag=team=search&tag=feature=a=b`, ['plain']],
    [`from=${DAY}&tag=team=search&tag=team=other`, []],
    [`from=${DAY}T12:07:00Z&to=${DAY}T12:08:00.000Z`, ['gone']],
    [`to=${DAY}T12:02:00Z`, ['plain']],
    ['to=1970-01-01', []],
    ['from=2999-01-01', []],
    [`from=0000-01-01&to=${DAY}T12:01:00%2B00:00`, ['plain']],
  ])('filters by %.60s', async (query, names) => {
    expect(await list(query)).toEqual(names);
  });

  it('shows what is filtered by, and neither attempts nor content', async () => {
    const { body } = await read(`/generations?user=${encodeURIComponent(EMOJI)}`);
    expect(body.data[0]).toMatchObject({
      id: ids['session'],
      api: 'chat',
      key: owner.key_hash,
      member: null,
      provider: 'p0',
      status: 200,
      error_type: null,
      usage: 0.5,
    });
    expect(Object.keys(body.data[0])).not.toContain('attempts');
    const { data } = (await read(`/generation?id=${ids['session']}`)).body;
    expect(data).toMatchObject({ ...body.data[0], attempts: [], decision: null });
  });

  it.each([
    ['model=', 'model: must be at least 1 character'],
    [`from=${DAY}&model=test/modle`, 'model: no model of the catalog and no record has this name'],
    [`from=${DAY}&model=sandbox/eccho`, 'no record has this name; did you mean sandbox/echo?'],
    [
      `from=${DAY}&provider=sandbocks`,
      'provider: no provider of the catalog and no record has this name; did you mean sandbox?',
    ],
    [`from=${DAY}&provider=p8`, 'provider: no provider of the catalog and no record has this name'],
    ['modl=a', 'modl: is not a known parameter; did you mean model?'],
    ['tag=a=b', 'tag: needs a range of time'],
    [`from=${DAY}&tag=a`, 'tag: must be the name of a tag and its value, such as team=search'],
    [`from=${DAY}&tag=A=b`, 'tag: must be the name of a tag and its value, such as team=search'],
    [`from=${DAY}&tag=a=`, 'tag: must be the name of a tag and its value, such as team=search'],
    [`from=${DAY}&tag=a=b&tag=b`, 'tag.1: must be the name of a tag and its value, such as team=search'],
    ['from=yesterday', 'from: must be a UTC day such as 2030-01-31'],
    ['from=2026-02-30', 'from: must be'],
    ['from=2026-11-15T12:00', 'from: must be'],
    ['from=2026-11-15T12:00:00%2B02:00', 'from: must be'],
    ['to=', 'to: must be'],
    [`from=${DAY}&to=${DAY}`, 'to: must be later than from'],
    ['limit=0', 'limit: must be an integer from 1 to 100'],
    ['limit=101', 'limit: must be'],
    ['limit=1&limit=2', 'limit: must be'],
    ['key=abc', 'key: must be the hash of an API key'],
    ['user=', 'user: must be'],
    ['user=%00', 'user: must not contain NUL'],
    [`provider=${'p'.repeat(256)}`, 'provider: must be at most 255 characters'],
    ['status=20', 'status: must be an HTTP status'],
    ['status=600', 'status: must be'],
    ['status=2e2', 'status: must be'],
    ['outcome=complete', 'did you mean completed?'],
    ['error_type=overloaded', 'error_type: must be one of'],
    ['min_cost=-1', 'min_cost: must be an amount of USD'],
    ['min_cost=1e3', 'min_cost: must be'],
    ['api=chats', 'did you mean chat?'],
    ['format=xml', 'format: must be one of csv, ndjson'],
    ['cursor=', 'cursor: must be'],
    ['cursor=abc', 'cursor: must be the next_cursor of an earlier page of the same query, unchanged'],
    [`cursor=${'a'.repeat(513)}`, 'cursor: must be at most 512 characters'],
    ['model=test/model', 'model: needs a range of time; give from, such as from=2030-01-31'],
    [`model=test/model&to=${DAY}`, 'model: needs a range of time'],
    ['min_cost=1', 'min_cost: needs a range of time'],
    ['status=200', 'status: needs a range of time'],
  ])('refuses %.60s', async (query, words) => {
    for (const key of [MANAGEMENT_KEY, API_KEY]) {
      // What an inference key sees has an index.
      if (words.includes('range of time') && key === API_KEY) continue;
      const { status, body } = await read(`/generations?${query}`, key);
      expect([query, status, body.error.message]).toEqual([query, 400, expect.stringContaining(words)]);
    }
  });

  it('has pages that add up, whose cursors belong to their query and caller', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    const cursors: string[] = [];
    do {
      const { body }: Reply = await read(`/generations?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: JsonBody) => id as string));
      cursor = body.next_cursor;
      if (cursor !== null) cursors.push(cursor);
    } while (cursor !== null);
    expect(seen).toEqual(ALL.map((name) => ids[name]));
    expect(cursors.length).toBe(2);
    // The size of pages may change, and the rest may be exported.
    expect(await list(`limit=100&cursor=${cursors[0]}`)).toEqual(ALL.slice(3));
    expect((await read(`/generations?format=ndjson&cursor=${cursors[0]}`)).text.split('\n')).toHaveLength(6);
    for (const [query, key] of [
      [`from=${DAY}&cursor=${cursors[0]}`, MANAGEMENT_KEY],
      [`cursor=${cursors[0]}`, API_KEY],
      [`cursor=${cursors[0]}A`, MANAGEMENT_KEY],
    ] as const)
      expect([query, (await read(`/generations?${query}`, key)).status]).toEqual([query, 400]);
    expect((await read(`/credits/entries?cursor=${cursors[0]}`)).status).toBe(400);
  });

  it('exports csv that a spreadsheet opens without executing it, and ndjson', async () => {
    const csv = await read('/generations?format=csv');
    expect([csv.status, csv.type]).toEqual([200, 'text/csv; charset=utf-8']);
    const ndjson = await read('/generations?format=ndjson');
    expect([ndjson.status, ndjson.type]).toEqual([200, 'application/x-ndjson']);
    const rows = ndjson.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ id }) => id as string)).toEqual(ALL.map((name) => ids[name]));
    const { data } = (await read('/generations?limit=100')).body;
    expect(rows).toEqual(data);
    const [head] = csv.text.split('\n');
    expect(head).toBe(Object.keys(data[0]).join(','));
    expect(csv.text).toContain('"\'=HYPERLINK(""http://x"",""y"")"');
    expect(csv.text).toContain('"a,""b""\nc"');
    expect(csv.text).toContain(',2.25,');
    expect((await read('/generations?format=csv&session_id=none')).text).toBe(`${head}\n`);
    expect((await read('/generations?format=ndjson&session_id=none')).text).toBe('');
    const { headers, status } = await gateway.request('/generations?format=csv', {
      key: MANAGEMENT_KEY,
      method: 'HEAD',
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  });

  it('lists what was entered and spent as one, which adds up to the balance', async () => {
    for (const body of [{ amount: 25, note: '+1', idempotency_key: 'one' }, { amount: -5, kind: 'refund' }, { amount: -1.5, kind: 'adjustment' }])
      await gateway.manage('POST', '/credits', body); // oxfmt-ignore
    const { data } = (await read('/credits/entries?limit=100')).body;
    const kinds = data.map(({ kind }: JsonBody) => kind as string);
    expect(kinds.slice(0, 3)).toEqual(['adjustment', 'refund', 'purchase']);
    expect(kinds.filter((kind: string) => kind === 'generation')).toHaveLength(8);
    const { total_credits: credits, total_usage: usage } = (await read('/credits')).body.data;
    expect(data.reduce((sum: number, { amount }: JsonBody) => sum + Number(amount), 0)).toBeCloseTo(credits - usage, 9);
    expect(data.find(({ generation_id: id }: JsonBody) => id === ids['formula'])).toEqual({
      id: ids['formula'],
      kind: 'generation',
      amount: -2.25,
      generation_id: ids['formula'],
      key: owner.key_hash,
      workspace_id: owner.workspace_id,
      note: null,
      created_at: `${DAY}T12:08:00.000Z`,
      entered_at: `${DAY}T12:08:00.000Z`,
    });
    const purchases = (await read('/credits/entries?kind=purchase')).body.data;
    expect(purchases).toEqual([expect.objectContaining({ amount: 25, note: '+1', generation_id: null, key: null })]);
    expect((await read('/credits/entries?kind=purchase&format=csv')).text).toContain(`25,,,,"'+1",`);
    const ofWorkspace = (await read(`/credits/entries?from=${DAY}&workspace_id=${neighbour.workspace_id}`)).body.data;
    expect(ofWorkspace.map(({ id }: JsonBody) => id as string)).toEqual([ids['neighbour']]);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Reply = await read(`/credits/entries?limit=2${cursor && `&cursor=${cursor}`}`);
      paged.push(...body.data.map(({ id }: JsonBody) => id as string));
      cursor = body.next_cursor;
    }
    expect(paged).toEqual(data.map(({ id }: JsonBody) => id as string));
  });

  it.each([
    ['kind=charge', 'kind: must be one of grant, purchase, adjustment, refund, generation, correction'],
    ['knd=grant', 'did you mean kind?'],
    ['workspace_id=default', 'workspace_id: needs a range of time'],
    [`from=${DAY}&to=2026-11-14`, 'to: must be later than from'],
    ['cursor=abc', 'cursor: must be'],
  ])('refuses entries by %s', async (query, words) => {
    const { status, body } = await read(`/credits/entries?${query}`);
    expect([query, status, body.error.message]).toEqual([query, 400, expect.stringContaining(words)]);
  });

  it('refuses entries to inference keys', async () => {
    expect((await read('/credits/entries', API_KEY)).status).toBe(403);
  });

  describe('an export of many rows', () => {
    type Read = (
      ...given: Parameters<GenerationListRepository['read']>
    ) => ReturnType<GenerationListRepository['read']>;
    const original = Object.getOwnPropertyDescriptor(GenerationListRepository.prototype, 'read')!.value as Read;
    let reads: jest.SpyInstance;
    beforeAll(async () => {
      const rows = Array.from({ length: 6_000 }, (_, index) =>
        generationRow(owner, {
          held_at: new Date(Date.parse(`${DAY}T13:00:00Z`) + index).toISOString(),
          trace: { padding: 'x'.repeat(3_000) },
        }),
      );
      for (let from = 0; from < rows.length; from += 1_000) await settle(store, ...rows.slice(from, from + 1_000));
    }, 240_000);
    beforeEach(() => {
      reads = jest.spyOn(GenerationListRepository.prototype, 'read');
      reads.mockClear();
    });
    afterEach(() => reads.mockRestore());

    it('waits for its reader, and ends with him', async () => {
      const client = await RawClient.connectLocally(gateway.gateway.app.getHttpServer());
      client.send({
        method: 'GET',
        path: `/api/v1/generations?format=ndjson&from=${DAY}T13:00:00Z`,
        headers: [['authorization', `Bearer ${MANAGEMENT_KEY}`]],
      });
      client.pause();
      /** The number of statements once no more are sent. */
      const stopped = async (): Promise<number> => {
        for (let before = -1; ; await delay(1_000)) {
          if (reads.mock.calls.length === before) return before;
          before = reads.mock.calls.length;
        }
      };
      try {
        const read = await stopped();
        // 20 MB are 60 batches: the buffers between both sides hold a few of them.
        expect(read).toBeGreaterThan(0);
        expect(read).toBeLessThan(10);
        client.destroy();
        await delay(500);
        expect(reads.mock.calls.length).toBeLessThan(read + 3);
      } finally {
        client.destroy();
      }
    }, 240_000);

    it('has every row once, and lets others in between', async () => {
      const rows = await read(`/generations?format=ndjson&from=${DAY}T13:00:00Z`);
      const seen = rows.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id as string);
      expect(new Set(seen).size).toBe(6_000);
      expect(reads.mock.calls.length).toBeGreaterThanOrEqual(60);
    }, 240_000);

    it('is cut where the store fails meanwhile, and is an error where it fails before', async () => {
      reads.mockRejectedValueOnce(new Error('gone'));
      expect((await read('/generations?format=csv')).status).toBe(500);
      let calls = 0;
      reads.mockImplementation(function (this: GenerationListRepository, ...given: Parameters<Read>) {
        return ++calls === 3 ? Promise.reject(new Error('gone')) : original.apply(this, given);
      });
      await expect(read(`/generations?format=csv&from=${DAY}T13:00:00Z`)).rejects.toThrow();
      expect(calls).toBe(3);
    });
  });
});
