/**
 * Checks that probable mistakes of a caller are named in a header and in the explanation, and that a request without
 * one has neither. The application runs with the shipped catalog, by its sandbox, on both faces, whole, streamed and
 * refused; lists of keys, guardrails and credentials are checked when they are stored
 * (docs/use/conventions.md#warnings).
 */
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { KNOWN_WORDS } from '../../src/faces/common/known-words.js';
import { misspeltFields } from '../../src/faces/common/misspelt-fields.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { DEFINITIONS } from '../../src/providers/catalog/index.js';
import { DtoRules } from '../../src/shared/http/dto-rules.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const HEADER = 'x-fairlead-warning';
const MAX_TOKEN = 'max_token: is not a known field; did you mean max_tokens?';
const ALFA = 'provider.only.0: "sandbx" is no known provider and matches nothing, the nearest known: sandbox, wandb';
const PATTERN = '"nobody/*" fits no model of the catalog';
const BODY = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };

describe('misspelt fields', () => {
  const linesOf = (dto: typeof CreateMessageDto | typeof CreateChatDto, value: JsonBody): readonly string[] =>
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

  it('are not given for known fields, nor for names far from all', () => {
    for (const dto of [CreateMessageDto, CreateChatDto]) {
      for (const name of KNOWN_WORDS) expect(linesOf(dto, { [name]: 1 })).toEqual([]);
      expect(linesOf(dto, { something_of_my_own: 1, '': 1, __proto__x: 1 })).toEqual([]);
    }
  });

  it('are judged by all the fields of the faces and of the providers', () => {
    const known = DEFINITIONS.flatMap(({ undeclared }) =>
      undeclared === undefined ? [] : 'only' in undeclared ? [...undeclared.only] : [...undeclared.allBut.keys()],
    );
    const declared = [CreateMessageDto, CreateChatDto].flatMap((dto) => [...DtoRules.of(dto).fields]);
    expect([...declared, ...known].filter((name) => !KNOWN_WORDS.has(name))).toEqual([]);
  });
});

describeOnEmbedded('warnings', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 60_000);
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

  describe.each(['/messages', '/chat/completions'])('%s', (path) => {
    it.each([false, true])('names a misspelt field, streamed: %s', async (stream) => {
      expect(await post(path, { ...BODY, stream, max_token: 5 })).toMatchObject({ status: 200, warning: MAX_TOKEN });
      expect(await post(path, { ...BODY, stream })).toMatchObject({ status: 200, warning: null });
    });

    it.each([false, true])('names an entry that is no provider, streamed: %s', async (stream) => {
      const order = { provider: { order: ['sandbx'] } };
      const line = ALFA.replace('only', 'order');
      expect(await post(path, { ...BODY, stream, ...order })).toMatchObject({ status: 200, warning: line });
      const both = await post(path, { ...BODY, stream, ...order, max_token: 5 });
      expect(both).toMatchObject({ status: 200, warning: `${MAX_TOKEN}, ${line}` });
    });

    it('names them on refusals as well', async () => {
      expect(await post(path, { ...BODY, model: 'nobody/nothing', max_token: 5 })).toMatchObject({
        status: 404,
        warning: MAX_TOKEN,
      });
      expect(await post(path, { ...BODY, provider: { only: ['sandbx'] } })).toMatchObject({
        status: 404,
        warning: ALFA,
      });
    });

    it('prints nothing that no header can carry', async () => {
      const { status, warning } = await post(path, { ...BODY, 'max_tokéns\r\nx: y': 5, max_tokéns: 5 });
      expect([status, warning]).toEqual([200, 'max_tok?ns: is not a known field; did you mean max_tokens?']);
    });
  });

  it('are on counts of tokens', async () => {
    expect(await post('/messages/count_tokens', { ...BODY, max_token: 5 })).toMatchObject({
      status: 200,
      warning: MAX_TOKEN,
    });
  });

  it.each(['messages', 'chat'])('are lines of the explanation of %s', async (format) => {
    const explained = async (fields: object): Promise<unknown> => {
      const { status, text } = await post(`/routing/explain?format=${format}`, { ...BODY, ...fields });
      expect(status).toBe(200);
      const { data }: JsonBody = JSON.parse(text);
      return data.warnings;
    };
    expect(await explained({ max_token: 5, provider: { only: ['sandbx'] } })).toEqual([MAX_TOKEN, ALFA]);
    expect(await explained({})).toBeUndefined();
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
    const place = `${path}/${data.hash ?? data.id}`;
    const changed = await post(place, { [field]: ['sandbox/ecko'] }, MANAGEMENT_KEY, 'PATCH');
    expect([changed.status, changed.warning]).toEqual([
      200,
      expect.stringMatching(
        new RegExp(`^${field}: "sandbox/ecko" fits no model of the catalog; the nearest: sandbox/echo`),
      ),
    ]);
    expect(await post(place, { name: 'b' }, MANAGEMENT_KEY, 'PATCH')).toMatchObject({ status: 200, warning: null });
    expect(await post(path, { ...body, [field]: ['sandbox/echo'] }, MANAGEMENT_KEY)).toMatchObject({ warning: null });
  });
});
