/**
 * A tool that a vendor defines is sent unchanged to the models of that vendor, runs here where the gateway knows it,
 * and is refused by its name otherwise; it is never dropped silently. Checked with every dialect, at every provider of
 * Anthropic's format, through both faces, for every tool type of Anthropic's SDK 1.12, those of other vendors, and
 * those of OpenRouter's that this gateway does not run.
 */
import { startGateway, type TestGateway } from '../../support/app.js';
import { describeOnEmbedded } from '../../support/database.js';
import { startDouble, type Double } from '../../support/doubles/start-double.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { PLATFORM_IDS, type PlatformId } from '../../../src/core/routing/catalog.js';
import { FACES, type TestFace } from '../../http/translation-bench.js';
import { DIALECTS, idOf, ToolMatrixBench } from './bench.js';
import { Talk, text } from './matrix-client.js';

const [MESSAGES, CHAT] = FACES as [TestFace, TestFace];
const ANTHROPIC = 'anthropic-messages';

/** Tools that Anthropic runs, or leaves to its callers, and the gateway does not know. */
const ANTHROPICS: readonly JsonBody[] = [
  { type: 'code_execution_20250522', name: 'code_execution' },
  { type: 'code_execution_20250825', name: 'code_execution' },
  { type: 'code_execution_20260120', name: 'code_execution' },
  { type: 'code_execution_20260521', name: 'code_execution' },
  { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
  { type: 'computer_20251124', name: 'computer', display_width_px: 800, display_height_px: 600 },
  { type: 'memory_20250818', name: 'memory' },
  { type: 'bash_20241022', name: 'bash' },
  { type: 'text_editor_20241022', name: 'str_replace_editor' },
  { type: 'text_editor_20250429', name: 'str_replace_based_edit_tool' },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 1_000 },
  { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  { type: 'mcp_toolset', mcp_server_name: 'files' },
];

/** Tools that the gateway runs if the vendor does not, with a field that it cannot keep. */
const UNKEPT: readonly (readonly [field: string, tool: JsonBody])[] = [
  ['url_sources', { type: 'web_fetch_20250910', name: 'web_fetch', url_sources: { user_input: { type: 'all' } } }],
  ['url_sources', { type: 'web_fetch_20260318', name: 'web_fetch', url_sources: { user_input: { type: 'none' } } }],
  ['allowed_callers', { type: 'web_fetch_20260209', name: 'web_fetch', allowed_callers: ['code_execution_20260120'] }],
  [
    'allowed_callers',
    { type: 'web_search_20260209', name: 'web_search', allowed_callers: ['code_execution_20250825'] },
  ],
  ['allowed_callers', { type: 'bash_20250124', name: 'bash', allowed_callers: ['code_execution_20250825'] }],
];

/** Types of OpenRouter or another vendor, on both faces or on chat, that this gateway does not run. */
const UNSERVED: readonly JsonBody[] = [
  { type: 'openrouter:shell' },
  { type: 'openrouter:tool_search' },
  { type: 'openrouter:fusion' },
  { type: 'openrouter:subagent' },
  { type: 'openrouter:files' },
  { type: 'openrouter:apply_patch' },
  { type: 'openrouter:unheard_of' },
];
const OTHER_VENDORS: readonly JsonBody[] = [
  { type: 'file_search', vector_store_ids: ['vs_1'] },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'browser' },
  { type: 'local_shell' },
  { type: 'mcp', server_label: 'files', server_url: 'https://mcp.example' },
  { type: 'custom', name: 'look' },
  { type: 'googleSearch' },
  { type: 'nova_grounding' },
];

