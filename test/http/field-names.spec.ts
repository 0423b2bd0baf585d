/**
 * Checks that errors made behind the faces name fields as the caller's own format does: limits of the output, the
 * conversation, tools by their index in the request. The real application runs over loopback upstreams, three of
 * whose models have narrow limits; nothing is sent where a request is refused (docs/use/errors.md).
 */
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

interface Face {
  readonly path: string;
  readonly format: string;
  /** The name of the limit of the output. */
  readonly limit: string;
  /** A body with turns of these texts, the first of the user. */
  readonly body: (texts: readonly string[], limit?: number) => JsonBody;
  readonly image: JsonBody;
  /** The field that has the conversation. */
  readonly turns: string;
  /** The path of a turn of one text. */
  readonly turn: (position: number) => string;
}

const rolesOf = (texts: readonly string[]): JsonBody[] =>
  texts.map((content, position) => ({ role: position % 2 === 0 ? 'user' : 'assistant', content }));
const chat = (limit: string): Face => ({
  path: '/chat/completions',
  format: 'chat',
  limit,
  body: (texts, most) => ({ messages: rolesOf(texts), ...(most && { [limit]: most }) }),
  image: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/a.png' } }] }] },
  turns: 'messages',
  turn: (position) => `messages.${position}.content`,
});
const FACES: readonly Face[] = [
  {
    path: '/messages',
    format: 'messages',
    limit: 'max_tokens',
    body: (texts, most) => ({ messages: rolesOf(texts), ...(most && { max_tokens: most }) }),
    image: { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }] }] },
    turns: 'messages',
    turn: (position) => `messages.${position}`,
  },
  chat('max_completion_tokens'),
  chat('max_tokens'),
  {
    path: '/responses',
    format: 'responses',
    limit: 'max_output_tokens',
    body: (texts, most) => ({ input: rolesOf(texts), ...(most && { max_output_tokens: most }) }),
    image: { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.test/a.png' }] }] },
    turns: 'input',
    turn: (position) => `input.${position}.content`,
  },
]; // oxfmt-ignore
const CASES = FACES.map((face) => ({ face, name: `${face.path} with ${face.limit}` }));
const CONTEXT = 10_000;
const OUTPUT = 1_000;
/** At least 9,500 tokens, which are counted from below. */
const LONG = 'x'.repeat(57_000);

