/**
 * Goal: members of nested objects that no schema declares make no provider refuse a request, reach Anthropic's own
 * address, and are named where they go nowhere (docs/use/translation.md#undeclared-members). Method: the application
 * over HTTP before strict doubles of every dialect on every platform, both faces, whole and streamed; the doubles
 * refuse what they do not know, in their vendors' words. Every object of a body is tested without HTTP in
 * src/providers/fitting/undeclared-members.spec.ts.
 */
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';
import {
  PLATFORM_ENDPOINTS,
  platformEndpointOf,
  platformCatalog,
  type PlatformEndpoint,
} from './platform-endpoints.js';

const NEW = { zz_new: 'x' };
const TOOL = { name: 'look', input_schema: { type: 'object', properties: {} } };
const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const HELLO = { role: 'user', content: 'Hello' };
const text = (more: object = {}): object => ({ type: 'text', text: 'Hello', ...more });

/** Bodies, with the names of what is new in them. */
const CASES: Readonly<Record<'/messages' | '/chat/completions', readonly (readonly [names: string[], body: object])[]>> = {
  '/messages': [
    [['messages.content.zz_new'], { messages: [{ role: 'user', content: [text(NEW)] }] }],
    [
      ['messages.content.cache_control.zz_new'],
      { messages: [{ role: 'user', content: [text({ cache_control: { type: 'ephemeral', ...NEW } })] }] },
    ],
    [['tools.zz_new'], { messages: [HELLO], tools: [{ ...TOOL, ...NEW }] }],
    [['system.zz_new'], { messages: [HELLO], system: [text(NEW)] }],
    [['tool_choice.zz_new'], { messages: [HELLO], tools: [TOOL], tool_choice: { type: 'auto', ...NEW } }],
    [
      ['messages.content.content.zz_new'],
      {
        tools: [TOOL],
        messages: [
          HELLO,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [text(NEW)] }] },
        ],
      },
    ],
  ],
  '/chat/completions': [
    [['messages.zz_new'], { messages: [{ ...HELLO, ...NEW }] }],
    [['messages.content.zz_new'], { messages: [{ role: 'user', content: [text(NEW)] }] }],
    [['tools.function.zz_new'], { messages: [HELLO], tools: [{ ...CHAT_TOOL, function: { ...CHAT_TOOL.function, ...NEW } }] }],
  ],
}; // oxfmt-ignore
const REQUESTS = Object.entries(CASES).flatMap(([face, cases]) =>
  cases.map(([names, body]) => [names.join(), face, body] as const),
);

const ADAPTIVE = platformEndpointOf('direct', 'anthropic-messages', 'claude-opus-4-7');
const CLAUDES: readonly PlatformEndpoint[] = [
  ADAPTIVE,
  platformEndpointOf('azure', 'anthropic-messages', 'claude-opus-4-7'),
  platformEndpointOf('vertex', 'anthropic-messages', 'claude-opus-4-7'),
  platformEndpointOf('bedrock', 'anthropic-messages', 'us.anthropic.claude-opus-4-7'),
];
const LISTING: PlatformEndpoint = {
  ...platformEndpointOf('bedrock', 'anthropic-messages'),
  model: 'test/listing',
  lists: ['max_tokens', 'tools'],
};
const isOwnAddress = ({ platform, dialect }: PlatformEndpoint): boolean =>
  platform === 'direct' && dialect === 'anthropic-messages';

describeOnEmbedded('members nobody declared', (database) => {
  let gateway: TestGateway;
  const doubles = new Map<PlatformId, Double>();
  beforeAll(async () => {
    for (const platform of PLATFORM_IDS) doubles.set(platform, await startDouble(platform));
    gateway = await startGateway(database, {
      catalog: platformCatalog(doubles, [...PLATFORM_ENDPOINTS, ...CLAUDES, LISTING]),
      coolsDown: false,
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const double of doubles.values()) await double.close();
  });
  beforeEach(() => {
    for (const double of doubles.values()) double.violations.length = 0;
  });

  async function send(
    { platform, model }: PlatformEndpoint,
    face: string,
    body: object,
  ): Promise<{ status: number; text: string; sent: JsonBody }> {
    const double = doubles.get(platform)!;
    double.script({ parts: [{ type: 'text', text: 'Well.' }] });
    const response = await gateway.request(face, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ model, max_tokens: 4_000, ...body }),
    });
    return { status: response.status, text: await response.text(), sent: double.calls.at(-1)!.body };
  }

  describe.each(PLATFORM_ENDPOINTS)('at $model', (endpoint) => {
    it.each(REQUESTS)('%s of %s', async (names, face, body) => {
      for (const stream of [false, true]) {
        const { status, text: reply, sent } = await send(endpoint, face, { stream, ...body });
        const isSent = isOwnAddress(endpoint) && face === '/messages';
        expect(JSON.stringify(sent).includes('zz_new')).toBe(isSent);
        // The vendor judges: this one does not know it yet.
        expect([status, reply]).toEqual([isSent ? 400 : 200, expect.any(String)]);
        expect(doubles.get(endpoint.platform)!.violations).toEqual(isSent ? [expect.stringContaining('zz_new')] : []);
        doubles.get(endpoint.platform)!.violations.length = 0;
        if (isSent || stream) continue;
        expect(JSON.parse(reply).router_metadata.attempts[0].dropped).toEqual(names.split(','));
      }
    });
  });

  it.each(CLAUDES)('$model is sent the binding of blocks, whatever becomes of the thinking', async (endpoint) => {
    const block_binding = { prefix_mismatch_behavior: 'drop_block' };
    for (const stream of [false, true]) {
      const thinking = { type: 'enabled', budget_tokens: 2_000, block_binding };
      const { status, text: reply, sent } = await send(endpoint, '/messages', { stream, thinking, messages: [HELLO] });
      expect([status, reply]).toEqual([200, expect.stringContaining('Well.')]);
      expect(sent.thinking).toEqual({ type: 'adaptive', block_binding });
      if (!stream) expect(JSON.parse(reply).router_metadata.attempts[0].dropped).toBeUndefined();
    }
    expect(doubles.get(endpoint.platform)!.violations).toEqual([]);
  });

  it('is named where no other dialect has a field for it', async () => {
    const endpoint = platformEndpointOf('direct', 'openai-chat');
    const thinking = { type: 'adaptive', block_binding: {} };
    const { text: reply } = await send(endpoint, '/messages', { thinking, messages: [HELLO] });
    expect(JSON.parse(reply).router_metadata.attempts[0].dropped).toContain('thinking.block_binding');
  });

  it('is carried where the model has another form of an option', async () => {
    const output_config = { effort: 'high', ...NEW };
    const budgets = platformEndpointOf('direct', 'anthropic-messages');
    const { sent } = await send(budgets, '/messages', { output_config, messages: [HELLO] });
    expect(sent.output_config).toEqual(NEW);
    expect(sent.thinking).toMatchObject({ type: 'enabled' });
  });

  it('leaves out whoever would drop one of the options, where all are required', async () => {
    const provider = { require_parameters: true };
    const named = { provider, messages: [HELLO], tools: [{ ...TOOL, ...NEW }] };
    expect((await send(LISTING, '/messages', named)).status).toBe(404);
    const body = { provider, messages: [{ role: 'user', content: [text(NEW)] }] };
    expect((await send(LISTING, '/messages', body)).status).toBe(200);
  });
});
