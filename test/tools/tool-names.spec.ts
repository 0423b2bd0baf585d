/**
 * A name belongs to one tool at every target, and a forced choice names its tool as that target names it; an
 * explanation reports the names that models see. Strict loopback upstreams of three formats, whose vendors search
 * themselves or do not.
 */
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { responsesText } from '../support/responses-upstream.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { postHello } from './post-hello.js';

const SELLS = { pricing: { prompt: '1', completion: '1', web_search: '0.01' } };
const SEARCH = { type: 'openrouter:web_search' };
const VENDORS = { type: 'web_search_20250305', name: 'web_search' };
const CLOCK = { type: 'openrouter:datetime' };
const OWN = { name: 'web_search', input_schema: { type: 'object' } };
const OWN_ON_CHAT = { type: 'function', function: { name: 'web_search', parameters: { type: 'object' } } };

interface Sent {
  readonly to: string;
  readonly tools: readonly string[];
  readonly choice: unknown;
}

describeOnEmbedded('names of tools', (database) => {
  let upstreams: Readonly<Record<'anthropic' | 'chat' | 'responses', Upstream>>;
  let gateway: TestGateway;
  beforeAll(async () => {
    const [anthropic, chat, responses] = await Promise.all([
      startUpstream('anthropic'),
      startUpstream('openai'),
      startUpstream('responses'),
    ]);
    upstreams = { anthropic, chat, responses };
    const vendor = [{ url: anthropic.url, dialect: 'anthropic-messages', quirks: { vendor_tools: 'all' } }] as const;
    const models = catalogOf(
      { id: 'test/native', at: [...vendor], endpoint: SELLS },
      { id: 'test/responses', at: [{ url: responses.url, dialect: 'openai-responses' }], endpoint: SELLS },
      { id: 'test/field', at: [{ url: chat.url, dialect: 'openai-chat' }], endpoint: SELLS },
      { id: 'test/chat', at: [{ url: chat.url, dialect: 'openai-chat' }] },
    );
    const engines = { simulated: {} };
    gateway = await startGateway(database, {
      catalog: { ...models, tools: { web_search: { engines } } },
      coolsDown: false,
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(Object.values(upstreams ?? {}).map((upstream) => upstream.close()));
  });
  beforeEach(() => {
    for (const upstream of Object.values(upstreams)) upstream.requests.length = 0;
    upstreams.anthropic.script(anthropicText('Yes.'));
    upstreams.chat.script(openaiText('Yes.'));
    upstreams.responses.script(responsesText('Yes.'));
  });

  const post = (path: string, fields: object) => postHello(gateway, path, fields);
  const nameOf = (tool: JsonBody): string =>
    tool.function?.name ?? (tool.type === 'web_search' ? 'the type web_search' : tool.name);
  const sent = (): readonly Sent[] =>
    Object.entries(upstreams).flatMap(([to, { requests }]) =>
      requests.map(({ json: { tools = [], tool_choice: choice } }) => ({ to, tools: tools.map(nameOf), choice })),
    );
  async function answered(path: string, fields: object): Promise<readonly Sent[]> {
    const { status, body } = await post(path, fields);
    expect([status, body.error?.message]).toEqual([200, undefined]);
    return sent();
  }
  const named = (name: string): object => ({ type: 'tool', name });

  describe('a forced choice', () => {
    const CHOICES = [SEARCH, { type: 'web_search' }, { type: 'function', function: { name: 'web_search' } }];

    it.each(CHOICES)("of %j on chat is the vendor's name of its search", async (tool_choice) => {
      const tools = [SEARCH, CLOCK];
      expect(await answered('/chat/completions', { model: 'test/native', tools, tool_choice })).toEqual([
        { to: 'anthropic', tools: ['web_search', 'datetime'], choice: named('web_search') },
      ]);
    });

    it.each(CHOICES)('of %j on chat is the type of the tool where that has no name', async (tool_choice) => {
      const tools = [SEARCH, CLOCK];
      expect(await answered('/chat/completions', { model: 'test/responses', tools, tool_choice })).toEqual([
        { to: 'responses', tools: ['the type web_search', 'datetime'], choice: { type: 'web_search' } },
      ]);
    });

    it.each(['openrouter:web_search', 'web_search'])('of %s on messages is the same', async (name) => {
      const tool_choice = { type: 'tool', name, disable_parallel_tool_use: true };
      const tools = [SEARCH, CLOCK];
      await answered('/messages', { model: 'test/native', tools, tool_choice });
      await answered('/messages', { model: 'test/responses', tools, tool_choice });
      expect(sent().map(({ choice }) => choice)).toEqual([
        { ...named('web_search'), disable_parallel_tool_use: true },
        { type: 'web_search' },
      ]);
    });

    it('means the search that a field requests', async () => {
      const fields = { web_search_options: {}, tools: [CLOCK], tool_choice: SEARCH };
      await answered('/chat/completions', { model: 'test/native', ...fields });
      await answered('/chat/completions', { model: 'test/responses', ...fields });
      await answered('/chat/completions', { model: 'test/chat', ...fields });
      // The field is the whole request for it, and the model that takes the field searches itself.
      await answered('/chat/completions', { model: 'test/field', ...fields });
      expect(sent()).toEqual([
        { to: 'anthropic', tools: ['datetime', 'web_search'], choice: named('web_search') },
        {
          to: 'chat',
          tools: ['datetime', 'web_search'],
          choice: { type: 'function', function: { name: 'web_search' } },
        },
        { to: 'chat', tools: ['datetime'], choice: undefined },
        { to: 'responses', tools: ['datetime', 'the type web_search'], choice: { type: 'web_search' } },
      ]);
      expect(upstreams.chat.requests.at(-1)!.json.web_search_options).toEqual({});
    });

    it('is the function’s name at one target and the vendor’s own at another', async () => {
      upstreams.responses.script(json({ error: { message: 'Busy.' } }, 503));
      upstreams.anthropic.script(json({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }, 529));
      const fallbacks = [{ model: 'test/responses' }, { model: 'test/chat' }];
      const tools = [SEARCH, OWN];
      const tool_choice = { type: 'tool', name: 'openrouter:web_search' };
      expect(await answered('/messages', { model: 'test/native', fallbacks, tools, tool_choice })).toEqual([
        { to: 'anthropic', tools: ['web_search_2', 'web_search'], choice: named('web_search_2') },
        {
          to: 'chat',
          tools: ['web_search_2', 'web_search'],
          choice: { type: 'function', function: { name: 'web_search_2' } },
        },
        { to: 'responses', tools: ['the type web_search', 'web_search'], choice: { type: 'web_search' } },
      ]);
    });

    it('of the caller’s function means that function, whatever else has its name', async () => {
      const tools = [SEARCH, OWN_ON_CHAT];
      const tool_choice = { type: 'function', function: { name: 'web_search' } };
      await answered('/chat/completions', { model: 'test/native', tools, tool_choice });
      await answered('/chat/completions', { model: 'test/responses', tools, tool_choice });
      expect(sent().map(({ choice }) => choice)).toEqual([
        named('web_search'),
        { type: 'function', name: 'web_search' },
      ]);
    });
  });

  describe('a name that a tool of the vendor’s would share', () => {
    const limited = { ...SEARCH, parameters: { max_uses: 1 } };
    const within = { ...SEARCH, parameters: { allowed_domains: ['a.example'] } };

    it.each<[string, object[], string[]]>([
      ['a function of the caller', [SEARCH, OWN], ['web_search_2', 'web_search']],
      ['a vendor’s own before a function', [VENDORS, OWN], ['web_search_2', 'web_search']],
      ['another search', [limited, within], ['web_search', 'web_search_2']],
      ['a search that only the gateway can make', [{ ...SEARCH, parameters: { max_results: 3 } }, SEARCH], ['web_search_2', 'web_search']],
      ['the vendor’s own search', [limited, VENDORS], ['web_search_2', 'web_search']],
      ['the same search', [VENDORS, SEARCH], ['web_search']],
      ['the same search twice', [SEARCH, SEARCH], ['web_search']],
    ])('is %s', async (_, tools, names) => {
      expect(await answered('/messages', { model: 'test/native', tools })).toMatchObject([{ tools: names }]);
    }); // oxfmt-ignore

    it('is that of a field or a plugin', async () => {
      const model = 'test/native';
      await answered('/chat/completions', { model, web_search_options: {}, tools: [OWN_ON_CHAT] });
      await answered('/chat/completions', { model, web_search_options: {}, plugins: [{ id: 'web' }] });
      await answered('/chat/completions', { model: `${model}:online`, tools: [OWN_ON_CHAT] });
      await answered('/messages', { model, plugins: [{ id: 'web' }], tools: [OWN] });
      expect(sent().map(({ tools }) => tools)).toEqual([
        ['web_search', 'web_search_2'],
        ['web_search'],
        // The plugin has searched before.
        ['web_search'],
        ['web_search'],
      ]);
      for (const { json: body } of upstreams.anthropic.requests.slice(2)) {
        expect(JSON.stringify(body.messages)).toContain('simulated.example');
      }
    });

    it.each<[string, object[], string]>([
      ['what the vendor alone can keep to', [OWN, { ...VENDORS, defer_loading: true }], 'tools.1: another tool is called web_search, as web_search_20250305 is, and it cannot be served under another name: tools.1.defer_loading: must not be true'],
      ['what the caller runs', [{ type: 'openrouter:bash' }, { type: 'bash_20250124', name: 'bash' }], 'tools.1: another tool is called bash, as bash_20250124 is'],
      ['what the caller runs beside a function', [{ type: 'bash_20250124', name: 'bash' }, { ...OWN, name: 'bash' }], 'tools.0: another tool is called bash, as bash_20250124 is'],
      ['what the gateway does not know', [{ ...OWN, name: 'memory' }, { type: 'memory_20250818', name: 'memory' }], 'tools.1: another tool is called memory, as memory_20250818 is'],
    ])('is refused by name for %s that no target could be sent under another', async (_, tools, message) => {
      const { status, body } = await post('/messages', { model: 'test/native', tools });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
      expect(sent()).toEqual([]);
    }); // oxfmt-ignore
  });

  describe('an explanation', () => {
    it.each<[string, object[], (string | null)[]]>([
      ['one tool twice', [CLOCK, CLOCK], ['datetime', 'datetime_2']],
      ['a tool beside a function', [CLOCK, { ...OWN, name: 'datetime' }], ['datetime_2']],
      ['a tool beside one that is handed out', [{ type: 'openrouter:bash', parameters: { engine: 'openrouter' } }, { type: 'bash_20250124', name: 'bash' }], ['bash_2', 'bash']],
    ])('reports the names that the model sees of %s', async (_, tools, names) => {
      const { body } = await post('/routing/explain', { model: 'test/chat', tools });
      expect(body.data.tools.map((tool: JsonBody) => tool.function)).toEqual(names);
      const [{ tools: seen }] = (await answered('/messages', { model: 'test/chat', tools })) as [Sent];
      expect(seen).toEqual(expect.arrayContaining(names));
    }); // oxfmt-ignore

    it('reports which vendor runs a search that another target is offered under another name', async () => {
      const fallbacks = [{ model: 'test/responses' }];
      const { body } = await post('/routing/explain', { model: 'test/native', fallbacks, tools: [SEARCH, OWN] });
      const [native, responses] = body.data.candidates;
      expect(body.data.tools).toMatchObject([
        { runs_at: 'gateway', function: 'web_search_2', native_at: [{ tag: responses.tag }] },
      ]);
      expect(native.untranslatable).toBeUndefined();
    });
  });
});
