/**
 * Checks that the addresses in a request are limited to those its account and its key permit, before anything is
 * sent: media that the gateway or a provider would fetch, servers of tools, and fields and tools that search; a
 * change is in force at once. Strict upstreams and a file server record what they receive.
 */
import { catalogOf, startGateway, type NewKey, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { redirect, startWebServer, whole, type WebServer } from '../support/web-server.js';

const PDF = whole('application/pdf', '%PDF-1.7 text');
const image = (url: string): object => ({ type: 'image', source: { type: 'url', url } });
const document = (url: string): object => ({ type: 'document', source: { type: 'url', url } });
const GOOD = 'https://docs.good.test/a.png';
const BAD = 'https://evil.test/a.png';

describeOnEmbedded('egress of accounts and keys', (database) => {
  let native: Upstream;
  let translated: Upstream;
  let files: WebServer;
  let gateway: TestGateway;

  beforeAll(async () => {
    [native, translated] = [await startUpstream('anthropic'), await startUpstream('openai')];
    files = await startWebServer();
    const catalog = catalogOf(
      { id: 'test/native', at: [{ url: native.url, dialect: 'anthropic-messages' }] },
      {
        id: 'test/drawing',
        at: [{ url: translated.url, dialect: 'openai-chat' }],
        model: { output_modalities: ['text', 'image'] },
      },
      { id: 'test/translated', at: [{ url: translated.url, dialect: 'openai-chat' }] },
    ) as { readonly providers: readonly object[] };
    const providers = catalog.providers.map((provider) => ({ ...provider, passes_unknown_fields: true }));
    gateway = await startGateway(database, {
      catalog: { ...catalog, providers },
      variables: { FAIRLEAD_EGRESS_ALLOW: `127.0.0.2:${files.port}` },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([native, translated, files].map((server) => server?.close()));
  });
  beforeEach(() => {
    for (const upstream of [native, translated]) upstream.requests.length = 0;
    native.script(anthropicText('read'));
    files.paths.length = 0;
  });
  afterEach(() => manage('PATCH', '/account/preferences', { egress: null }));

  const manage: TestGateway['manage'] = (...call) => gateway.manage(...call);
  const keyFor = (egress: object | null): Promise<NewKey> => gateway.newKey({ egress });

  /** @returns the status, and the type and message of an error */
  async function ask(key: string, content: readonly object[], fields: object = {}): Promise<readonly unknown[]> {
    const { model, ...rest } = { model: 'test/native', ...fields };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, ...content] }];
    const response = await gateway.messages({ model, max_tokens: 10, messages, ...rest }, { key });
    const { error } = (await response.json()) as JsonBody;
    return error ? [response.status, error.type, error.message] : [response.status];
  }
  const refusal = (path: string, what: string) => [
    403,
    'permission_error',
    expect.stringContaining(`${path}: ${what}`),
  ];
  const callCount = (): number => native.requests.length + translated.requests.length + files.paths.length;

  it('permits every address where no policy is set', async () => {
    const { key } = await keyFor(null);
    expect(await ask(key, [image(GOOD), image(BAD)])).toEqual([200]);
    const [, ...sent] = native.requests[0]!.json['messages'][0].content;
    expect(sent).toEqual([image(GOOD), image(BAD)]);
  });

  // oxfmt-ignore
  it.each<[string, object | null, object | null, boolean, boolean]>([
    ['what the key allows', null, { allowed_domains: ['good.test'] }, true, false],
    ['what the key does not block', null, { blocked_domains: ['evil.test'] }, true, false],
    ['what the account allows', { allowed_domains: ['good.test'] }, null, true, false],
    ['what both allow', { allowed_domains: ['good.test', 'evil.test'] }, { allowed_domains: ['docs.good.test'] }, true, false],
    ['what neither blocks', { blocked_domains: ['good.test'] }, { blocked_domains: ['evil.test'] }, false, false],
    ['nothing', null, { allowed_domains: [] }, false, false],
    ['everything', null, { allowed_domains: null, blocked_domains: [] }, true, true],
  ])('passes on %s, and refuses the rest before anything is sent', async (_, account, ofKey, good, bad) => {
    await manage('PATCH', '/account/preferences', { egress: account });
    const { key } = await keyFor(ofKey);
    const path = 'messages.0.content.1.source.url';
    for (const [url, host, passes] of [[GOOD, 'docs.good.test', good], [BAD, 'evil.test', bad]] as const) {
      expect(await ask(key, [image(url)])).toEqual(passes ? [200] : refusal(path, `${host} may not be reached`));
    }
    expect(callCount()).toBe(Number(good) + Number(bad));
  });

  it.each<[string, readonly object[], string]>([
    ['a document', [document(BAD)], 'messages.0.content.1.source.url'],
    ['the second of two', [image(GOOD), document(BAD)], 'messages.0.content.2.source.url'],
    [
      'a part of a document',
      [{ type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }, image(BAD)] } }],
      'messages.0.content.1.source.content.1.source.url',
    ],
    [
      'an address that programs read differently',
      [image('https://docs.good.test\\@evil.test/a.png')],
      'messages.0.content.1.source.url',
    ],
  ])('refuses %s', async (_, content, path) => {
    const { key } = await keyFor({ allowed_domains: ['good.test'] });
    expect(await ask(key, content)).toEqual(refusal(path, ''));
    expect(callCount()).toBe(0);
  });

  it('refuses what a tool of the caller’s answered with', async () => {
    const { key } = await keyFor({ allowed_domains: ['good.test'] });
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image(BAD)] }] },
    ];
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const path = 'messages.2.content.0.content.0.source.url';
    expect(await ask(key, [], { messages, tools })).toEqual(refusal(path, 'evil.test may not be reached'));
  });

  it('refuses media on the chat face as well', async () => {
    const { key } = await keyFor({ blocked_domains: ['evil.test'] });
    const response = await gateway.request('/chat/completions', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/translated',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: BAD } }] }],
      }),
    });
    const { error } = (await response.json()) as JsonBody;
    expect([error.code, error.message]).toEqual([403, expect.stringContaining('evil.test may not be reached')]);
    expect(callCount()).toBe(0);
  });

  it('counts no tokens of what it would not send', async () => {
    const { key } = await keyFor({ blocked_domains: ['evil.test'] });
    const response = await gateway.request('/messages/count_tokens', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/native', messages: [{ role: 'user', content: [image(BAD)] }] }),
    });
    expect([response.status, callCount()]).toEqual([403, 0]);
  });

  it('judges each redirect of what the gateway fetches itself', async () => {
    const { key } = await keyFor({ allowed_domains: [`127.0.0.2:${files.port}/good`] });
    const url = files.at('/good/a.pdf', PDF);
    files.at('/bad.pdf', PDF);
    files.at('/good/away.pdf', redirect('/bad.pdf'));
    const fields = { model: 'test/translated' };
    expect(await ask(key, [document(url)], fields)).toEqual([200]);
    expect(await ask(key, [document(`${files.origin}/good/away.pdf`)], fields)).toEqual(
      refusal('messages.0.content.1.source.url', 'leads to a domain that is not allowed'),
    );
    expect(files.paths).toEqual(['/good/a.pdf', '/good/away.pdf']);
  });

  it.each<[string, unknown, readonly unknown[]]>([
    ['a server that is allowed', [{ type: 'url', name: 's', url: 'https://mcp.good.test/sse' }], [200]],
    ['no servers', [], [200]],
    [
      'a server that is not',
      [{ url: 'https://mcp.good.test' }, { url: 'https://evil.test/sse' }],
      refusal('mcp_servers.1.url', 'evil.test may not be reached'),
    ],
    [
      'a server without an address',
      [{ type: 'url', name: 's' }],
      refusal('mcp_servers.0.url', 'it cannot be restricted'),
    ],
    ['something else', { url: 'https://mcp.good.test' }, refusal('mcp_servers', 'it cannot be restricted')],
  ])('holds `mcp_servers` to it: %s', async (_, servers, outcome) => {
    const { key } = await keyFor({ allowed_domains: ['good.test'] });
    expect(await ask(key, [], { mcp_servers: servers })).toEqual(outcome);
    expect(native.requests.map(({ json }) => json['mcp_servers'])).toEqual(outcome[0] === 200 ? [servers] : []);
  });

  it.each(['web_search_options', 'search_parameters', 'enable_search', 'data_sources', 'Extra_Body', 'MCP_servers'])(
    'refuses the field %s, which would have a provider fetch without a check',
    async (field) => {
      const { key } = await keyFor({ blocked_domains: ['evil.test'] });
      expect(await ask(key, [], { [field]: {} })).toEqual(refusal(field.toLowerCase(), 'it cannot be restricted'));
      expect(callCount()).toBe(0);
      // Null requests nothing.
      await ask(key, [], { [field]: null });
      expect(native.requests).toHaveLength(1);
    },
  );

  it.each([
    [{ type: 'web_crawl_20300101', name: 'crawl' }, 'the tool web_crawl_20300101 cannot be restricted'],
    [{ type: 'mcp', server_url: 'https://docs.good.test' }, 'the tool mcp cannot be restricted'],
    [
      { type: 'openrouter:image_generation', parameters: { model: 'test/drawing', input: { image_url: BAD } } },
      'evil.test may not be reached',
    ],
  ])('refuses a tool with an unknown destination: %j', async (tool, message) => {
    const { key } = await keyFor({ allowed_domains: ['good.test'] });
    expect(await ask(key, [], { tools: [tool] })).toEqual([403, 'permission_error', expect.stringContaining(message)]);
    expect(callCount()).toBe(0);
  });

  it('permits tools without an address', async () => {
    const { key } = await keyFor({ allowed_domains: [] });
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'code_execution_20250825', name: 'code_execution' },
      { name: 'look', input_schema: { type: 'object', $schema: 'https://json-schema.org/x', properties: {} } },
    ];
    expect(await ask(key, [], { tools })).toEqual([200]);
    expect(native.requests[0]!.json['tools']).toEqual(tools);
  });

  it('is in force at once when it is changed, of the account and of the key', async () => {
    const { key, hash } = await keyFor(null);
    const refused = refusal('messages.0.content.1.source.url', 'evil.test may not be reached');
    expect(await ask(key, [image(BAD)])).toEqual([200]);
    await manage('PATCH', '/account/preferences', { egress: { blocked_domains: ['evil.test'] } });
    expect(await ask(key, [image(BAD)])).toEqual(refused);
    await manage('PATCH', '/account/preferences', { egress: null });
    expect(await ask(key, [image(BAD)])).toEqual([200]);
    await manage('PATCH', `/keys/${hash}`, { egress: { allowed_domains: ['good.test'] } });
    expect(await ask(key, [image(BAD)])).toEqual(refused);
    const { data } = await manage('GET', `/audit?action=api_key.update&target=${hash}`);
    expect(data[0]).toMatchObject({
      before: { egress: null },
      after: { egress: { allowed_domains: ['good.test'], blocked_domains: null } },
    });
  });
});
