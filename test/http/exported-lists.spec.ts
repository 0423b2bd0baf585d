/**
 * Checks that every list that the description offers in another format is exported whole, whatever a page has, by its
 * filters and within the reach of its key, without secrets and formulas; and that the state of the catalog is what the
 * log has of a changed file. Read over HTTP, on both databases.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { SubjectBudgets } from '../../src/budgets/subject-budgets.js';
import { CatalogStore } from '../../src/catalog/catalog-store.js';
import { GuardrailsService } from '../../src/guardrails/guardrails.service.js';
import { KeysService } from '../../src/keys/keys.service.js';
import { EXPORT_BATCH } from '../../src/shared/http/list-replies.js';
import { WorkspaceMembers } from '../../src/workspaces/workspace-members.js';
import { WorkspacesService } from '../../src/workspaces/workspaces.service.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { ApiDescription } from '../support/description.js';
import type { JsonBody } from '../support/recorded-request.js';

/** More than are read at once. */
const MANY = EXPORT_BATCH + 5;
/** Maximum number of alarms of an account. */
const ALARMS = 100;
const PAGE = 50;
const SECRET = 'sk-example-of-a-credential-0123456789';

/** A list, and what is made for it: at least `count` entries that fit the filter. */
interface List {
  /** As the description has it: `GET` of this. */
  readonly route: string;
  /** Below the base path, with filters. */
  readonly path: string;
  readonly count: number;
  /** The field that no two entries share. */
  readonly id: string;
  /** A value that a spreadsheet would take for a formula; absent: none can begin a cell. */
  readonly formula?: string;
}

/** Lists whose exports other specs check: test/http/lists.spec.ts, activity.spec.ts and statements.spec.ts. */
const ELSEWHERE = ['/activity', '/credits/entries', '/generations', '/statements/{month}'];

const LISTS: readonly List[] = [
  { route: '/keys', path: '/keys?name=exported', count: MANY, id: 'hash', formula: '=exported' },
  { route: '/byok', path: '/byok?provider=openai', count: MANY, id: 'id', formula: '+credential' },
  { route: '/workspaces', path: '/workspaces', count: MANY, id: 'id', formula: '-workspace' },
  { route: '/workspaces/{reference}/members', path: '/workspaces/default/members', count: MANY, id: 'id', formula: '@user' },
  { route: '/organization/members', path: '/organization/members', count: MANY, id: 'id', formula: '@user' },
  { route: '/guardrails', path: '/guardrails?workspace_id=default', count: MANY, id: 'id', formula: '=guardrail' },
  { route: '/guardrails/assignments/keys', path: '/guardrails/assignments/keys', count: MANY, id: 'id', formula: '=exported' },
  { route: '/guardrails/assignments/members', path: '/guardrails/assignments/members', count: MANY, id: 'id', formula: '@user' },
  { route: '/guardrails/{id}/assignments/keys', path: '/guardrails/{guardrail}/assignments/keys', count: MANY, id: 'id', formula: '=exported' },
  { route: '/guardrails/{id}/assignments/members', path: '/guardrails/{guardrail}/assignments/members', count: MANY, id: 'id', formula: '@user' },
  { route: '/presets', path: '/presets?workspace_id=default', count: MANY, id: 'slug' },
  { route: '/budgets', path: '/budgets?scope=users', count: MANY, id: 'id', formula: '+budget' },
  { route: '/alarms', path: '/alarms', count: ALARMS, id: 'id', formula: '-alarm' },
  { route: '/alarms/history', path: '/alarms/history', count: MANY, id: 'id' },
  { route: '/observability/destinations', path: '/observability/destinations?type=webhook', count: MANY, id: 'id', formula: '@destination' },
  { route: '/audit', path: '/audit?workspace_id=default', count: MANY, id: 'id' },
]; // oxfmt-ignore

interface ListService {
  list: (...given: readonly unknown[]) => Promise<unknown>;
}

/** A list, and how an entry of it is removed. */
interface Shrinking {
  readonly path: string;
  readonly id: string;
  readonly service: abstract new (...given: never[]) => object;
  readonly remove: (gateway: TestGateway, id: string) => Promise<unknown>;
}

const SHRINKING: readonly Shrinking[] = [
  { path: '/keys', id: 'hash', service: KeysService, remove: (gateway, id) => gateway.manage('DELETE', `/keys/${id}`) },
  { path: '/workspaces', id: 'id', service: WorkspacesService, remove: (gateway, id) => gateway.manage('DELETE', `/workspaces/${id}`) },
  { path: '/workspaces/default/members', id: 'user_id', service: WorkspaceMembers, remove: (gateway, id) => gateway.manage('POST', '/workspaces/default/members/remove', { user_ids: [id] }) },
  { path: '/budgets', id: 'id', service: SubjectBudgets, remove: (gateway, id) => gateway.manage('DELETE', `/budgets/users/${encodeURIComponent(id)}/daily`) },
  { path: '/guardrails', id: 'id', service: GuardrailsService, remove: (gateway, id) => gateway.manage('DELETE', `/guardrails/${id}`) },
]; // oxfmt-ignore

