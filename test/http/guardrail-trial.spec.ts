// Checks that the dry run of a guardrail does with a text what a request with it meets: the same outcome, the same
// text at the model, the same refusal; that filters can be tried before they are saved; and that nothing of it remains.
// The real app is called over HTTP, with the simulated model that repeats what it reads.
import { newUuid } from '../../src/core/ids.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const STORED = {
  name: 'tried',
  content_filters: [
    { pattern: 'project-[0-9]{4}', action: 'redact', label: 'project' },
    { pattern: 'top secret', action: 'block', label: null },
    { pattern: 'draft', action: 'flag', label: 'draft' },
  ],
  content_filter_builtins: [{ slug: 'email', action: 'redact' }],
};

describeOnEmbedded('the dry run of a guardrail', (database) => {
  let gateway: TestGateway;
  let id: string;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway(database);
    ({ id } = (await gateway.manage('POST', '/guardrails', STORED)).data);
    const made = await gateway.newKey({ name: 'guarded' });
    key = made.key;
    await gateway.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [made.hash] });
  }, 240_000);
  afterAll(() => gateway?.close());

  async function attempt(body: object, of = id): Promise<{ status: number; body: JsonBody }> {
    const response = await gateway.request(`/guardrails/${of}/test`, {
      method: 'POST',
      key: MANAGEMENT_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  it.each([
    ['nothing', 'Good morning.', 'passed', []],
    ['what is reported', 'A draft.', 'flagged', [['flag', ['draft']]]],
    ['what is cut', 'ada@example.com has project-1234, a draft.', 'redacted', [['redact', ['email', 'project']], ['flag', ['draft']]]],
    ['what is refused', 'This is top secret: ada@example.com', 'blocked', [['redact', ['email']], ['block', ['custom-2']]]],
    ['invisible characters', 'pro\u200bject-1234', 'redacted', [['redact', ['project']]]],
  ] as const)('finds %s as a request meets it', async (_, text, outcome, found) => {
    const { status, body } = await attempt({ text });
    const { data } = body;
    expect([status, data.outcome]).toEqual([200, outcome]);
    expect(data.findings.map(({ action, patterns }: JsonBody) => [action, patterns])).toEqual(found);
    const reply = await gateway.messages({ model: 'sandbox/echo', max_tokens: 100, messages: [{ role: 'user', content: text }] }, { key });
    const met = (await reply.json()) as JsonBody;
    if (outcome === 'blocked') expect([reply.status, met.error.message, data.text]).toEqual([403, data.message, null]);
    else expect([reply.status, met.content[0].text, data.message]).toEqual([200, data.text, null]);
  }); // oxfmt-ignore

  it('takes filters that are not saved, in place of those that are', async () => {
    const text = 'ada@example.com, project-1234, 10.0.0.1';
    const other = { content_filter_builtins: [{ slug: 'ip-address', action: 'redact' }], content_filters: null };
    expect((await attempt({ text, ...other })).body.data.text).toBe('ada@example.com, project-1234, [REDACTED:ip-address]');
    expect((await attempt({ text, content_filters: null })).body.data.text).toBe('[REDACTED:email], project-1234, 10.0.0.1');
    expect((await attempt({ text })).body.data.text).toBe('[REDACTED:email], [REDACTED:project], 10.0.0.1');
    expect((await gateway.manage('GET', `/guardrails/${id}`)).data).toMatchObject(STORED);
  }); // oxfmt-ignore

  it.each([
    [{}, 'text: is required'],
    [{ text: '' }, 'text: must be at least 1 character'],
    [{ text: 'x'.repeat(100_001) }, 'text: must be at most 100000 characters'],
    [{ text: 'x', content_filters: [{ pattern: '(', action: 'block' }] }, 'content_filters.0.pattern: invalid_regex_pattern: '],
    [{ text: 'x', content_filter_builtins: [{ slug: 'email', action: 'flag' }] }, 'content_filter_builtins.0.action: flag is for'],
    [{ text: 'x', role: 'user' }, 'role: is not a known field'],
  ])('refuses %j', async (sent, message) => {
    const { status, body } = await attempt(sent);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  }); // oxfmt-ignore

  it('leaves nothing behind, and is not there for an unknown guardrail', async () => {
    const kept = async (): Promise<unknown> => [
      (await gateway.manage('GET', '/audit?limit=1')).data[0].id,
      (await gateway.manage('GET', '/generations?limit=100')).data.length,
    ];
    const before = await kept();
    expect((await attempt({ text: 'top secret' })).status).toBe(200);
    expect(await kept()).toEqual(before);
    expect((await attempt({ text: 'x' }, newUuid(Date.now()))).status).toBe(404);
  });
});
