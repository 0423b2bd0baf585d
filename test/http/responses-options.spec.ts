/**
 * Goal: each option of `POST /responses` has its effect: what a provider of each format receives, what the reply
 * repeats, and how a loop of tools ends. Method: one strict upstream of each format; whole bodies are compared, so that
 * nothing else is sent.
 */
import { anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { responsesText } from '../support/responses-upstream.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const KINDS = { native: 'anthropic', chat: 'openai', own: 'responses' } as const;
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];
const DIALECTS = { native: 'anthropic-messages', chat: 'openai-chat', own: 'openai-responses' } as const;
const SLUGS = { native: 'anthropic', chat: 'chat', own: 'openai' } as const;
const SCHEMA = { type: 'object', properties: {} };
const LOOK = { type: 'function', name: 'look', parameters: SCHEMA };
const READ = { type: 'function', name: 'read', parameters: SCHEMA };
const PATCH = { type: 'custom', name: 'patch' };
const SPACE = { type: 'namespace', name: 'n', tools: [LOOK] };
const LOGPROBS = 'message.output_text.logprobs';
const PROOF = ['reasoning.encrypted_content'];
const MOST = 20;
/** What is sent of a request without options. */
const PLAIN: Readonly<Record<Kind, object>> = {
  native: { max_tokens: MOST },
  chat: { stream: false, max_tokens: MOST },
  own: { stream: false, max_output_tokens: MOST, store: false },
};
const PRICING = { prompt: '3', completion: '15' };

/** An option, and the fields that it adds to the bodies for each format; `dropped` where one has none for it. */
interface OptionCase {
  readonly body: JsonBody;
  readonly native?: object;
  readonly chat?: object;
  readonly own?: object;
  readonly dropped?: Readonly<Partial<Record<Kind, readonly string[]>>>;
}
const choosing = (type: string) => ({ tools: [LOOK, { type }], tool_choice: { type } });
const named = (name: string): OptionCase => ({
  body: {},
  native: { tool_choice: { type: 'tool', name } },
  chat: { tool_choice: { type: 'function', function: { name } } },
});
const amongTwo = (mode: 'auto' | 'required'): JsonBody => ({
  tools: [LOOK, READ],
  tool_choice: { type: 'allowed_tools', mode, tools: [{ type: 'function', name: 'read' }] },
});

