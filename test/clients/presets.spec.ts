/**
 * Clients with presets. Both of OpenRouter's own: saved from a body of each API format, listed, shown with versions,
 * and used by model. `@anthropic-ai/sdk` and `openai`: used by the field, by the model alone and by the suffix of a
 * model, with variables and tools, whole and streamed, and the classes of their errors. The real application.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { OpenRouter } from '@openrouter/sdk';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';
import { MessagesBench } from '../http/messages-bench.js';

const MODEL = 'test/native';
const PARAMETERS = { type: 'object' as const, properties: {} };

interface Answer {
  readonly text: string;
  readonly model: string;
}
interface Vendor {
  readonly format: string;
  /** Sends a request with these fields, a turn of the user, and the tool `second`. */
  readonly ask: (origin: string, named: object, stream: boolean) => Promise<Answer>;
  readonly notFound: new (...values: never[]) => Error;
  readonly badRequest: new (...values: never[]) => Error;
}

// The clients send fields that their types do not have, and leave out those that a preset has.

const VENDORS: readonly (readonly [string, Vendor])[] = [
  [
    '@anthropic-ai/sdk',
    {
      format: 'messages',
      ask: async (baseURL, named, stream) => {
        const client = new Anthropic({ apiKey: API_KEY, baseURL: `${baseURL}/api`, maxRetries: 0 });
        const body = {
          ...named,
          messages: [{ role: 'user', content: 'Hi' }],
          tools: [{ name: 'second', input_schema: PARAMETERS }],
        } as unknown as Anthropic.MessageCreateParamsNonStreaming;
        const message = await (stream ? client.messages.stream(body).finalMessage() : client.messages.create(body));
        const [block] = message.content as [Anthropic.TextBlock];
        return { text: block.text, model: message.model };
      },
      notFound: Anthropic.NotFoundError,
      badRequest: Anthropic.BadRequestError,
    },
  ],
  [
    'openai, chat',
    {
      format: 'chat',
      ask: async (origin, named, stream) => {
        const client = new OpenAI({ apiKey: API_KEY, baseURL: `${origin}/api/v1`, maxRetries: 0 });
        const body = {
          ...named,
          messages: [{ role: 'user', content: 'Hi' }],
          tools: [{ type: 'function', function: { name: 'second', parameters: PARAMETERS } }],
        } as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
        const { choices, model } = await (stream
          ? client.chat.completions.stream({ ...body, stream }).finalChatCompletion()
          : client.chat.completions.create(body));
        return { text: choices[0]!.message.content!, model };
      },
      notFound: OpenAI.NotFoundError,
      badRequest: OpenAI.BadRequestError,
    },
  ],
  [
    'openai, responses',
    {
      format: 'responses',
      ask: async (origin, named, stream) => {
        const client = new OpenAI({ apiKey: API_KEY, baseURL: `${origin}/api/v1`, maxRetries: 0 });
        const body = {
          ...named,
          input: 'Hi',
          tools: [{ type: 'function', name: 'second', parameters: PARAMETERS, strict: false }],
        } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming;
        const { output_text: text, model } = await (stream
          ? client.responses.stream({ ...body, stream }).finalResponse()
          : client.responses.create(body));
        return { text, model };
      },
      notFound: OpenAI.NotFoundError,
      badRequest: OpenAI.BadRequestError,
    },
  ],
];

