/**
 * Checks that clients whose conversations are stored at the vendor are refused in the form from which they recover,
 * and that no such conversation is answered without its history. The vendor's SDK runs with its tool runner and its
 * threads, which send `thread` by themselves, against a sandbox model that calls the caller's tool; then raw bodies
 * are sent on each route.
 */
import Anthropic from '@anthropic-ai/sdk';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const MESSAGES = [{ role: 'user', content: 'call weather {"city": "Paris"}' }] as const;
const BODY = { model: 'sandbox/tools', max_tokens: 500 };
const WEATHER = { name: 'weather', description: 'Looks it up.', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }; // oxfmt-ignore

describeOnEmbedded('threads of the Messages SDK', (database) => {
  let gateway: TestGateway;
  let client: Anthropic;
  /** Bodies that the client sent, and the statuses of the replies. */
  let calls: { readonly body: JsonBody; readonly status: number }[];
  beforeAll(async () => {
    gateway = await startGateway(database);
    const record: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      calls.push({ body: JSON.parse(init!.body as string), status: response.status });
      return response;
    };
    client = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.origin}/api`, maxRetries: 0, fetch: record });
  }, 240_000);
  afterAll(() => gateway?.close());
  beforeEach(() => {
    calls = [];
  });

  it.each([false, true])('toolRunner completes without a thread, streamed %s', async (stream) => {
    const inputs: unknown[] = [];
    const run = (input: unknown): string => {
      inputs.push(input);
      return 'Sunny, 21 degrees.';
    };
    const runner = client.beta.messages.toolRunner({
      ...BODY,
      stream,
      messages: [...MESSAGES],
      tools: [{ ...WEATHER, type: 'custom', run, parse: (input: unknown) => input } as never],
    });
    const message = await runner.runUntilDone();
    expect(inputs).toEqual([{ city: 'Paris' }]);
    expect(JSON.stringify(message.content)).toContain('Sunny, 21 degrees.');
    expect(calls.map(({ body, status }) => [body.thread?.type, body.messages.length, status])).toEqual([
      ['create', 1, 400],
      [undefined, 1, 200],
      [undefined, 3, 200],
    ]);
  });

  it('a thread continues with all of its messages where its caller allows it, else reports the refusal', async () => {
    const thread = client.beta.messages.thread({ ...BODY, model: 'sandbox/echo', unsupportedRequestBehavior: 'continue_unthreaded' }); // oxfmt-ignore
    await thread.send({ role: 'user', content: 'One' });
    await thread.send({ role: 'user', content: 'Two' });
    expect(calls.map(({ body, status }) => [body.thread?.type, body.messages.length, status])).toEqual([
      ['create', 1, 400],
      [undefined, 1, 200],
      [undefined, 3, 200],
    ]);
    const strict = client.beta.messages.thread({ ...BODY, model: 'sandbox/echo' });
    await expect(strict.send({ role: 'user', content: 'One' })).rejects.toMatchObject({
      status: 400,
      error: { error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } },
    });
  });

  const post = async (path: string, body: object): Promise<{ status: number; body: JsonBody }> => {
    const response = await gateway.request(path, {
      method: 'POST',
      body: JSON.stringify({ ...BODY, model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }], ...body }),
      headers: { 'content-type': 'application/json' },
    });
    return { status: response.status, body: await response.json() };
  };
  const DETAILS = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

  it.each([
    ['/messages', { thread: { type: 'create' } }],
    ['/messages', { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
    ['/messages', { thread: { type: 'continue', previous_message_id: 'msg_1' }, stream: true }],
    ['/messages/count_tokens', { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
    ['/chat/completions', { thread: { type: 'create' } }],
    ['/routing/explain?format=messages', { thread: { type: 'create' } }],
  ])('%s refuses %j', async (path, fields) => {
    const { status, body } = await post(path, fields);
    expect([status, body.error.details]).toEqual([400, DETAILS]);
    expect(body.error.message).toMatch(/^thread: /);
    if (path.startsWith('/messages')) expect([body.type, body.error.type]).toEqual(['error', 'invalid_request_error']);
  });

  it.each([
    ['previous_response_id', 'resp_1'],
    ['conversation', { id: 'conv_1' }],
    ['conversation', 'conv_1'],
    ['prompt', { id: 'pmpt_1', variables: { city: 'Paris' } }],
    ['instructions', 'Answer in French.'],
    ['input', 'Hello'],
  ])('both faces refuse %s: %j', async (field, value) => {
    for (const path of ['/messages', '/chat/completions']) {
      const { status, body } = await post(path, { [field]: value });
      expect([path, status, body.error.message]).toEqual([path, 400, expect.stringMatching(new RegExp(`^${field}: `))]);
      expect((await post(path, { [field]: null })).status).toBe(200);
    }
  });

  it('chat refuses a system prompt in the form of the Messages format, rather than answer without it', async () => {
    const { status, body } = await post('/chat/completions', { system: 'Answer in French.' });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^system: .*role system/)]);
    expect((await post('/messages', { system: 'Answer in French.' })).status).toBe(200);
  });
});
