/**
 * Checks that probable mistakes of a caller are named in a header and in the explanation, and that a request without
 * one has neither. The application runs with the shipped catalog, by its sandbox, on each face, whole, streamed and
 * refused; lists of keys, guardrails and credentials are checked when they are stored
 * (docs/use/conventions.md#warnings).
 */
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { KNOWN_FIELDS } from '../../src/faces/common/known-fields.js';
import { misspeltFields } from '../../src/faces/common/misspelt-fields.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { CreateResponseDto } from '../../src/faces/responses/create-response.dto.js';
import { DEFINITIONS } from '../../src/providers/catalog/index.js';
import { DtoRules } from '../../src/shared/http/dto-rules.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const HEADER = 'x-fairlead-warning';
const MAX_TOKEN = 'max_token: is not a known field; did you mean max_tokens?';
const ALFA = 'provider.only.0: "sandbx" is no known provider and matches nothing, the nearest known: sandbox, wandb';
const FALLBACKS = 'fallbacks: is a field of /messages and has no effect here; name further models in models';
const PATTERN = '"nobody/*" fits no model of the catalog';
const BODY = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
const DTOS = [CreateMessageDto, CreateChatDto, CreateResponseDto];
/** Routes with a body, and a misspelt field in it. */
const FACES = [
  { path: '/messages', body: BODY, field: 'max_token', meant: 'max_tokens' },
  { path: '/chat/completions', body: BODY, field: 'max_token', meant: 'max_tokens' },
  { path: '/responses', body: { model: 'sandbox/echo', input: 'Hi' }, field: 'max_output_token', meant: 'max_output_tokens' },
]; // oxfmt-ignore
const meantBy = (field: string, meant: string): string => `${field}: is not a known field; did you mean ${meant}?`;

describe('misspelt fields', () => {
  const linesOf = (dto: (typeof DTOS)[number], value: JsonBody): readonly string[] =>
    misspeltFields({ vendor: 'anthropic', value }, dto).map(({ field, message }) => `${field}: ${message}`);

  it.each([
    ['max_token', 'max_tokens'],
    ['maxTokens', 'max_tokens'],
    ['temprature', 'temperature'],
    ['stop_sequence', 'stop_sequences'],
    ['mesages', 'messages'],
    ['top_pp', 'top_p'],
  ])('%s', (name, meant) => {
    expect(linesOf(CreateMessageDto, { [name]: 1 })).toEqual([`${name}: is not a known field; did you mean ${meant}?`]);
  });

  it.each([
    ['max_output_token', 'max_output_tokens'],
    ['inputs', 'input'],
    ['instruction', 'instructions'],
    ['includes', 'include'],
    ['reasonings', 'reasoning'],
  ])('of responses: %s', (name, meant) => {
    expect(linesOf(CreateResponseDto, { [name]: 1 })).toEqual([
      `${name}: is not a known field; did you mean ${meant}?`,
    ]);
  });

  it('are not given for known fields, nor for names far from all', () => {
    for (const dto of DTOS) {
      for (const name of KNOWN_FIELDS) expect([name, ...linesOf(dto, { [name]: null })]).toEqual([name]);
      expect(linesOf(dto, { something_of_my_own: 1, '': 1, __proto__x: 1 })).toEqual([]);
    }
  });

  it('are judged by all the fields of the faces and of the providers', () => {
    const known = DEFINITIONS.flatMap(({ undeclared }) =>
      undeclared === undefined ? [] : 'only' in undeclared ? [...undeclared.only] : [...undeclared.allBut.keys()],
    );
    const declared = DTOS.flatMap((dto) => [...DtoRules.of(dto).fields]);
    expect([...declared, ...known].filter((name) => !KNOWN_FIELDS.has(name))).toEqual([]);
  });
});