describeOnEmbedded('clients with presets', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  it.each([
    ['of today', '@openrouter/sdk'],
    ['of long ago', 'openrouter-sdk-0'],
  ])('a client %s', async (when, name) => {
    const { OpenRouter: Client } = await importNatively<{ readonly OpenRouter: typeof OpenRouter }>(name);
    const serverURL = `${bench.gateway.origin}/api/v1`;
    const { presets } = new Client({ apiKey: MANAGEMENT_KEY, serverURL });
    const { chat } = new Client({ apiKey: API_KEY, serverURL });
    const slug = `by-client-${name.replaceAll(/\W/g, '')}`;

    const first = await presets.createPresetsChatCompletions({
      slug,
      chatRequest: { model: MODEL, temperature: 0.25, messages: [{ role: 'system', content: 'Be brief.' }] },
    });
    expect(first.data).toMatchObject({ slug, designatedVersion: { version: 1, systemPrompt: 'Be brief.' } });
    const second = await presets.createPresetsMessages({
      slug,
      messagesRequest: { model: MODEL, maxTokens: 7, messages: [{ role: 'user', content: 'not saved' }] },
    });
    expect(second.data.designatedVersion).toMatchObject({ version: 2 });
    const third = await presets.createPresetsResponses({ slug, responsesRequest: { model: MODEL, temperature: 0.5 } });
    expect(third.data.designatedVersion).toMatchObject({ version: 3, config: { temperature: 0.5 } });

    expect((await presets.get({ slug })).data).toMatchObject({ slug, designatedVersion: { version: 3 } });
    const listed: string[] = [];
    for await (const { result } of await presets.list()) listed.push(...result.data.map((preset) => preset.slug));
    expect(listed).toContain(slug);
    const versions: number[] = [];
    for await (const { result } of await presets.listVersions({ slug }))
      versions.push(...result.data.map((saved) => saved!.version));
    expect(versions).toEqual([3, 2, 1]);
    expect((await presets.getVersion({ slug, version: '2' })).data).toMatchObject({ version: 2 });

    const messages = [{ role: 'user' as const, content: 'Hi' }];
    for (const request of [
      { model: `@preset/${slug}`, messages },
      { model: `${MODEL}@preset/${slug}`, messages },
    ]) {
      bench.anthropic.script(anthropicText(`By a client ${when}.`));
      const before = bench.anthropic.requests.length;
      const answer = await chat.send({ chatRequest: { ...request, stream: false } });
      expect(answer).toMatchObject({ choices: [{ message: { content: `By a client ${when}.` } }] });
      expect((await bench.anthropic.request(before)).json.temperature).toBe(0.5);
    }
  });

  describe.each(VENDORS)('of %s', (_, { format, ask, notFound, badRequest }) => {
    const slug = `by-${format}`;
    const WORDS = 'By a vendor.';
    beforeAll(async () => {
      const saved = await bench.gateway.request(`/presets/${slug}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: MODEL,
          max_tokens: 77,
          temperature: 0.25,
          system: 'You serve {{who}}.',
          tools: [{ name: 'first', input_schema: { type: 'object', properties: {} } }],
        }),
      });
      expect(saved.status).toBe(200);
      bench.anthropic.script(anthropicText(WORDS));
    });

    it.each(
      [{ preset: slug }, { model: `@preset/${slug}` }, { model: `${MODEL}@preset/${slug}` }].flatMap((named) =>
        [false, true].map((stream) => [named, stream] as const),
      ),
    )('completes a request with %j, streamed %s', async (named, stream) => {
      const before = bench.anthropic.requests.length;
      const origin = bench.gateway.origin;
      const { text, model } = await ask(origin, { ...named, preset_variables: { who: 'Ada' } }, stream);
      expect([text, model]).toEqual([WORDS, MODEL]);
      const { json } = await bench.anthropic.request(before);
      expect([json.max_tokens, json.temperature, json.stream ?? false]).toEqual([77, 0.25, stream]);
      expect(JSON.stringify(json.system)).toContain('You serve Ada.');
      expect(json.tools.map(({ name }: JsonBody) => name)).toEqual(['first', 'second']);
      expect(JSON.stringify(json)).not.toContain('preset');
      expect(bench.anthropic.requests.length).toBe(before + 1);
    });

    it.each([false, true])('throws its own errors, streamed %s', async (stream) => {
      const before = bench.anthropic.requests.length;
      const asked = (named: object): Promise<unknown> => ask(bench.gateway.origin, named, stream);
      await expect(asked({ preset: 'unknown' })).rejects.toThrow(notFound);
      await expect(asked({ model: `${MODEL}@preset/unknown` })).rejects.toThrow(notFound);
      const missing = asked({ preset: slug });
      await expect(missing).rejects.toThrow(badRequest);
      await expect(missing).rejects.toThrow('preset_variables.who: is required');
      expect(bench.anthropic.requests.length).toBe(before);
    });
  });
});
