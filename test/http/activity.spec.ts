// Checks that the activity reports the exact spending per completed UTC day and account, without unfinished days and
// without the spending of other accounts. The real app runs at a time that the test sets; rows are settled by the
// ledger's own statement.
import { DataSource } from 'typeorm';
import { shortEndUser } from '../../src/core/end-user.js';
import { hashKey } from '../../src/core/ids.js';
import { ACCOUNT_EXPORTS_MAX, ExportSlots } from '../../src/shared/http/export-slots.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { addKey, addStrangers, generationRow, ownerOf, settle, type Owner } from './generation-rows.js';

interface Item {
  readonly [key: string]: unknown;
}

interface Reply {
  readonly status: number;
  readonly body: {
    readonly data: readonly Item[];
    readonly error: { readonly code: number; readonly message: string };
  };
}

// 16 January 2027: the thirty days before it reach into the year before.
const TODAY = '2027-01-16';
const YESTERDAY = '2027-01-15';
const FIRST_DAY = '2026-12-17';
const LONG_USER = 'u'.repeat(300);

describeOnEachDatabase('GET /activity', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  let store: DataSource;
  let owner: Owner;
  let further: Owner;
  let strangers: Owner;

  const moveTo = (time: string): void => {
    clock.aheadMs = Date.parse(time) - Date.now();
  };

  beforeAll(async () => {
    gateway = await startGateway(database, { clock });
    store = gateway.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
    further = await addKey(store, owner.account_id);
    strangers = await addStrangers(store);
    const row = (held_at: string, changes: Partial<GenerationRow> = {}, whose = owner): GenerationRow =>
      generationRow(whose, { held_at, cost: '1', prompt_tokens: 10, completion_tokens: 5, ...changes });
    await settle(
      store,
      // Just outside the range, on both ends.
      row('2026-12-16T23:59:59.999Z', { cost: '500' }),
      row(`${TODAY}T00:00:00.000Z`, { cost: '500' }),
      // The first and the last moment of the thirty days.
      row(`${FIRST_DAY}T00:00:00.000Z`),
      row(`${YESTERDAY}T23:59:59.999Z`, { cost: '0.1', key_user: 'anna' }),
      row(`${YESTERDAY}T00:00:00.000Z`, {
        cost: '0.2',
        reasoning_tokens: 3,
        cache_read_tokens: 100,
        cache_write_tokens: 20,
        cache_write_1h_tokens: 3,
      }),
      // One day, separated by model, endpoint and provider.
      row('2027-01-10T10:00:00Z', { model: 'test/other' }),
      row('2027-01-10T11:00:00Z', { endpoint: 'p0/turbo' }),
      row('2027-01-10T12:00:00Z', { provider: 'p9', provider_name: 'Provider p9' }),
      row('2027-01-10T13:00:00Z', { provider_name: 'Provider p0, renamed' }),
      row('2027-01-10T14:00:00Z', { is_byok: true, cost: '0.05', byok_cost: '1.25' }),
      // Two without an answer: one not charged, one charged.
      row('2027-01-05T10:00:00Z', { model: null, provider: null, provider_name: null, endpoint: null, cost: '0' }),
      row('2027-01-04T10:00:00Z', { model: null, provider: null, provider_name: null, endpoint: null, cost: '0.5' }),
      // Another workspace of the account, and another account.
      row('2027-01-12T10:00:00Z', { key_user: 'ben', cost: '3' }, further),
      row('2027-01-12T10:00:00Z', { cost: '4' }),
      row('2027-01-12T10:00:00Z', { cost: '500' }, strangers),
    );
  }, 240_000);
  beforeEach(() => moveTo(`${TODAY}T12:00:00Z`));
  afterAll(() => gateway?.close());

  async function read(query = '', key = MANAGEMENT_KEY): Promise<Reply> {
    const response = await gateway.request(`/activity${query}`, { key });
    return { status: response.status, body: (await response.json()) as Reply['body'] };
  }

  async function list(query = ''): Promise<readonly Item[]> {
    const { status, body } = await read(query);
    expect([query, status]).toEqual([query, 200]);
    return body.data;
  }

  const sum = (items: readonly Item[], key: string): number =>
    items.reduce((total, item) => total + Number(item[key]), 0);

  it('sums up the last thirty completed days, newest first', async () => {
    const items = await list();
    expect(items.map(({ date }) => date)).toEqual([
      YESTERDAY,
      '2027-01-12',
      ...Array.from({ length: 4 }, () => '2027-01-10'),
      '2027-01-04',
      FIRST_DAY,
    ]);
    // Exact to the last digit, unlike a sum of doubles: 0.1 + 0.2.
    expect(items[0]).toEqual({
      date: YESTERDAY,
      model: 'test/model',
      model_permaslug: 'test/model',
      endpoint_id: 'p0',
      provider_name: 'Provider p0',
      usage: 0.3,
      byok_usage_inference: 0,
      operator_cost: 0,
      requests: 2,
      prompt_tokens: 143,
      completion_tokens: 10,
      reasoning_tokens: 3,
    });
    expect(items[1]).toMatchObject({ usage: 7, requests: 2 });
    expect(sum(items, 'requests')).toBe(11);
  });

  it('separates models, endpoints and providers, but not a provider that was renamed', async () => {
    const items = await list('?date=2027-01-10');
    expect(
      items.map(({ model, endpoint_id, provider_name, requests, usage, byok_usage_inference }) => [
        ...[model, endpoint_id, provider_name],
        ...[requests, usage, byok_usage_inference],
      ]),
    ).toEqual([
      ['test/model', 'p0', 'Provider p0, renamed', 2, 1.05, 1.25],
      ['test/model', 'p0', 'Provider p9', 1, 1, 0],
      ['test/model', 'p0/turbo', 'Provider p0', 1, 1, 0],
      ['test/other', 'p0', 'Provider p0', 1, 1, 0],
    ]);
  });

  it('leaves out unanswered requests, but nothing that was charged', async () => {
    expect(await list('?date=2027-01-05')).toEqual([]);
    expect(await list('?date=2027-01-04')).toMatchObject([
      { model: 'test/model', endpoint_id: '', provider_name: '', usage: 0.5 },
    ]);
  });

  it('is narrowed to one completed day', async () => {
    for (const date of [YESTERDAY, FIRST_DAY]) {
      expect(await list(`?date=${date}`)).toEqual((await list()).filter((item) => item['date'] === date));
    }
    expect(await list('?date=2027-01-01')).toEqual([]);
  });

  it('begins a new day by the clock of the ledger, at midnight in UTC', async () => {
    moveTo('2027-01-16T23:59:30Z');
    expect((await read(`?date=${TODAY}`)).status).toBe(400);
    moveTo('2027-01-17T00:00:01Z');
    expect(await list(`?date=${TODAY}`)).toMatchObject([{ date: TODAY, usage: 500 }]);
    expect((await list())[0]).toMatchObject({ date: TODAY });
    // The oldest day is now out of range.
    expect((await read(`?date=${FIRST_DAY}`)).status).toBe(400);
    expect((await list()).map(({ date }) => date)).not.toContain(FIRST_DAY);
  });

  it('is narrowed to a key, a user and a workspace', async () => {
    const usage = async (query: string): Promise<number> => sum(await list(`?date=2027-01-12${query}`), 'usage');
    expect(await usage('')).toBe(7);
    expect(await usage(`&api_key_hash=${further.key_hash}`)).toBe(3);
    expect(await usage(`&api_key_hash=${owner.key_hash}`)).toBe(4);
    expect(await usage('&user_id=ben')).toBe(3);
    expect(await usage('&user_id=anna')).toBe(0);
    expect(await usage(`&workspace_id=${further.workspace_id}`)).toBe(3);
    expect(await usage(`&workspace_id=${further.workspace_id.toUpperCase()}`)).toBe(3);
    expect(await usage(`&workspace_id=${owner.workspace_id}&user_id=ben`)).toBe(0);
  });

  it('shows the spending of a deleted key', async () => {
    const deleted = await addKey(store, owner.account_id);
    await settle(store, generationRow(deleted, { held_at: '2027-01-13T10:00:00Z', cost: '9' }));
    await store.query('update api_keys set deleted_at = now() where hash = $1', [deleted.key_hash]);
    expect(await list(`?api_key_hash=${deleted.key_hash}`)).toMatchObject([{ usage: 9 }]);
  });

  it('is grouped by workspace when requested', async () => {
    const items = await list('?date=2027-01-12&group_by=workspace');
    const shown = items.map((item) => [item['workspace_id'], item['usage']]);
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining([
        [owner.workspace_id, 4],
        [further.workspace_id, 3],
      ]),
    );
  });

  it('accepts the id of a deleted workspace, and names it', async () => {
    const gone = await addKey(store, owner.account_id);
    await settle(store, generationRow(gone, { held_at: '2027-01-14T10:00:00Z', cost: '11' }));
    await store.query(`update workspaces set deleted_at = now(), name = 'The former team' where id = $1`, [
      gone.workspace_id,
    ]);
    const named = { usage: 11, workspace_id: gone.workspace_id, workspace_name: 'The former team' };
    expect(await list(`?workspace_id=${gone.workspace_id}`)).toMatchObject([{ usage: 11 }]);
    expect(await list(`?workspace_id=${gone.workspace_id}&group_by=workspace`)).toMatchObject([named]);
    expect(await list('?date=2027-01-14&group_by=workspace')).toMatchObject([named]);
    // The keys of the workspace are listed as well, with their amounts.
    await store.query('update api_keys set deleted_at = now() where hash = $1', [gone.key_hash]);
    const reply = await gateway.request(`/keys?workspace_id=${gone.workspace_id}&include_deleted=true`, {
      key: MANAGEMENT_KEY,
    });
    expect(((await reply.json()) as { readonly data: object }).data).toMatchObject([
      { hash: gone.key_hash, usage: 11 },
    ]);
  });

  it('equals the charges exactly', async () => {
    // A correction changes what its generation cost.
    const recovered = generationRow(owner, { held_at: '2027-01-08T10:00:00Z', cost: '2', is_recovered: true });
    await settle(store, recovered);
    await settle(store, { ...recovered, cost: '2.5', is_recovered: false });
    const [entered] = await store.query<{ amount: string }[]>(
      `select sum(amount) as amount from ledger_entries
       where account_id = $1 and held_at >= '2026-12-17T00:00:00Z' and held_at < '2027-01-16T00:00:00Z'`,
      [owner.account_id],
    );
    expect(await list('?date=2027-01-08')).toMatchObject([{ requests: 1, usage: 2.5 }]);
    expect(sum(await list(), 'usage')).toBeCloseTo(Number(entered!.amount), 9);
  });

  it('is empty from a day in the future on', async () => {
    expect(await list('?from=2027-02-10')).toEqual([]);
  });

  const REFUSED = [
    [`date=${TODAY}`, 400, `date: must be one of the last 30 completed UTC days, ${FIRST_DAY} to ${YESTERDAY}`],
    ['date=2026-12-16', 400, 'date: must be one of'],
    ['date=2027-02-30', 400, 'date: must be one of'],
    ['date=2028-01-01', 400, 'date: must be one of'],
    ['date=', 400, 'date: must be a day'],
    ['date=2027-1-5', 400, 'date: must be a day'],
    ['date=2027-01-15T00:00:00Z', 400, 'date: must be a day'],
    ['date=yesterday', 400, 'date: must be a day'],
    [`date=${YESTERDAY}&date=${YESTERDAY}`, 400, 'date: must be a string'],
    ['api_key_hash=x', 400, 'api_key_hash: must be the hash of an API key: 64'],
    [`api_key_hash=${'F'.repeat(64)}`, 400, 'api_key_hash: must be the hash of an API key: 64'],
    [`api_key_hash=${'f'.repeat(64)}`, 404, 'api_key_hash: there is no such key'],
    ['user_id=', 400, 'user_id: must be at least 1 character'],
    ['user_id=a%00b', 400, 'user_id: must not contain NUL characters'],
    [`user_id=${'x'.repeat(256)}`, 400, 'user_id: must be at most 255 characters'],
    ['group_by=modl', 400, 'did you mean model?'],
    ['group_by=model,key,user', 400, 'group_by: takes at most 2 names'],
    ['group_by=model,model', 400, 'group_by: names one twice'],
    ['group_by=generation', 400, 'group_by: must be one or two of model, provider, endpoint, key, member, user'],
    ['group_by=tag', 400, 'group_by: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    ['group_by=tag:', 400, 'group_by: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    ['group_by=tag:<name>', 400, 'group_by: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    ['group_by=tag:Team', 400, 'group_by: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    [
      `group_by=tag:${'a'.repeat(65)}`,
      400,
      'group_by: must be tag:<name>, where <name> is that of a tag, such as tag:team',
    ],
    ['group_by=model:x', 400, 'did you mean model?'],
    [`date=${YESTERDAY}&group_by=model`, 400, 'date: is for completed days alone'],
    ['granularity=week', 400, 'granularity: must be one of hour, day'],
    ['from=2027-01-10&to=2027-01-10', 400, 'to: must be later than from'],
    ['from=2027-01-10T10:00', 400, 'from: must be a UTC day'],
    ['from=2026-11-01&granularity=hour', 400, 'from: at most 31 days before to, because granularity is hour'],
    ['from=2026-11-01&group_by=session', 400, 'from: at most 31 days before to, because session is known of single'],
    ['from=2025-01-01', 400, 'from: at most 400 days before to'],
    ['form=2027-01-10', 400, 'form: is not a known parameter; did you mean from?'],
    ['format=xml', 400, 'format: must be one of csv, ndjson'],
    ['error_type=overloaded', 400, 'error_type: must be one of'],
    ['api=chats', 400, 'did you mean chat?'],
    ['dialect=openai-chats', 400, 'did you mean openai-chat?'],
    ['outcome=complete', 400, 'did you mean completed?'],
    [
      'model=sandbox/eccho',
      400,
      'model: no model of the catalog and no record has this name; did you mean sandbox/echo?',
    ],
    [
      'provider=sandbocks',
      400,
      'provider: no provider of the catalog and no record has this name; did you mean sandbox?',
    ],
    [
      'endpoint=sandbocks',
      400,
      'endpoint: no endpoint of the catalog and no record has this name; did you mean sandbox?',
    ],
    [`key=${'f'.repeat(64)}`, 404, 'key: there is no such key'],
    ['tag=team', 400, 'must be the name of a tag and its value, such as team=search'],
    ['from=2026-11-01&tag=team=a', 400, 'from: at most 31 days before to, because tag:team is known of single'],
    ['workspace_id=no-such', 404, 'workspace_id: there is no such workspace'],
    ['workspace_id=0198c0de-0000-7000-8000-000000000001', 404, 'workspace_id: there is no such workspace'],
  ] as const;
  it.each(REFUSED.map(([query, status, message]) => [query.slice(0, 40), status, message, query] as const))(
    'answers ?%s with %d',
    async (_, status, message, query) => {
      const { status: answered, body } = await read(`?${query}`);
      expect([answered, body.error.code]).toEqual([status, status]);
      expect(body.error.message).toContain(message);
    },
  );

  describe('by ranges', () => {
    // Rows of their own: an hour of today, two groups, an error, a session.
    beforeAll(async () => {
      const today = (time: string, changes: Partial<GenerationRow>, whose = owner): GenerationRow =>
        generationRow(whose, { held_at: `${TODAY}T${time}Z`, cost: '0.1', ...changes });
      await settle(
        store,
        today('09:00:00', {
          cost: '0.1',
          session_id: 'one',
          cache_read_tokens: 40,
          prompt_tokens: 2,
          dialect: 'openai-chat',
          tags: { team: 'search', feature: 'answers' },
        }),
        today('09:59:59.999', {
          cost: '0.2',
          end_user: '=1+1',
          api_type: 'chat',
          key_user: 'anna',
          tags: { team: 'search' },
        }),
        today('10:00:00', { cost: '0', outcome: 'provider-overloaded', model: null, provider: null, provider_name: null, endpoint: null, operator_cost: '0.75' }), // oxfmt-ignore
        today('10:30:00', { cost: '3', model: 'test/other', end_user: shortEndUser(LONG_USER) }, further),
      );
    }, 240_000);

    const figures = (items: readonly Item[], ...names: string[]): unknown[] =>
      items.map((item) => names.map((name) => item[name]));

    it('knows today, by hours', async () => {
      expect(await list(`?from=${TODAY}T08:00:00Z&granularity=hour&to=${TODAY}T11:00:00Z`)).toEqual([
        {
          date: `${TODAY}T10:00:00Z`, requests: 2, errors: 1, usage: 3, byok_usage_inference: 0, operator_cost: 0.75,
          prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: 0, cached_tokens: 0,
        },
        {
          date: `${TODAY}T09:00:00Z`, requests: 2, errors: 0, usage: 0.3, byok_usage_inference: 0, operator_cost: 0,
          prompt_tokens: 42, completion_tokens: 0, reasoning_tokens: 0, cached_tokens: 40,
        },
      ]); // oxfmt-ignore
      // To the millisecond.
      const cut = await list(`?from=${TODAY}T09:00:01Z&to=${TODAY}T10:00:00.001Z&granularity=hour`);
      expect(figures(cut, 'date', 'requests')).toEqual([[`${TODAY}T10:00:00Z`, 1], [`${TODAY}T09:00:00Z`, 1]]); // oxfmt-ignore
    });

    it.each([
      ['model,workspace', [['test/model', 3], ['test/other', 1]]],
      ['api', [['chat', 1], ['messages', 3]]],
      ['error_type', [['provider_overloaded', 1], [null, 3]]],
      ['status', [[200, 3], [529, 1]]],
      ['session', [['one', 1], [null, 3]]],
      ['user', [['=1+1', 1], [shortEndUser(LONG_USER), 1], [null, 2]]],
      ['member,endpoint', [['anna', 1], [null, 1], [null, 2]]],
      ['dialect', [['openai-chat', 1], [null, 3]]],
      ['provider', [['p0', 3], [null, 1]]],
      ['tag:team', [['search', 2], [null, 2]]],
      ['tag:feature,tag:team', [['answers', 1], [null, 1], [null, 2]]],
    ])('is grouped by %s', async (groups, expected) => {
      const [first] = groups.split(',');
      const shown = figures(await list(`?from=${TODAY}T08:00:00Z&to=${TODAY}T11:00:00Z&group_by=${groups}`), first!, 'requests');
      expect(shown.toSorted()).toEqual(expected.toSorted());
    }); // oxfmt-ignore

    it('is narrowed to an end user whose id is so long that records have its hash', async () => {
      const items = await list(`?from=${TODAY}T08:00:00Z&to=${TODAY}T11:00:00Z&user=${LONG_USER}`);
      expect(figures(items, 'requests', 'usage')).toEqual([[1, 3]]);
    });

    it('names keys and workspaces beside their ids', async () => {
      expect(await list(`?from=${TODAY}T08:00:00Z&to=${TODAY}T11:00:00Z&group_by=key,workspace&key=${further.key_hash}`)).toEqual([
        expect.objectContaining({
          date: TODAY, key: further.key_hash, key_name: 'further', workspace: further.workspace_id, workspace_name: 'further', usage: 3,
        }),
      ]); // oxfmt-ignore
    });

    it.each([
      ['model=test/other', 1],
      ['provider=p0', 3],
      ['endpoint=p0', 3],
      ['session_id=one', 1],
      ['user=%3D1%2B1', 1],
      ['tag=team=search', 2],
      ['tag=team=search&tag=feature=answers', 1],
      ['member=anna', 1],
      ['user_id=anna', 1],
      ['status=529', 1],
      ['outcome=completed', 3],
      ['error_type=provider_overloaded', 1],
      ['api=chat', 1],
      ['dialect=openai-chat', 1],
      ['model=sandbox/echo', undefined],
      ['provider=sandbox', undefined],
    ])('is filtered by %s', async (filter, requests) => {
      const items = await list(`?from=${TODAY}T08:00:00Z&to=${TODAY}T11:00:00Z&${filter}`);
      expect(items[0]?.['requests']).toBe(requests);
    });

    it('is exported with the same rows, as csv that a spreadsheet does not execute', async () => {
      const range = `from=${TODAY}T08:00:00Z&to=${TODAY}T11:00:00Z&group_by=user,key`;
      const csv = await gateway.request(`/activity?${range}&format=csv`, { key: MANAGEMENT_KEY });
      expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      const items = await list(`?${range}`);
      const [head, ...lines] = (await csv.text()).trimEnd().split('\n');
      expect(head).toBe(Object.keys(items[0]!).join(','));
      expect(lines).toHaveLength(items.length);
      expect(lines.join()).toContain(`"'=1+1"`);
      const ndjson = await gateway.request(`/activity?${range}&format=ndjson`, { key: MANAGEMENT_KEY });
      expect((await ndjson.text()).trimEnd().split('\n').map((line) => JSON.parse(line) as Item)).toEqual(items); // oxfmt-ignore
      expect(await (await gateway.request(`/activity?from=2999-01-01&to=2999-02-01&format=csv`, { key: MANAGEMENT_KEY })).text()).toBe(`${'date,usage,byok_usage_inference,operator_cost,requests,errors,prompt_tokens,completion_tokens,reasoning_tokens,cached_tokens'}\n`); // oxfmt-ignore
    });

    it('adds up to the same over any groups', async () => {
      const range = 'from=2026-12-17&to=2027-01-17';
      const whole = await list(`?${range}`);
      for (const groups of ['model', 'key,api', 'workspace,error_type', 'user', 'member,provider'])
        for (const name of ['requests', 'errors', 'prompt_tokens'])
          expect(sum(await list(`?${range}&group_by=${groups}`), name)).toBe(sum(whole, name));
    });
  });

  it('runs a bounded number of exports at once, and frees the slot of a reader who leaves', async () => {
    const slots = gateway.gateway.app.get(ExportSlots, { strict: false });
    let leave!: () => void;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const account = owner.account_id;
    const running = Array.from({ length: ACCOUNT_EXPORTS_MAX }, () => slots.hold(account, () => left));
    for (const path of ['/activity?format=csv', '/generations?format=ndjson', '/credits/entries?format=csv']) {
      const refused = await gateway.request(path, { key: MANAGEMENT_KEY });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
      expect(((await refused.json()) as Reply['body']).error.message).toMatch(
        /^format: at most 2 exports of an account/,
      );
    }
    expect((await read('?from=2027-01-01')).status).toBe(200);
    leave();
    await Promise.all(running);
    expect((await gateway.request('/activity?format=csv', { key: MANAGEMENT_KEY })).status).toBe(200);
  });

  it.each(['member', 'session'])('refuses more than 20,000 rows by %s, but exports them', async (dimension) => {
    const column = dimension === 'member' ? 'key_user' : 'session_id';
    await settle(store, generationRow(owner, { id: `gen-${dimension}`, held_at: `${TODAY}T05:10:00Z` }));
    await store.query(
      `INSERT INTO generations SELECT (jsonb_populate_record(g, jsonb_build_object('id', 'gen-${dimension}-' || n, '${column}', 'one-' || n))).*
       FROM generations g CROSS JOIN generate_series(1, 20000) AS n WHERE g.id = 'gen-${dimension}'`,
    );
    const range = `?from=${TODAY}T05:00:00Z&to=${TODAY}T06:00:00Z&granularity=hour`;
    const grouped = `${range}&group_by=${dimension}`;
    expect(await read(grouped)).toMatchObject({ status: 400, body: { error: { message: expect.stringMatching(/^group_by: these are more than 20000 rows/) } } }); // oxfmt-ignore
    const csv = await gateway.request(`/activity${grouped}&format=csv`, { key: MANAGEMENT_KEY });
    expect((await csv.text()).trimEnd().split('\n')).toHaveLength(1 + 20_001);
    await store.query(`DELETE FROM generations WHERE id = 'gen-${dimension}'`);
    expect(await list(grouped)).toHaveLength(20_000);
    await store.query(`DELETE FROM generations WHERE id LIKE 'gen-${dimension}-%'`);
    expect(await list(range)).toEqual([]);
  });

  it('finds no key and no workspace of another account', async () => {
    expect((await read(`?api_key_hash=${strangers.key_hash}`)).status).toBe(404);
    expect((await read(`?workspace_id=${strangers.workspace_id}`)).status).toBe(404);
  });

  it('is not for inference keys', async () => {
    expect(await read('', API_KEY)).toEqual({
      status: 403,
      body: { error: { code: 403, message: 'Only management keys can perform this operation' } },
    });
  });
});