describeOnEmbedded('fields in errors', (database) => {
  let gateway: TestGateway;
  let upstream: Upstream;
  let poorKey: string;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const dialects = { anthropic: 'anthropic-messages', chat: 'openai-chat' };
    const model = (id: string, provider: string, name: string): object => ({
      id,
      name: id,
      context_length: CONTEXT,
      max_completion_tokens: OUTPUT,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: [{ provider, model: name, pricing: { prompt: '1', completion: '1' } }],
    });
    const catalog = {
      version: 1,
      providers: Object.entries(dialects).map(([slug, dialect]) => ({
        slug,
        name: slug,
        dialect,
        base_url: upstream.url,
        credential: { value: `credential-of-${slug}` },
      })),
      models: [
        model('test/claude', 'anthropic', 'claude-opus-4-6'),
        model('anthropic/claude-opus-4.6', 'anthropic', 'claude-opus-4-6'),
        model('test/chat', 'chat', 'upstream'),
      ],
    };
    gateway = await startGateway(database, { catalog, coolsDown: false });
    const made = await post('/keys', { name: 'poor', limit: 0.000_2 }, MANAGEMENT_KEY);
    poorKey = made.body.key;
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
    expect(upstream.requests).toHaveLength(0);
  });

  async function post(path: string, body: object, key?: string): Promise<{ status: number; body: JsonBody }> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), ...(key !== undefined && { key }) };
    const response = await gateway.request(path, init);
    return { status: response.status, body: (await response.json()) as JsonBody };
  }

  async function refusalOf({ path }: Face, body: JsonBody, key?: string): Promise<string> {
    const { status, body: shown } = await post(path, { model: 'test/chat', ...body }, key);
    return `${status} ${shown.error.message}`;
  }

  it.each(CASES)('$name: the limit of the output', async ({ face }) => {
    expect(await refusalOf(face, face.body(['Hello'], OUTPUT + 1))).toBe(
      `400 ${face.limit}: 1001 > 1000, the maximum number of output tokens`,
    );
    expect(await refusalOf(face, face.body([LONG], OUTPUT))).toMatch(
      new RegExp(`^400 ${face.limit}: 1000 with a prompt of \\d+ tokens`),
    );
  });

  it.each(CASES)('$name: the limit that money allows', async ({ face }) => {
    const refused = await refusalOf(face, face.body(['Hello'], OUTPUT), poorKey);
    expect(refused).toMatch(new RegExp(`^402 .* Lower ${face.limit}, or raise the key's limit`));
  });

  // Chat names the newer of its two fields.
  it.each(CASES.filter(({ face: { path, limit } }) => path !== '/chat/completions' || limit !== 'max_tokens'))(
    '$name: a limit that is not sent',
    async ({ face }) => {
      if (face.path === '/messages') return;
      const refused = await refusalOf(face, face.body(['Hello']), poorKey);
      expect(refused).toMatch(new RegExp(`^402 .*Without ${face.limit} the model's most is reserved, 1000 output tokens`)); // oxfmt-ignore
      expect(refused).toMatch(new RegExp(`Send ${face.limit}, or raise`));
    },
  );

  it.each(CASES)('$name: a conversation without words', async ({ face }) => {
    expect(await refusalOf(face, face.body([''], 100))).toMatch(new RegExp(`^400 ${face.turns}[:.]`));
    expect(await refusalOf(face, { model: 'test/claude', ...face.body([''], 100) })).toMatch(
      new RegExp(`^400 ${face.turns}[:.]`),
    );
  });

  it.each(CASES)('$name: a last turn that the model does not continue', async ({ face }) => {
    const body = { model: 'anthropic/claude-opus-4.6', ...face.body(['Hello', 'Well,'], 100) };
    expect(await refusalOf(face, body)).toMatch(
      `400 ${face.turn(1)}: is a last turn of the assistant, which anthropic/claude-opus-4.6 does not continue`,
    );
  });

  it.each(CASES)('$name: content that no endpoint reads', async ({ face }) => {
    const { status, body } = await post(face.path, { model: 'test/chat', ...face.image, [face.limit]: 100 });
    const { availability } = body.error;
    expect([status, availability.code, availability.constraint.field]).toEqual([404, 'constraint_filtered', face.turns]); // oxfmt-ignore
  });

  it.each(CASES)('$name: the reason of an explanation', async ({ face }) => {
    const body = { model: 'test/chat', ...face.body([LONG], OUTPUT) };
    const { body: explained } = await post(`/routing/explain?format=${face.format}`, body);
    expect(JSON.stringify(explained)).toMatch(new RegExp(`prompt \\d+ \\+ ${face.limit} 1000 > 10000`));
  });

  it.each(FACES.filter(({ path }) => path !== '/messages').map((face) => [face.path, face] as const))(
    '%s: options of a search by the fields that contain them',
    async (_path, face) => {
      const refused = async (options: JsonBody): Promise<string> => {
        const tools = [{ type: 'web_search', ...options }];
        return refusalOf(face, { model: 'test/chat', ...face.body(['Hello'], 100), tools });
      };
      const domain = 'must be a domain such as example.com or example.com/blog';
      expect(await refused({ filters: { allowed_domains: ['a.example', ''] } })).toBe(
        `400 tools.0.filters.allowed_domains.1: ${domain}`,
      );
      expect(await refused({ filters: { blocked_domains: ['a b'] } })).toBe(
        `400 tools.0.filters.blocked_domains.0: ${domain}`,
      );
      expect(await refused({ parameters: { excluded_domains: ['a b'] } })).toBe(
        `400 tools.0.parameters.excluded_domains.0: ${domain}`,
      );
      expect(await refused({ engine: 'exa' })).toMatch(/^400 tools\.0\.engine: /);
    },
  );

  it('/responses: tools by their indexes in the request, in namespaces and in items', async () => {
    const responses = FACES.at(-1)!;
    const named = (name: string): JsonBody => ({ type: 'function', name, parameters: { type: 'object' } });
    const namespace = { type: 'namespace', name: 'files', tools: [named('read'), named('write')] };
    const searches = { type: 'file_search', vector_store_ids: ['vs_1'] };
    const refused = "the vendor's tool file_search cannot be sent to test/claude at anthropic";
    const model = 'test/claude';
    expect(await refusalOf(responses, { model, ...responses.body(['Hello'], 100), tools: [namespace, searches] })).toBe(
      `400 tools.1: ${refused}`,
    );
    const input = [{ role: 'user', content: 'Hello' }, { type: 'additional_tools', role: 'developer', tools: [named('look'), searches] }]; // oxfmt-ignore
    expect(await refusalOf(responses, { model, input, max_output_tokens: 100, tools: [namespace] })).toBe(
      `400 input.1.tools.1: ${refused}`,
    );
    const unknown = [{ role: 'user', content: 'Hello' }, { type: 'additional_tools', tools: [{ type: 'openrouter:datetme' }] }]; // oxfmt-ignore
    expect(await refusalOf(responses, { model, input: unknown, max_output_tokens: 100 })).toMatch(
      /^400 input\.1\.tools\.0/,
    );
  });
});
