/**
 * Goal: short requests that vendors were seen to refuse leave in a form that they take. Method: the application over
 * HTTP before strict doubles of every dialect on every platform, both faces, whole and streamed. Each row was a refusal
 * of one of the doubles.
 */
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { startDouble, type Double } from '../support/doubles/start-double.js';
import { PLATFORM_ENDPOINTS, platformEndpointOf, platformCatalog } from './platform-endpoints.js';

/** A picture of one pixel, whose bytes end within a group. */
const UNPADDED = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg';
const user = (content: unknown = 'Hello') => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const TEXT = { type: 'text', text: 'See' };
const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: UNPADDED } };
const CHAT_PICTURE = { type: 'image_url', image_url: { url: `data:image/png;base64,${UNPADDED}` } };
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

const OPEN = { type: 'object', properties: { a: { type: 'string', minLength: 1 } } };

const CASES: Readonly<Record<'/messages' | '/chat/completions', Readonly<Record<string, object>>>> = {
  '/messages': {
    'the choice auto among no tools': { messages: [user()], tool_choice: { type: 'auto' } },
    'the choice none among no tools': { messages: [user()], tool_choice: { type: 'none' }, tools: [] },
    'a forced choice among no tools': { messages: [user()], tool_choice: { type: 'any' } },
    'base64 that is not filled up': { messages: [user([PICTURE, TEXT])] },
    'an end with white space': { messages: [user(), assistant('So ')] },
    'an end of blocks with white space': { messages: [user(), assistant([{ type: 'text', text: 'So\n' }])] },
    'an end of white space behind words': {
      messages: [
        user(),
        assistant([
          { type: 'text', text: 'So ' },
          { type: 'text', text: '\n' },
        ]),
      ],
    },
    'an assistant first': { messages: [assistant('Hi'), user()] },
    'a call first': {
      messages: [
        assistant([{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }]),
        user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sun' }]),
      ],
      tools: [{ name: 'look', input_schema: OPEN }],
    },
    'a document of nothing': {
      messages: [user([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: '' } }, TEXT])],
    },
    'a form of the answer beside a tool': {
      messages: [user()],
      tools: [{ name: 'look', input_schema: OPEN }],
      output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    },
    'no limit of top_k': { messages: [user()], top_k: -1 },
    'a top_k of nought': { messages: [user()], top_k: 0 },
    'an empty stop sequence': { messages: [user()], stop_sequences: ['', 'END'] },
    'a strict tool that is open': { messages: [user()], tools: [{ name: 'look', strict: true, input_schema: OPEN }] },
    'thoughts as they come': { messages: [user()], thinking: { type: 'adaptive', display: 'updates' } },
    'thinking off but between tools, and a forced tool': {
      messages: [user()],
      thinking: { type: 'between_tools' },
      tools: [{ name: 'look', input_schema: OPEN }],
      tool_choice: { type: 'any' },
    },
    'options that are null': { messages: [user()], output_config: { effort: null, format: null, task_budget: null } },
  },
  '/chat/completions': {
    'the choice auto among no tools': { messages: [user()], tool_choice: 'auto' },
    'the choice none among no tools': { messages: [user()], tool_choice: 'none', tools: [] },
    'the choice required among no tools': { messages: [user()], tool_choice: 'required' },
    'base64 that is not filled up': { messages: [user([CHAT_PICTURE, TEXT])] },
    'an end with white space': { messages: [user(), assistant('So ')] },
    'an assistant first': { messages: [assistant('Hi'), user()] },
    'a name of a format that OpenAI does not take': {
      messages: [user()],
      response_format: { type: 'json_schema', json_schema: { name: 'my format!', schema: SCHEMA } },
    },
    'a call first': {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sun' },
      ],
      tools: [{ type: 'function', function: { name: 'look', parameters: OPEN } }],
    },
    'JSON beside a tool': {
      messages: [user('Answer in JSON.')],
      tools: [{ type: 'function', function: { name: 'look', parameters: OPEN } }],
      response_format: { type: 'json_object' },
    },
    'a temperature of two': { messages: [user()], temperature: 2 },
    'an empty stop sequence': { messages: [user()], stop: '' },
    'a strict tool that is open': {
      messages: [user()],
      tools: [{ type: 'function', function: { name: 'look', strict: true, parameters: OPEN } }],
    },
    'a budget beside an effort': { messages: [user()], reasoning: { max_tokens: 2_000 }, reasoning_effort: 'high' },
    'the effort minimal': { messages: [user()], reasoning_effort: 'minimal' },
  },
};
const REQUESTS = Object.entries(CASES).flatMap(([face, cases]) =>
  Object.entries(cases).map(([name, body]) => [face, name, body] as const),
);
const ALL = [
  ...PLATFORM_ENDPOINTS,
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.meta.llama3-3-70b-instruct-v1:0'),
  platformEndpointOf('bedrock', 'bedrock-converse', 'us.amazon.nova-2-lite-v1:0'),
  platformEndpointOf('direct', 'openai-chat', 'gpt-5.6-sol'),
  platformEndpointOf('azure', 'openai-responses', 'gpt-5.6-sol'),
];

describeOnEmbedded('short requests', (database) => {
  let gateway: TestGateway;
  const doubles = new Map<PlatformId, Double>();
  beforeAll(async () => {
    for (const platform of PLATFORM_IDS) doubles.set(platform, await startDouble(platform));
    gateway = await startGateway(database, { catalog: platformCatalog(doubles, ALL), coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const double of doubles.values()) await double.close();
  });

  const ask = (face: string, body: object): Promise<Response> =>
    gateway.request(face, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ max_tokens: 4_000, ...body }),
    });

  it.each(REQUESTS)('%s: %s', async (face, _name, body) => {
    const refused: string[] = [];
    for (const { platform, model } of ALL) {
      const double = doubles.get(platform)!;
      for (const stream of [false, true]) {
        double.violations.length = 0;
        double.script({ parts: [{ type: 'text', text: 'Well.' }] });
        const response = await ask(face, { model, stream, ...body });
        const text = await response.text();
        if (response.status !== 200 || !text.includes('Well.') || double.violations.length > 0)
          refused.push(`${model}: ${response.status} ${text} ${double.violations.join()}`);
      }
    }
    expect(refused).toEqual([]);
  });

  it.each(PLATFORM_ENDPOINTS)('$model: names a forced choice among no tools', async ({ platform, model }) => {
    doubles.get(platform)!.script({ parts: [{ type: 'text', text: 'Well.' }] });
    for (const [tool_choice, dropped] of [
      ['required', ['tool_choice']],
      ['auto', undefined],
    ] as const) {
      const response = await ask('/chat/completions', { model, messages: [user()], tool_choice });
      const { router_metadata: routed } = (await response.json()) as {
        router_metadata: { attempts: { dropped?: string[] }[] };
      };
      expect(routed.attempts[0]!.dropped).toEqual(dropped);
    }
  });
});
