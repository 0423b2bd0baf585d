/**
 * Checks that real clients read a reply in which the gateway ran tools, whole and streamed, and continue from it. The
 * sandbox model calls every offered tool.
 */
import Anthropic from '@anthropic-ai/sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, jsonSchema, stepCountIs, streamText, type ToolSet } from 'ai';
import OpenAI from 'openai';
import { calls, LoopBench, answers } from '../tools/faults-bench.js';
import { idOf, PAGE_AT, ToolMatrixBench } from '../tools/matrix/bench.js';
import { call, Talk, text } from '../tools/matrix/matrix-client.js';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';

const TOOL = { type: 'openrouter:datetime' };
const MODEL = 'sandbox/tools';
const ANSWER = /The tool answered: \{"datetime":"20/;

describeOnEmbedded('clients and tools that the gateway runs', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  it.each([false, true])('@anthropic-ai/sdk, streamed %s', async (streamed) => {
    const client = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.origin}/api` });
    const body = { model: MODEL, max_tokens: 500, tools: [TOOL] as never[] };
    const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> =>
      streamed
        ? client.messages.stream({ ...body, messages }).finalMessage()
        : client.messages.create({ ...body, messages });
    const first = await ask([{ role: 'user', content: 'What time is it?' }]);
    expect(first.content.map(({ type }) => type)).toEqual([
      'server_tool_use',
      'openrouter_datetime_tool_result',
      'text',
    ]);
    expect(first.content.at(-1)).toMatchObject({ text: expect.stringMatching(ANSWER) });
    const next = await ask([
      { role: 'user', content: 'What time is it?' },
      { role: 'assistant', content: first.content },
      { role: 'user', content: 'And now?' },
    ]);
    expect(next.content.at(-1)).toMatchObject({ text: expect.stringMatching(ANSWER) });
    expect(next.stop_reason).toBe('end_turn');
  });

  it.each([false, true])('openai, streamed %s', async (streamed) => {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.origin}/api/v1` });
    const body = { model: MODEL, tools: [TOOL] as never[], messages: [{ role: 'user', content: 'Time?' }] as never[] };
    const { choices } = streamed
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    expect(choices[0]!.message.content).toMatch(ANSWER);
    expect(choices[0]!.message.tool_calls ?? []).toEqual([]);
    expect(choices[0]!.finish_reason).toBe('stop');
  });

  it.each([false, true])('ai, which knows the vendor’s searches, streamed %s', async (streamed) => {
    const anthropic = createAnthropic({ apiKey: API_KEY, baseURL: `${gateway.origin}/api/v1` });
    const settings = {
      model: anthropic(MODEL),
      prompt: 'What is new?',
      tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 2 }) } as ToolSet,
    };
    const errors: unknown[] = [];
    const result = streamed
      ? streamText({ ...settings, onError: ({ error }) => void errors.push(error) })
      : await generateText(settings);
    expect(await result.text).toMatch(/The tool answered: .*simulated\.example/s);
    expect((await result.sources)[0]).toMatchObject({
      sourceType: 'url',
      url: expect.stringContaining('simulated.example'),
    });
    expect(errors).toEqual([]);
  });
});

describeOnEmbedded('clients and pages that the gateway fetched', (database) => {
  let bench: ToolMatrixBench;
  beforeAll(async () => {
    bench = await ToolMatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  it.each([
    ['a page', PAGE_AT, false],
    ['a page', PAGE_AT, true],
    ['none', 'ftp://pages.test/', false],
    ['none', 'ftp://pages.test/', true],
  ])('ai reads %s (%s), streamed %s', async (_, url, streamed) => {
    new Talk(bench).script('openai-chat', { parts: [call('c', 'web_fetch', { url })] }, { parts: [text('At noon.')] });
    const anthropic = createAnthropic({ apiKey: API_KEY, baseURL: `${bench.gateway.origin}/api/v1` });
    const settings = {
      model: anthropic(idOf('openai-chat')),
      prompt: 'When is high water?',
      tools: { web_fetch: anthropic.tools.webFetch_20250910({}) } as ToolSet,
    };
    const errors: unknown[] = [];
    const result = streamed
      ? streamText({ ...settings, onError: ({ error }) => void errors.push(error) })
      : await generateText(settings);
    expect(await result.text).toBe('At noon.');
    expect(errors).toEqual([]);
  });
});

describeOnEmbedded('a client that knows the names of some vendors alone', (database) => {
  it.each([false, true])('hands back what the gateway’s tools brought, streamed %s', async (streamed) => {
    const bench = await LoopBench.start(database);
    const { createOpenRouter } = await importNatively<JsonBody>('@openrouter/ai-sdk-provider');
    const { key } = await bench.gateway.newKey();
    const model = createOpenRouter({ apiKey: key, baseURL: `${bench.gateway.origin}/api/v1` });
    const look = { inputSchema: jsonSchema({ type: 'object' }), execute: () => Promise.resolve('seen') };
    const options = {
      model: model.chat('test/main', { extraBody: { plugins: [{ id: 'web-fetch' }] } }),
      prompt: 'Look.',
      tools: { look } as unknown as ToolSet,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    };
    bench.begin(calls(bench.fetches, { name: 'look', input: {} }), answers('Done.'));
    expect(streamed ? await streamText(options).text : (await generateText(options)).text).toBe('Done.');
    const { messages } = bench.upstreams.main.requests[1]!.json;
    const results = messages.flatMap(({ content }: JsonBody) => (Array.isArray(content) ? content : []));
    expect(results.filter(({ type }: JsonBody) => type === 'tool_result')).toMatchObject([
      { content: expect.anything() },
      { content: expect.anything() },
    ]);
    await bench.close();
  });
});