const OPTIONS: Readonly<Record<string, OptionCase>> = {
  'no option': { body: {} },
  top_logprobs: {
    body: { top_logprobs: 2 },
    chat: { logprobs: true, top_logprobs: 2 },
    own: { top_logprobs: 2, include: [LOGPROBS] },
    dropped: { native: ['logprobs', 'top_logprobs'] },
  },
  'top_logprobs of none': { body: { top_logprobs: 0 } },
  'include of log probabilities': {
    body: { include: [LOGPROBS] },
    chat: { logprobs: true },
    own: { include: [LOGPROBS] },
    dropped: { native: ['logprobs'] },
  },
  'include of what no provider here has': {
    body: { include: ['web_search_call.action.sources', 'file_search_call.results'] },
  },
  'text.verbosity': {
    body: { text: { verbosity: 'low' } },
    native: { output_config: { effort: 'low' } },
    chat: { verbosity: 'low' },
    own: { text: { verbosity: 'low' } },
  },
  'reasoning.effort': {
    body: { reasoning: { effort: 'low' } },
    native: { output_config: { effort: 'low' } },
    own: { reasoning: { effort: 'low' }, include: PROOF },
    dropped: { chat: ['output_config.effort'] },
  },
  'reasoning.summary': {
    body: { reasoning: { effort: 'low', summary: 'auto' } },
    native: { output_config: { effort: 'low' } },
    own: { reasoning: { effort: 'low', summary: 'auto' }, include: PROOF },
    dropped: { chat: ['output_config.effort', 'reasoning.summary'] },
  },
  'reasoning.enabled': {
    body: { reasoning: { enabled: false } },
    native: { thinking: { type: 'disabled' } },
    dropped: { chat: ['thinking'], own: ['thinking'] },
  },
  'reasoning.context and mode': { body: { reasoning: { context: 'all_turns', mode: 'standard' } } },
  metadata: { body: { metadata: { a: 'b' } } },
  prompt_cache_key: {
    body: { prompt_cache_key: 'k' },
    chat: { prompt_cache_key: 'k' },
    own: { prompt_cache_key: 'k' },
    dropped: { native: ['prompt_cache_key'] },
  },
  safety_identifier: {
    body: { safety_identifier: 's' },
    native: { metadata: { user_id: 's' } },
    chat: { user: 's' },
    own: { user: 's' },
  },
  'safety_identifier behind user': {
    body: { safety_identifier: 's', user: 'u' },
    native: { metadata: { user_id: 'u' } },
    chat: { user: 'u' },
    own: { user: 'u' },
  },
  'service_tier that is not sold': {
    body: { service_tier: 'flex' },
    dropped: { native: ['service_tier'], chat: ['service_tier'], own: ['service_tier'] },
  },
  parallel_tool_calls: {
    body: { tools: [LOOK], parallel_tool_calls: false },
    native: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    chat: { parallel_tool_calls: false },
    own: { parallel_tool_calls: false },
  },
  'parallel_tool_calls without tools': { body: { parallel_tool_calls: false } },
  'max_tool_calls without tools': { body: { max_tool_calls: 1 } },
  'tool_choice none': {
    body: { tools: [LOOK], tool_choice: 'none' },
    native: { tool_choice: { type: 'none' } },
    chat: { tool_choice: 'none' },
    own: { tool_choice: 'none' },
  },
  'tool_choice required': {
    body: { tools: [LOOK], tool_choice: 'required' },
    native: { tool_choice: { type: 'any' } },
    chat: { tool_choice: 'required' },
    own: { tool_choice: 'required' },
  },
  'tool_choice of a function': {
    ...named('read'),
    body: { tools: [LOOK, READ], tool_choice: { type: 'function', name: 'read' } },
    own: { tool_choice: { type: 'function', name: 'read' } },
  },
  'tool_choice of a custom tool': {
    ...named('patch'),
    body: { tools: [LOOK, PATCH], tool_choice: { type: 'custom', name: 'patch' } },
    own: { tool_choice: { type: 'custom', name: 'patch' } },
  },
  'tool_choice of a tool of a namespace': {
    ...named('n__look'),
    body: { tools: [READ, SPACE], tool_choice: { type: 'function', name: 'look', namespace: 'n' } },
    own: { tool_choice: { type: 'function', name: 'n__look' } },
  },
  'tool_choice of the shell': { ...named('shell'), body: choosing('shell'), own: { tool_choice: { type: 'shell' } } },
  'tool_choice of the patch tool': {
    ...named('apply_patch'),
    body: choosing('apply_patch'),
    own: { tool_choice: { type: 'apply_patch' } },
  },
  'tool_choice among some tools': {
    body: amongTwo('auto'),
    native: { tool_choice: { type: 'auto' } },
    chat: { tool_choice: 'auto' },
    own: { tool_choice: amongTwo('auto').tool_choice },
  },
  'tool_choice of one among some tools': {
    body: amongTwo('required'),
    native: { tool_choice: { type: 'any' } },
    chat: { tool_choice: 'required' },
    own: { tool_choice: amongTwo('required').tool_choice },
  },
};
/** Options that a reply repeats as they were sent. */
const REPEATED = ['top_logprobs', 'metadata', 'prompt_cache_key', 'safety_identifier', 'user', 'parallel_tool_calls', 'max_tool_calls', 'tool_choice', 'tools', 'truncation']; // oxfmt-ignore
/** Formats without a choice among some tools receive only these. */
const namesSent = ({ tools = [], tool_choice: choice }: JsonBody, kind: Kind): string[] => {
  const names = tools.flatMap((tool: JsonBody) =>
    tool.tools ? tool.tools.map(({ name }: JsonBody) => `${tool.name}__${name}`) : [tool.name ?? tool.type],
  );
  const allowed = kind !== 'own' && choice?.type === 'allowed_tools' ? choice.tools : undefined;
  return allowed ? names.filter((name: string) => allowed.some((one: JsonBody) => one.name === name)) : names;
};