describeOnEmbedded('warnings', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  interface Answer {
    readonly status: number;
    readonly warning: string | null;
    readonly text: string;
  }
  async function post(path: string, body: object, key?: string, method = 'POST'): Promise<Answer> {
    const response = await gateway.request(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(key !== undefined && { key }),
    });
    return { status: response.status, warning: response.headers.get(HEADER), text: await response.text() };
  }

  describe.each(FACES)('$path', ({ path, body: plain, field, meant }) => {
    const line = meantBy(field, meant);
    const slip = { [field]: 50 };

    it.each([false, true])('names a misspelt field, streamed: %s', async (stream) => {
      expect(await post(path, { ...plain, stream, ...slip })).toMatchObject({ status: 200, warning: line });
      expect(await post(path, { ...plain, stream })).toMatchObject({ status: 200, warning: null });
    });

    it.each([false, true])('names an entry that is no provider, streamed: %s', async (stream) => {
      const order = { provider: { order: ['sandbx'] } };
      const alfa = ALFA.replace('only', 'order');
      expect(await post(path, { ...plain, stream, ...order })).toMatchObject({ status: 200, warning: alfa });
      const both = await post(path, { ...plain, stream, ...order, ...slip });
      expect(both).toMatchObject({ status: 200, warning: `${line}, ${alfa}` });
    });

    it('names them on refusals as well', async () => {
      expect(await post(path, { ...plain, model: 'nobody/nothing', ...slip })).toMatchObject({
        status: 404,
        warning: line,
      });
      expect(await post(path, { ...plain, provider: { only: ['sandbx'] } })).toMatchObject({
        status: 404,
        warning: ALFA,
      });
    });

    it('prints nothing that no header can carry', async () => {
      const odd = meant.replace('e', 'é');
      const { status, warning } = await post(path, { ...plain, [`${odd}\r\nx: y`]: 5, [odd]: 5 });
      expect([status, warning]).toEqual([200, meantBy(meant.replace('e', '?'), meant)]);
    });
  });

  it.each<[string, object]>([
    ['/chat/completions', BODY],
    ['/responses', { model: 'sandbox/echo', input: 'Hi' }],
    ['/embeddings', { model: 'sandbox/embeddings', input: 'Hi' }],
  ])('of %s name models for fallbacks, which only /messages has', async (path, body) => {
    const fallbacks = [{ model: 'sandbox/thinking' }];
    expect(await post(path, { ...body, fallbacks })).toMatchObject({ status: 200, warning: FALLBACKS });
    expect(await post(path, { ...body, fallbacks: [] })).toMatchObject({ status: 200, warning: null });
    expect(await post('/messages', { ...BODY, fallbacks })).toMatchObject({ status: 200, warning: null });
  });

  it('are on counts of tokens', async () => {
    expect(await post('/messages/count_tokens', { ...BODY, max_token: 5 })).toMatchObject({
      status: 200,
      warning: MAX_TOKEN,
    });
  });

  it.each([
    ['messages', FACES[0]!],
    ['chat', FACES[1]!],
    ['responses', FACES[2]!],
  ])('are lines of the explanation of %s', async (format, { body, field, meant }) => {
    const explained = async (fields: object): Promise<unknown> => {
      const { status, text } = await post(`/routing/explain?format=${format}`, { ...body, ...fields });
      expect(status).toBe(200);
      const { data }: JsonBody = JSON.parse(text);
      return data.warnings;
    };
    expect(await explained({ [field]: 50, provider: { only: ['sandbx'] } })).toEqual([meantBy(field, meant), ALFA]);
    expect(await explained({})).toBeUndefined();
  });

  it('are on options of responses that change nothing, and in their explanation', async () => {
    const body = {
      model: 'sandbox/echo',
      input: 'Hello',
      reasoning: { mode: 'pro' },
      tools: [
        { type: 'function', name: 'look', defer_loading: true },
        { type: 'web_search', external_web_access: false },
        { type: 'namespace', name: 'n', description: 'All of it.', tools: [{ type: 'function', name: 'see' }] },
      ],
    };
    const lines = [
      'reasoning.mode: is not sent: providers receive their standard mode',
      'tools.0.defer_loading: is not sent: the model sees the tool from the start',
      'tools.1.external_web_access: false omits the tool, because every search of the gateway uses the web',
      'tools.2.description: is not sent: the model sees the tools of a namespace one by one',
    ];
    expect(await post('/responses', body)).toMatchObject({ status: 200, warning: lines.join(', ') });
    const { text } = await post('/routing/explain?format=responses', body);
    expect(JSON.parse(text).data).toMatchObject({ warnings: lines });
    const plain = { ...body, reasoning: { mode: 'standard' }, tools: [] };
    expect(await post('/responses', plain)).toMatchObject({ status: 200, warning: null });
  });

  it('name an entry of a router’s list that fits no model', async () => {
    const plugins = [{ id: 'auto-router', allowed_models: ['sandbox/*', 'nobody/*'] }];
    const { status, warning } = await post('/messages', { ...BODY, model: 'openrouter/free', plugins });
    expect([status, warning]).toEqual([200, `plugins.auto-router.allowed_models: ${PATTERN}`]);
  });

  it.each<[string, object, string]>([
    ['/keys', { name: 'a' }, 'allowed_models'],
    ['/guardrails', { name: 'a' }, 'allowed_models'],
    ['/guardrails', { name: 'b' }, 'ignored_models'],
    ['/byok', { provider: 'openai', key: 'a-key-that-opens-nothing' }, 'allowed_models'],
  ])('of %s name the entries that fit no model when they are stored: %j %s', async (path, body, field) => {
    const made = await post(path, { ...body, [field]: ['sandbox/echo', 'nobody/*'] }, MANAGEMENT_KEY);
    expect(made).toMatchObject({ status: 201, warning: `${field}: ${PATTERN}` });
    const { data }: JsonBody = JSON.parse(made.text);
    const address = `${path}/${data.hash ?? data.id}`;
    const changed = await post(address, { [field]: ['sandbox/ecko'] }, MANAGEMENT_KEY, 'PATCH');
    expect([changed.status, changed.warning]).toEqual([
      200,
      expect.stringMatching(
        new RegExp(`^${field}: "sandbox/ecko" fits no model of the catalog; the nearest: sandbox/echo`),
      ),
    ]);
    expect(await post(address, { name: 'b' }, MANAGEMENT_KEY, 'PATCH')).toMatchObject({ status: 200, warning: null });
    expect(await post(path, { ...body, [field]: ['sandbox/echo'] }, MANAGEMENT_KEY)).toMatchObject({ warning: null });
  });
});
