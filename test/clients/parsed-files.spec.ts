/**
 * Checks that real clients read a reply with the parsed text of a PDF, whole and streamed, and that clients whose
 * format has a field for the text send it back, so that the PDF is not parsed and charged again; other clients continue
 * without it. Unmodified SDKs call the application, with doubles of a model and of the parsing engine; the account does
 * not store parsed texts.
 */
import Anthropic from '@anthropic-ai/sdk';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText, streamText, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import { ParsedFiles } from '../../src/tools/parse-file/parsed-files.js';
import { describeOnEmbedded } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { ocrAnswer, ocrRules, paged } from '../support/engines/ocr-engine.js';
import type { JsonBody } from '../support/recorded-request.js';
import { Upstream } from '../support/upstreams.js';
import { LoopBench, answers } from '../tools/faults-bench.js';
import { openRouterNewest } from './chat-clients.js';

const SCAN = paged('').toString('base64');
const PLUGINS = [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }] as const;
const MODES = [false, true];
const MODEL = 'test/main';

describeOnEmbedded('clients and parsed files', (database) => {
  let bench: LoopBench;
  let ocr: Upstream;
  let key: string;
  beforeAll(async () => {
    ocr = await new Upstream(ocrRules, () => ocrAnswer([{ markdown: 'A scan.' }])).listen();
    bench = await LoopBench.start(database, {
      plugins: {
        'file-parser': {
          'mistral-ocr': { base_url: ocr.url, credential: { value: KEY }, price_per_page: '0.002' },
        },
      },
    });
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await ocr?.close();
  });
  beforeEach(() => {
    bench.begin(answers('I see.'));
    ocr.requests.length = 0;
    forget();
  });

  /** Empties the cache of the process: afterwards only the annotations of the request are known. */
  function forget(): void {
    const files = bench.gateway.gateway.app.get(ParsedFiles, { strict: false });
    jest.spyOn(files, 'of').mockReturnValue({ find: () => undefined, keep: () => undefined });
  }

  const lastTurns = (): JsonBody => bench.upstreams.main.requests.at(-1)!.json.messages;
  const readsOnce = (): void => {
    expect(ocr.requests).toHaveLength(1);
    expect(bench.upstreams.main.requests).toHaveLength(2);
    expect(JSON.stringify(lastTurns())).toContain('A scan.');
  };

  it.each(MODES)('openai, streamed %s', async (streamed) => {
    const client = new OpenAI({ apiKey: key, baseURL: `${bench.gateway.origin}/api/v1` });
    const file = { filename: 'scan.pdf', file_data: `data:application/pdf;base64,${SCAN}` };
    const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: [{ type: 'file', file }] };
    const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const body = { model: MODEL, max_tokens: 100, messages, plugins: PLUGINS };
      const { choices } = streamed
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body);
      return choices[0]!.message;
    };
    const { role, content, annotations } = (await ask([question])) as JsonBody;
    expect(annotations).toMatchObject([{ type: 'file', file: { name: 'scan.pdf' } }]);
    await ask([question, { role, content, annotations } as never, { role: 'user', content: 'And?' }]);
    readsOnce();
  });

  it.each(MODES)('@openrouter/ai-sdk-provider, streamed %s', async (streamed) => {
    const provider = createOpenRouter({ apiKey: key, baseURL: `${bench.gateway.origin}/api/v1` });
    const model = provider.chat(MODEL, { plugins: [...PLUGINS] });
    const question: ModelMessage = {
      role: 'user',
      content: [{ type: 'file', mediaType: 'application/pdf', filename: 'scan.pdf', data: SCAN }],
    };
    const ask = async (messages: ModelMessage[]): Promise<JsonBody> => {
      const result = streamed ? streamText({ model, messages }) : await generateText({ model, messages });
      await result.text;
      return (await result.providerMetadata)!['openrouter'] as JsonBody;
    };
    const { annotations } = await ask([question]);
    expect(annotations).toMatchObject([{ type: 'file', file: { name: 'scan.pdf' } }]);
    const answer: ModelMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: 'I see.' }],
      providerOptions: { openrouter: { annotations } },
    };
    await ask([question, answer, { role: 'user', content: 'And?' }]);
    readsOnce();
  });

  it.each(MODES)('@anthropic-ai/sdk, streamed %s', async (streamed) => {
    const client = new Anthropic({ apiKey: key, baseURL: `${bench.gateway.origin}/api` });
    const source = { type: 'base64', media_type: 'application/pdf', data: SCAN } as const;
    const question: Anthropic.MessageParam = { role: 'user', content: [{ type: 'document', source }] };
    const ask = async (messages: Anthropic.MessageParam[]): Promise<JsonBody> => {
      const body = { model: MODEL, max_tokens: 100, messages, plugins: PLUGINS } as never;
      if (!streamed) return (await client.messages.create(body)) as never;
      // The SDK does not assemble unknown keys, but passes events on unchanged.
      let annotations: unknown;
      const stream = client.messages.stream(body).on('streamEvent', (event) => {
        annotations ??= (event as JsonBody).annotations;
      });
      return { ...(await stream.finalMessage()), annotations };
    };
    const { role, content, annotations } = await ask([question]);
    expect(annotations).toMatchObject([{ type: 'file', file: { name: 'document.pdf' } }]);
    await ask([question, { role, content, annotations } as never, { role: 'user', content: 'And?' }]);
    readsOnce();
    expect(JSON.stringify(lastTurns())).not.toContain('annotations');
  });

  it.each(MODES)('@openrouter/sdk, which has no field for it, streamed %s', async (streamed) => {
    const client = await openRouterNewest.connect(bench.gateway.origin, key);
    const file = { filename: 'scan.pdf', file_data: `data:application/pdf;base64,${SCAN}` };
    const messages = [{ role: 'user', content: [{ type: 'file', file }] }];
    const body = { model: MODEL, max_tokens: 100, plugins: PLUGINS, messages };
    const sight = await (streamed ? client.askStream(body) : client.ask(body));
    expect(sight.text).toBe('I see.');
    expect(ocr.requests).toHaveLength(1);
  });
});