describeOnEmbedded('options of responses', (database) => {
  let gateway: TestGateway;
  const upstreams = {} as Record<Kind, Upstream>;
  beforeAll(async () => {
    for (const name of NAMES) upstreams[name] = await startUpstream(KINDS[name]);
    const model = (id: string, kind: Kind, pricing: object): object => ({
      id,
      name: id,
      context_length: 2_000,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: [{ provider: SLUGS[kind], model: 'upstream', pricing }],
    });
    gateway = await startGateway(database, {
      coolsDown: false,
      catalog: {
        extends: 'default',
        version: 1,
        providers: NAMES.map((name) => ({
          slug: SLUGS[name],
          name: SLUGS[name],
          dialect: DIALECTS[name],
          base_url: upstreams[name].url,
          credential: { value: `credential-of-${SLUGS[name]}` },
        })),
        models: [
          ...NAMES.map((name) => model(`test/${name}`, name, PRICING)),
          model('test/tiered', 'own', { ...PRICING, flex: { prompt: '1', completion: '5' } }),
        ],
      },
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all(NAMES.map((name) => upstreams[name]?.close()));
  });
  beforeEach(() => {
    upstreams.native.script(anthropicText('Hello.'));
    upstreams.chat.script(openaiText('Hello.'));
    upstreams.own.script(responsesText('Hello.'));
    for (const name of NAMES) upstreams[name].requests.length = 0;
  });

  async function ask(body: JsonBody): Promise<JsonBody> {
    const response = await gateway.request('/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ input: 'Hello', max_output_tokens: MOST, ...body }),
    });
    const text = await response.text();
    const reply = body.stream ? readResponseEvents(text).at(-1).response : JSON.parse(text);
    return { httpStatus: response.status, ...reply };
  }
  const sentTo = (kind: Kind): JsonBody[] => upstreams[kind].requests.map(({ json }) => json);

  it.each(Object.entries(OPTIONS).flatMap(([name, option]) => NAMES.map((kind) => [name, kind, option] as const)))(
    '%s: what a provider of the format %s receives, and what the reply repeats',
    async (_name, kind, { body, dropped, ...added }) => {
      const reply = await ask({ model: `test/${kind}`, ...body });
      expect(reply.httpStatus).toBe(200);
      const [{ model: _model, messages: _messages, input: _input, tools = [], ...sent }] = sentTo(kind) as [JsonBody];
      expect(sent).toEqual({ ...PLAIN[kind], ...added[kind] });
      const names = tools.map((tool: JsonBody) => tool.function?.name ?? tool.name ?? tool.type);
      expect(names).toEqual(namesSent(body, kind));
      const [attempt] = reply.router_metadata.attempts ?? [];
      expect(attempt?.dropped ?? []).toEqual(dropped?.[kind] ?? []);
      for (const field of REPEATED.filter((one) => body[one] !== undefined))
        expect([field, reply[field]]).toEqual([field, body[field]]);
    },
  );

  it('sends a tier that is sold, at its price', async () => {
    const reply = await ask({ model: 'test/tiered', service_tier: 'flex' });
    expect([reply.httpStatus, sentTo('own')[0]!.service_tier]).toEqual([200, 'flex']);
    const { input_tokens: input, output_tokens: output } = reply.usage;
    const standard = (await ask({ model: 'test/tiered' })).usage.cost;
    expect([sentTo('own')[1]!.service_tier, standard]).toEqual([
      undefined,
      expect.closeTo((3 * input + 15 * output) / 1e6, 12),
    ]);
  });

  describe.each([false, true])('stream %s', (stream) => {
    it.each([1, 2, 30])('max_tool_calls ends a loop of the gateway’s tools after %i uses', async (most) => {
      const uses = anthropicToolUse({ name: 'datetime', input: {} });
      // The answer without tools comes where the loop has ended.
      upstreams.native.script((request, index) =>
        (request.json.tool_choice?.type === 'none' ? anthropicText('At last.') : uses)(request, index),
      );
      const tools = [{ type: 'openrouter:datetime' }];
      const reply = await ask({ model: 'test/native', stream, tools, max_tool_calls: most });
      expect([reply.status, reply.max_tool_calls]).toEqual(['completed', most]);
      expect(sentTo('native')).toHaveLength(most + 1);
      expect(reply.output.filter(({ type }: JsonBody) => type === 'openrouter:datetime')).toHaveLength(most);
      expect(JSON.stringify(reply.output.at(-1))).toContain('At last.');
    });

    it('truncation shortens a conversation that is too long, or leaves it', async () => {
      const turns = Array.from({ length: 40 }, (_, position) => ({
        role: position % 2 === 0 ? 'user' : 'assistant',
        content: `turn ${position} ${'word '.repeat(80)}`,
      }));
      const input = [...turns, { role: 'user', content: 'And now?' }];
      const whole = await ask({ model: 'test/native', stream: false, input, truncation: 'disabled' });
      expect([whole.httpStatus, sentTo('native')]).toEqual([400, []]);
      const reply = await ask({ model: 'test/native', stream, input, truncation: 'auto' });
      expect([reply.httpStatus, reply.status, reply.truncation]).toEqual([200, 'completed', 'auto']);
      const [{ messages }] = sentTo('native') as [JsonBody];
      expect(messages.length).toBeLessThan(input.length);
      expect(JSON.stringify(messages.at(-1))).toContain('And now?');
    });
  });
});