describeOnEachDatabase('lists that are exported', (database) => {
  let gateway: TestGateway;
  let guardrail: string;

  beforeAll(async () => {
    gateway = await startGateway(database, { variables: { FAIRLEAD_EGRESS_ALLOW: '127.0.0.1/32' } });
    guardrail = await fill(gateway);
  }, 300_000);
  afterAll(() => gateway?.close());

  /** @param more of its query */
  const pathOf = ({ path }: List, more: string): string =>
    `${path.replace('{guardrail}', guardrail)}${path.includes('?') ? '&' : '?'}${more}`;
  const read = async (path: string, key = MANAGEMENT_KEY): Promise<readonly [Response, string]> => {
    const response = await gateway.request(path, { key });
    return [response, await response.text()];
  };

  /** A job judges alarms meanwhile. */
  const withoutJudgement = (view: JsonBody): JsonBody =>
    'judged_at' in view ? { ...view, judged_at: 'at some time' } : view;

  it('are all that the description offers', async () => {
    const { document } = await ApiDescription.of(gateway);
    const offered = Object.entries<JsonBody>(document.paths)
      .filter(([, { get }]) => Object.hasOwn(get?.responses['200']?.content ?? {}, 'text/csv'))
      .map(([path]) => path);
    expect(offered.toSorted()).toEqual([...ELSEWHERE, ...LISTS.map(({ route }) => route)].toSorted());
  });

  it.each(LISTS)('GET $route: csv has every entry once, with the fields of a page', async (list) => {
    const page = await gateway.manage('GET', pathOf(list, `limit=${PAGE}`));
    expect(page.data).toHaveLength(PAGE);
    const [response, csv] = await read(pathOf(list, 'format=csv&limit=10'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [head, ...rows] = csv.trimEnd().split('\n');
    const columns = head!.split(',');
    expect(columns).toEqual(expect.arrayContaining(Object.keys(page.data[0])));
    expect(rows.length).toBeGreaterThanOrEqual(list.count);
    if (page.total_count !== undefined) expect(rows).toHaveLength(page.total_count);
    const idAt = csvCells(head!).indexOf(list.id);
    expect(new Set(rows.map((row) => csvCells(row)[idAt])).size).toBe(rows.length);
    expect(csvCells(rows[0]!)[idAt]!.replace(/^'/, '')).toBe(String(page.data[0][list.id]));
    if (list.formula !== undefined) expect(csv).toContain(`"'${list.formula}"`);
    expect(rows.flatMap(csvCells).filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
    expect(csv).not.toContain(SECRET);
  });

  it.each(LISTS)('GET $route: ndjson has the same entries, as a page has them', async (list) => {
    const page = await gateway.manage('GET', pathOf(list, `limit=${PAGE}`));
    const [response, text] = await read(pathOf(list, 'format=ndjson'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const views = text.trimEnd().split('\n').map((line) => JSON.parse(line));
    expect(views.length).toBeGreaterThanOrEqual(list.count);
    expect(views.slice(0, PAGE).map(withoutJudgement)).toEqual(page.data.map(withoutJudgement));
    expect(text).not.toContain(SECRET);
  }); // oxfmt-ignore

  it.each(LISTS)('GET $route: is refused as the list is', async (list) => {
    const [wrong, text] = await read(pathOf(list, 'format=xml'));
    expect([wrong.status, text]).toEqual([400, expect.stringContaining('format: must be one of csv, ndjson')]);
    // Presets are for either kind of key.
    const [other] = await read(pathOf(list, 'format=csv'), API_KEY);
    expect(other.status).toBe(list.route === '/presets' ? 200 : 403);
    expect((await gateway.request(pathOf(list, 'format=csv'), { key: null })).status).toBe(401);
  });

  it.each(SHRINKING)('GET $path: has the rest where what was already read is removed meanwhile', async (shrinking) => {
    const { path, id, service, remove } = shrinking;
    const before = (await read(`${path}?format=ndjson`))[1].trimEnd().split('\n').map((line) => JSON.parse(line)[id]);
    const list = gateway.gateway.app.get<ListService>(service, { strict: false });
    const part = list.list.bind(list);
    let parts = 0;
    list.list = async (...given) => {
      const result = await part(...given);
      if (++parts === 1) await remove(gateway, before[0]);
      return result;
    };
    try {
      const after = (await read(`${path}?format=ndjson`))[1].trimEnd().split('\n').map((line) => JSON.parse(line)[id]);
      expect([after, parts]).toEqual([before, 2]);
    } finally {
      list.list = part;
    }
  }); // oxfmt-ignore

  it('have what a bound key may see, and no more', async () => {
    const { key } = await gateway.manage('POST', '/keys', { name: 'head', kind: 'management', workspace_id: 'w-0' });
    const [, csv] = await read('/workspaces?format=csv', key);
    expect(csv.trimEnd().split('\n')).toHaveLength(2);
    for (const path of ['/audit', '/guardrails', '/guardrails/assignments/keys']) {
      const [response, lines] = await read(`${path}?format=ndjson`, key);
      const rows = lines.split('\n').filter((line) => line !== '');
      const { data } = (await (await gateway.request(`${path}?limit=100`, { key })).json()) as JsonBody;
      expect([response.status, rows.map((line) => JSON.parse(line))]).toEqual([200, data]);
    }
    for (const path of ['/alarms', '/alarms/history', '/budgets', '/observability/destinations'])
      expect([path, (await read(`${path}?format=csv`, key))[0].status]).toEqual([path, 403]);
  }); // oxfmt-ignore

  it('begin where a cursor of the audit log stands', async () => {
    const { data, next_cursor: cursor } = await gateway.manage('GET', '/audit?limit=3');
    const [, text] = await read(`/audit?format=ndjson&cursor=${cursor}`);
    expect(JSON.parse(text.split('\n')[0]!).id).toBe(String(Number(data[2].id) - 1));
  });
});

/** Makes at least `MANY` of everything. @returns the id of a guardrail that they are assigned to */
async function fill(gateway: TestGateway): Promise<string> {
  const manage: TestGateway['manage'] = (...given) => gateway.manage(...given);
  const each = Array.from({ length: MANY }, (_, index) => index);
  const users = ['@user', ...each.map((index) => `user-${index}`)];
  for (let from = 0; from < users.length; from += 100)
    await manage('POST', '/workspaces/default/members/add', { user_ids: users.slice(from, from + 100) });
  const keys: string[] = [];
  for (const index of each) {
    const name = (first: string, word: string): string => (index === 0 ? `${first}${word}` : `${word} ${index}`);
    keys.push((await gateway.newKey({ name: name('=', 'exported') })).hash);
    await manage('POST', '/byok', { provider: 'openai', key: SECRET, name: name('+', 'credential') });
    await manage('POST', '/workspaces', { name: name('-', 'workspace'), slug: `w-${index}` });
    await manage('POST', '/guardrails', { name: name('=', 'guardrail'), workspace_id: 'default' });
    await manage('PUT', `/budgets/users/${encodeURIComponent(name('+', 'budget'))}/daily`, { limit_usd: 1 });
    await manage('POST', `/presets/p-${index}/messages?workspace_id=default`, { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi.' }] });
    if (index < ALARMS)
      await manage('POST', '/alarms', { name: name('-', 'alarm'), on: { kind: 'outage' }, destination_ids: [] });
    const config = { url: 'http://127.0.0.1:9/hook', headers: { authorization: SECRET } };
    await manage('POST', '/observability/destinations', { name: name('@', 'destination'), type: 'webhook', config, workspace_id: `w-${index}` });
  }
  const [{ id: guardrail }] = (await manage('GET', '/guardrails?limit=1')).data;
  await manage('POST', `/guardrails/${guardrail}/assignments/keys`, { key_hashes: keys });
  await manage('POST', `/guardrails/${guardrail}/assignments/members`, { member_user_ids: users });
  await gateway.gateway.app.get(DataSource).query(
    `INSERT INTO outbox_events (id, account_id, type, subject, data, occurred_at)
     SELECT gen_random_uuid(), (SELECT id FROM accounts), 'alarm.test', gen_random_uuid(), '{}', now() FROM generate_series(1, $1)`,
    [MANY],
  );
  return guardrail;
} // oxfmt-ignore

/** The cells of a line of csv, without their quotes. */
const csvCells = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) => quoted ?? bare!);

describeOnEachDatabase('the state of the catalog', (database) => {
  it('is what is wrong with a changed file, until it is mended, for management keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-state-'));
    const file = join(folder, 'own.yaml');
    writeFileSync(file, 'version: 1\nextends: default\n');
    const gateway = await startGateway(database, { variables: { FAIRLEAD_CATALOG: file } });
    try {
      const state = async (): Promise<JsonBody> => (await gateway.manage('GET', '/catalog')).data;
      const store = gateway.gateway.app.get(CatalogStore, { strict: false });
      const before = await state();
      expect(before).toEqual({ in_force_since: expect.any(String), hash: store.current.hash, faults: [] });
      const whole = readFileSync(file, 'utf8');
      appendFileSync(file, 'models: 3\n');
      await store.reload();
      expect(await state()).toEqual({
        ...before,
        faults: [{ file: 'own.yaml', line: 3, field: 'models', message: expect.any(String) }],
      });
      writeFileSync(file, whole);
      await store.reload();
      expect((await state()).faults).toEqual([]);
      expect((await gateway.request('/catalog', { key: API_KEY })).status).toBe(403);
    } finally {
      await gateway.close();
      rmSync(folder, { recursive: true });
    }
  }, 240_000);
});
