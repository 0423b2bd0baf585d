/**
 * Tags of requests by both faces: from body, header, key and workspace, in records, lists and explanations; required
 * ones; and that no provider receives them. The real application over HTTP, on both databases; a strict upstream keeps
 * what it was sent.
 */
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, MessagesBench } from './messages-bench.js';

const MODEL = 'test/native';
const JSON_TYPE = { 'content-type': 'application/json' };

describeOnEachDatabase('tags', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  interface Sent {
    readonly tags?: object;
    readonly header?: string;
    readonly key?: string;
  }

  async function send(path: string, { tags, header, key = API_KEY }: Sent): Promise<JsonBody> {
    const response = await bench.gateway.request(path, {
      method: 'POST',
      key,
      headers: { ...JSON_TYPE, ...(header !== undefined && { 'X-Fairlead-Tags': header }) },
      body: JSON.stringify(ask(MODEL, { ...(tags && { trace: { trace_id: 't', tags } }) })),
    });
    return { status: response.status, id: response.headers.get('x-generation-id'), body: await response.json() };
  }

  const record = async (id: string): Promise<JsonBody> =>
    (await bench.gateway.manage('GET', `/generation?id=${id}`)).data;

  it.each(['/messages', '/chat/completions'])('%s records those of body, header, key and workspace', async (path) => {
    const { data: workspace } = await bench.gateway.manage('POST', '/workspaces', {
      name: 'tagged',
      slug: `tagged${path.replaceAll('/', '-')}`,
      tags: { floor: 'workspace', owner: 'workspace' },
    });
    expect(workspace).toMatchObject({ tags: { floor: 'workspace', owner: 'workspace' }, required_tags: [] });
    const { key } = await bench.gateway.newKey({
      workspace_id: workspace.id,
      metadata: { tags: { owner: 'key', team: 'key' } },
    });
    const { status, id } = await send(path, {
      key,
      header: 'team=header,feature=header',
      tags: { feature: 'body' },
    });
    expect(status).toBe(200);
    const tags = { floor: 'workspace', owner: 'key', team: 'header', feature: 'body' };
    expect(await record(id)).toMatchObject({ tags, trace: { trace_id: 't' } });
    const { data } = await bench.gateway.manage('GET', '/generations?from=2020-01-01&tag=feature=body&tag=owner=key');
    expect(data.map((one: JsonBody) => one.id)).toContain(id);
    const csv = await bench.gateway.request('/generations?format=csv', { key });
    expect(await csv.text()).toContain('""feature"": ""body""'.replaceAll(': ', ':'));
    const { headers, json } = bench.anthropic.requests.at(-1)!;
    expect(JSON.stringify([headers, json])).not.toMatch(/x-fairlead|feature|floor/i);
  });

  it.each(['constructor', '__proto__', 'valueof', '__definegetter__', 'a.b-c_d'])(
    'takes %s as a name like any other, from body, header, key and workspace',
    async (name) => {
      const others = { other: 'x' };
      const named = (value: string): object => JSON.parse(`{"${name}":"${value}"}`);
      const entries = (tags: object): unknown => Object.entries(tags).toSorted();
      const { data: workspace } = await bench.gateway.manage('POST', '/workspaces', {
        name: 'w',
        slug: `w${Math.random().toString(36).slice(2)}`,
      });
      const { key, hash } = await bench.gateway.newKey({ workspace_id: workspace.id });
      // The plain text: an object of the test would lose the name.
      const manage = async (method: string, path: string, body: string): Promise<JsonBody> => {
        const response = await bench.gateway.request(path, { method, key: MANAGEMENT_KEY, headers: JSON_TYPE, body });
        expect(response.status).toBe(200);
        return ((await response.json()) as JsonBody).data;
      };
      const recorded = async (path: string, sent: Sent): Promise<unknown> => {
        const { status, id, body } = await send(path, { key, ...sent });
        expect([body.error, status]).toEqual([undefined, 200]);
        return entries((await record(id)).tags);
      };
      for (const path of ['/messages', '/chat/completions']) {
        expect(await recorded(path, { tags: named('body') })).toEqual([[name, 'body']]);
        expect(await recorded(path, { header: `${name}=header,other=x` })).toEqual(entries({ ...named('header'), ...others }));
        expect(await recorded(path, { header: `${name}=header`, tags: named('body') })).toEqual([[name, 'body']]);
      }
      const pairs = JSON.stringify(named('workspace'));
      const changed = await manage('PATCH', `/workspaces/${workspace.id}`, `{"tags":${pairs},"required_tags":["${name}"]}`);
      expect([entries(changed.tags), changed.required_tags]).toEqual([[[name, 'workspace']], [name]]);
      expect(await recorded('/messages', {})).toEqual([[name, 'workspace']]);
      const ofKey = await manage('PATCH', `/keys/${hash}`, `{"metadata":{"tags":${JSON.stringify(named('key'))}}}`);
      expect(entries(ofKey.metadata.tags)).toEqual([[name, 'key']]);
      expect(await recorded('/messages', {})).toEqual([[name, 'key']]);
      const today = new Date().toISOString().slice(0, 10);
      const { data: listed } = await bench.gateway.manage('GET', `/generations?from=${today}&tag=${name}=key`);
      expect(listed.map(({ tags }: JsonBody) => entries(tags))).toEqual([[[name, 'key']]]);
      const { data: figures } = await bench.gateway.manage('GET', `/activity?from=${today}&group_by=tag:${name}&tag=${name}=key`);
      expect(figures.map((row: JsonBody) => [Object.entries(row).find(([field]) => field === `tag:${name}`), row.requests])).toEqual([[[`tag:${name}`, 'key'], 1]]);
      await manage('PATCH', `/workspaces/${workspace.id}`, '{"tags":null}');
      await manage('PATCH', `/keys/${hash}`, '{"metadata":null}');
      expect(await send('/messages', { key })).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(`requires ${name};`) } } });
      await bench.gateway.manage('PUT', `/budgets/tags/${name}%3Dbody/daily`, { limit_usd: 0.000001 });
      expect(await send('/messages', { key, tags: named('body') })).toMatchObject({ status: 403 });
      expect(({} as Record<string, unknown>)['body'] ?? ({} as { polluted?: string }).polluted).toBeUndefined();
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
    30_000,
  ); // oxfmt-ignore

  it('stores a required name once that is given twice', async () => {
    const twice = { name: 'w', slug: 'twice', required_tags: ['team', 'floor', 'team'] };
    const { data: workspace } = await bench.gateway.manage('POST', '/workspaces', twice);
    expect(workspace.required_tags).toEqual(['team', 'floor']);
    const { data: changed } = await bench.gateway.manage('PATCH', '/workspaces/twice', { required_tags: ['a', 'a'] });
    expect(changed.required_tags).toEqual(['a']);
    const { key } = await bench.gateway.newKey({ workspace_id: workspace.id });
    expect((await send('/messages', { key })).body.error.message).toContain('requires a; send it');
  });

  it('records null without tags', async () => {
    const { id, body } = await send('/messages', {});
    expect([body.error, (await record(id)).tags]).toEqual([undefined, null]);
  });

  it('refuses a request without required tags, whoever could give them, at once after the change', async () => {
    const { data: workspace } = await bench.gateway.manage('POST', '/workspaces', { name: 'strict', slug: 'strict' });
    const { key, hash } = await bench.gateway.newKey({ workspace_id: workspace.id });
    const refusal = async (sent: Sent): Promise<JsonBody> => {
      const { status, body } = await send('/messages', { key, ...sent });
      return status === 200 ? 200 : [status, body.error.message];
    };
    expect(await refusal({})).toBe(200);
    await bench.gateway.manage('PATCH', `/workspaces/${workspace.id}`, { required_tags: ['team', 'cost-center'] });
    const required = (names: string): JsonBody => [
      400,
      `trace.tags: the workspace requires ${names}; send it in trace.tags or X-Fairlead-Tags`,
    ];
    expect(await refusal({})).toEqual(required('team, cost-center'));
    expect(await refusal({ header: 'team=a' })).toEqual(required('cost-center'));
    await bench.gateway.manage('PATCH', `/keys/${hash}`, { metadata: { tags: { 'cost-center': '7' } } });
    expect(await refusal({ tags: { team: 'a' } })).toBe(200);
    await bench.gateway.manage('PATCH', `/workspaces/${workspace.id}`, { tags: { team: 'all' } });
    expect(await refusal({})).toBe(200);
    const cleared = await bench.gateway.manage('PATCH', `/keys/${hash}`, { metadata: null });
    expect(cleared.data.metadata).toEqual({ tags: {} });
    expect(await refusal({})).toEqual(required('cost-center'));
    const counted = await bench.gateway.request('/messages/count_tokens', {
      method: 'POST',
      key,
      headers: JSON_TYPE,
      body: JSON.stringify(ask(MODEL, {})),
    });
    expect(counted.status).toBe(200);
    const { data: entries } = await bench.gateway.manage('GET', `/audit?target=${workspace.id}`);
    expect(entries[0]).toMatchObject({ action: 'workspace.update', after: { tags: { team: 'all' } } });
  });

  it('shows them in explanations', async () => {
    const explained = await send('/routing/explain', { header: 'team=a', tags: { feature: 'b' } });
    expect(explained.body.data.tags).toEqual({ team: 'a', feature: 'b' });
    expect((await send('/routing/explain', {})).body.data).not.toHaveProperty('tags');
  });

  it.each([
    [{ tags: ['a'] }, 'trace.tags: must be an object'],
    [{ tags: { a: 1 } }, 'trace.tags.a: must be a string'],
    [{ tags: { A: 'x' } }, 'trace.tags.A: its name must be 1 to 64 characters of a-z, 0-9, "_", "." and "-"'],
    [{ tags: { a: '' } }, 'trace.tags.a: must be at least 1 character'],
    [{ tags: { a: 'x'.repeat(129) } }, 'trace.tags.a: must be at most 128 characters'],
    [{ header: 'a' }, 'x-fairlead-tags: must be pairs of name=value separated by commas'],
  ])('refuses %j', async (sent, message) => {
    for (const path of ['/messages', '/chat/completions']) {
      const { status, body } = await send(path, sent);
      expect([status, body.error.message]).toEqual([400, message]);
    }
  });

  it.each([
    ['POST', '/keys', { name: 'k', metadata: { tags: { A: 'x' } } }, 'metadata.tags.A: its name must be 1 to 64'],
    ['POST', '/keys', { name: 'k', metadata: { owner: 'x' } }, 'metadata.owner: '],
    ['POST', '/workspaces', { name: 'w', slug: 'w', tags: { a: '' } }, 'tags.a: must be at least 1 character'],
    ['POST', '/workspaces', { name: 'w', slug: 'w', required_tags: ['A'] }, 'required_tags.0: must be 1 to 64'],
  ])('refuses defaults: %s %s %j', async (method, path, body, message) => {
    const response = await bench.gateway.request(path, {
      method,
      key: MANAGEMENT_KEY,
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    expect([response.status, ((await response.json()) as JsonBody).error.message]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });
});
