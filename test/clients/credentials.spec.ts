/**
 * Checks that a key and an address are accepted in every form in which a real client can be configured
 * (docs/use/conventions.md#sending-the-key). Each client's own settings are used, against the sandbox.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import AnthropicV0 from '@anthropic-ai/sdk-v0';
import { generateText } from 'ai';
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';

const BODY = { model: 'sandbox/echo', max_tokens: 20, messages: [{ role: 'user' as const, content: 'Hello' }] };
const QUIET = { maxRetries: 0 };

interface Sdk {
  readonly messages: { create(body: typeof BODY): PromiseLike<{ readonly content: readonly object[] }> };
}

const sdk = async (client: Sdk): Promise<unknown> => (await client.messages.create(BODY)).content[0];

const ai = async (settings: Parameters<typeof createAnthropic>[0]): Promise<unknown> => {
  const model = createAnthropic(settings)('sandbox/echo');
  return (await generateText({ model, prompt: 'Hello', maxOutputTokens: 20, ...QUIET })).content[0];
};

const WAYS: readonly { way: string; ask: (origin: string) => Promise<unknown> }[] = [
  { way: 'SDK 1, apiKey', ask: (at) => sdk(new Anthropic({ baseURL: `${at}/api`, apiKey: API_KEY, ...QUIET })) },
  { way: 'SDK 1, authToken', ask: (at) => sdk(new Anthropic({ baseURL: `${at}/api`, authToken: API_KEY, ...QUIET })) },
  { way: 'SDK 0, apiKey', ask: (at) => sdk(new AnthropicV0({ baseURL: `${at}/api`, apiKey: API_KEY, ...QUIET })) },
  {
    way: 'SDK 0, authToken',
    ask: (at) => sdk(new AnthropicV0({ baseURL: `${at}/api`, apiKey: null, authToken: API_KEY, ...QUIET })),
  },
  { way: 'AI SDK, apiKey', ask: (at) => ai({ baseURL: `${at}/api/v1`, apiKey: API_KEY }) },
  { way: 'AI SDK, authToken', ask: (at) => ai({ baseURL: `${at}/api/v1`, authToken: API_KEY }) },
  { way: 'SDK 1, address without a path', ask: (at) => sdk(new Anthropic({ baseURL: at, apiKey: API_KEY, ...QUIET })) },
  {
    way: 'SDK 0, address without a path',
    ask: (at) => sdk(new AnthropicV0({ baseURL: at, apiKey: API_KEY, ...QUIET })),
  },
  {
    way: 'SDK 1, betas in use',
    ask: (at) =>
      sdk(
        new Anthropic({
          baseURL: `${at}/api`,
          apiKey: API_KEY,
          defaultHeaders: { 'anthropic-beta': 'some-feature-2026-01-01' },
          ...QUIET,
        }),
      ),
  },
];

describeOnEmbedded('keys and addresses in real clients', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  it.each(WAYS)('$way', async ({ ask }) => {
    expect(await ask(gateway.origin)).toMatchObject({ type: 'text', text: 'Hello' });
  });
});