describeOnEmbedded('tools of vendors', (database) => {
  let bench: ToolMatrixBench;
  let talk: Talk;
  beforeAll(async () => {
    bench = await ToolMatrixBench.start(database);
    talk = new Talk(bench);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.forget());

  const answer = { parts: [text('Aye.')] };
  async function refusal(face: TestFace, model: string, tool: JsonBody): Promise<string> {
    const body = { model, max_tokens: 100, tools: [tool], messages: face.user('Well?') };
    const response = await bench.send(face.path, body);
    const { error }: JsonBody = await response.json();
    expect({ status: response.status, calls: DIALECTS.flatMap((dialect) => talk.sentTo(dialect)) }).toEqual({
      status: 400,
      calls: [],
    });
    return error.message;
  }
  const nameOf = ({ type }: JsonBody): string => type;
  const named = (tools: readonly JsonBody[]): (readonly [string, JsonBody])[] =>
    tools.map((tool) => [nameOf(tool), tool]);

  it.each(named(ANTHROPICS))('%s reaches Anthropic unchanged, and no other provider', async (type, tool) => {
    talk.script(ANTHROPIC, answer);
    const { seen } = await talk.ask(MESSAGES, ANTHROPIC, { tools: [tool], messages: MESSAGES.user('Well?') }, false);
    expect(seen.text).toBe('Aye.');
    expect(talk.sentTo(ANTHROPIC)[0].tools).toEqual([tool]);
    bench.forget();
    for (const dialect of DIALECTS.filter((one) => one !== ANTHROPIC)) {
      expect(await refusal(MESSAGES, idOf(dialect), tool)).toMatch(new RegExp(`tools\\.0.*${type}`));
    }
  });

  it.each(UNKEPT)('%s is refused by its name where the gateway runs the tool: %j', async (field, tool) => {
    for (const dialect of DIALECTS.filter((one) => one !== ANTHROPIC)) {
      expect(await refusal(MESSAGES, idOf(dialect), tool)).toMatch(new RegExp(`^tools\\.0\\.${field}: `));
    }
  });

  it.each(named(UNSERVED))('%s is refused by its name', async (type, tool) => {
    for (const face of FACES) {
      for (const model of [...DIALECTS.map(idOf), 'sandbox/echo']) {
        expect(await refusal(face, model, tool)).toMatch(new RegExp(`tools\\.0.*${type}`));
      }
    }
  });

  it.each(named(OTHER_VENDORS))('%s of another vendor is refused on both faces', async (type, tool) => {
    for (const model of DIALECTS.filter((one) => one !== ANTHROPIC).map(idOf)) {
      if (type !== 'custom') expect(await refusal(MESSAGES, model, tool)).toMatch(new RegExp(`tools\\.0.*${type}`));
      expect(await refusal(CHAT, model, tool)).toMatch(/tools\.0\.type/);
    }
  });

  it.each(['web_fetch_20250910', 'web_fetch_20260318'])('%s is left to Anthropic unchanged', async (type) => {
    const tool = {
      type,
      name: 'web_fetch',
      url_sources: { user_input: { type: 'all' } },
      citations: { enabled: true },
    };
    talk.script(ANTHROPIC, answer);
    await talk.ask(MESSAGES, ANTHROPIC, { tools: [tool], messages: MESSAGES.user('Well?') }, true);
    expect(talk.sentTo(ANTHROPIC)[0].tools).toEqual([tool]);
  });
});

/** Providers of Anthropic's format, with the tools that each runs itself. */
const SPEAKERS: Readonly<Record<string, { platform?: PlatformId; quirks?: object; has: RegExp }>> = {
  anthropic: { has: /./ },
  // By Anthropic's table of availability.
  'amazon-bedrock': { platform: 'bedrock', has: /^(bash|text_editor|computer|memory)_/ },
  'google-vertex': { platform: 'vertex', has: /^(bash|text_editor|computer|memory|tool_search_tool_\w+)_/ },
  azure: {
    platform: 'azure',
    has: /^((bash|text_editor|computer|memory|tool_search_tool_\w+|web_fetch)_|mcp_toolset)/,
  },
  // No source lists tools of theirs: a known provider, and an unknown one.
  thinkingmachines: { has: /^$/ },
  'deepseek-messages': { has: /^$/ },
  // By the catalog file.
  reseller: { quirks: { vendor_tools: ['code_execution', 'web_fetch'] }, has: /^(code_execution|web_fetch)_/ },
  'a-proxy': { quirks: { vendor_tools: 'all' }, has: /./ },
};
/** Types whose calls the vendor leaves to the caller. */
const CALLERS = /^(bash|text_editor|computer|memory)_/;
/** The name under which the gateway offers those that are missing. */
const SHOWN: Readonly<Record<string, string>> = {
  bash_20250124: 'bash',
  text_editor_20250124: 'str_replace_editor',
  web_fetch_20250910: 'web_fetch',
  web_fetch_20260318: 'web_fetch',
};
const DEFINED: readonly JsonBody[] = [
  ...ANTHROPICS,
  { type: 'bash_20250124', name: 'bash' },
  { type: 'text_editor_20250124', name: 'str_replace_editor' },
  { type: 'web_fetch_20250910', name: 'web_fetch' },
  { type: 'web_fetch_20260318', name: 'web_fetch' },
];

describeOnEmbedded('tools of Anthropic at other providers of its format', (database) => {
  let doubles: ReadonlyMap<PlatformId, Double>;
  let gateway: TestGateway;
  beforeAll(async () => {
    doubles = new Map(await Promise.all(PLATFORM_IDS.map(async (id) => [id, await startDouble(id)] as const)));
    const dialect = 'anthropic-messages';
    const providers = Object.entries(SPEAKERS).map(([slug, { platform = 'direct', quirks }]) => {
      const double = doubles.get(platform)!;
      const credential = { value: double.credential };
      return { slug, name: slug, dialect, platform, base_url: double.baseUrl(dialect), credential, quirks };
    });
    const models = Object.keys(SPEAKERS).map((provider) => ({
      id: `at/${provider}`,
      name: provider,
      context_length: 200_000,
      endpoints: [{ provider, dialect, model: 'claude-sonnet-4-5', pricing: { prompt: '1', completion: '2' } }],
    }));
    gateway = await startGateway(database, {
      catalog: { version: 1, providers, models },
      coolsDown: false,
      variables: { FAIRLEAD_FLOOD: 'wasted=10000/60s' },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([...(doubles?.values() ?? [])].map((double) => double.close()));
  });

  async function send(path: string, body: object): Promise<JsonBody> {
    for (const double of doubles.values()) double.calls.length = 0;
    const response = await gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ max_tokens: 100, messages: [{ role: 'user', content: 'Well?' }], ...body }),
    });
    const text = await response.text();
    const sent = [...doubles.values()].flatMap((double) => double.calls.map(({ body: sentBody }) => sentBody.tools));
    return { status: response.status, text, sent };
  }
  const cases = Object.keys(SPEAKERS).flatMap((slug) =>
    DEFINED.map((tool) => [tool.type as string, slug, tool] as const),
  );

  it.each(cases)('%s at %s', async (type, slug, tool) => {
    const { has } = SPEAKERS[slug]!;
    const body = { model: `at/${slug}`, tools: [tool] };
    const due = has.test(type) ? [tool] : SHOWN[type] && [expect.objectContaining({ name: SHOWN[type] })];
    for (const stream of [false, true]) {
      const { status, text, sent } = await send('/messages', { ...body, stream });
      expect({ stream, status, text, sent }).toMatchObject(
        due ? { status: 200, sent: [due] } : { status: 400, sent: [] },
      );
      if (!due) expect(text).toMatch(new RegExp(`tools\\.0.*${type}`));
      else if (!has.test(type)) expect(sent[0][0]).toHaveProperty('input_schema');
    }
    const { status, text } = await send('/routing/explain', body);
    const { candidates, tools: explained = [] } = JSON.parse(text).data;
    expect(status).toBe(200);
    if (due) expect(candidates[0].untranslatable).toBeUndefined();
    else expect(candidates[0].untranslatable).toEqual({ field: 'tools.0', reason: expect.stringContaining(type) });
    const goesAsItCame = has.test(type);
    const native_at = goesAsItCame ? [{ tag: slug, price: null }] : [];
    const runner = CALLERS.test(type) ? 'caller' : 'vendor';
    const served = type.startsWith('web_fetch_') ? 'gateway' : 'caller';
    const runs_at = goesAsItCame ? runner : SHOWN[type] ? served : null;
    expect(explained).toMatchObject([{ type, runs_at, native_at }]);
    // Chat has no form for any of them.
    expect(await send('/chat/completions', body)).toMatchObject({ status: 400, sent: [] });
  });

  it.each(Object.keys(SPEAKERS).filter((slug) => !SPEAKERS[slug]!.has.test('web_fetch_20260318')))(
    '%s has no fetch, and what only the vendor could keep is refused by its name',
    async (slug) => {
      for (const [field, tool] of UNKEPT.filter(([, { type }]) => type.startsWith('web_fetch'))) {
        const { status, text, sent } = await send('/messages', { model: `at/${slug}`, tools: [tool] });
        expect({ status, sent }).toEqual({ status: 400, sent: [] });
        expect(text).toContain(`tools.0.${field}: `);
      }
    },
  );

  it('names the setting that a search lacks where none is set up', async () => {
    for (const slug of ['deepseek-messages', 'reseller', 'amazon-bedrock', 'azure']) {
      const tool = { type: 'web_search_20250305', name: 'web_search' };
      const { status, text, sent } = await send('/messages', { model: `at/${slug}`, tools: [tool] });
      expect({ status, sent }).toEqual({ status: 400, sent: [] });
      expect(text).toMatch(/tools\.web_search/);
    }
  });
});
