/**
 * Checks that a client that retries after the returned wait gets its answer as from the provider itself: the
 * gateway's own refusals after a provider's limit end when the client retries. Real clients make one retry, pauses of
 * endpoints are on, and the providers refuse the first request with a hint.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { API_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { PROVIDERS, refuses, type Provider } from './scripted-upstream.js';
import { TestBench } from './test-bench.js';

const REQUEST = { messages: [{ role: 'user' as const, content: 'Hello' }], max_tokens: 10 };
const CLIENTS = {
  openai: async (origin: string, model: string): Promise<unknown> => {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: `${origin}/api/v1`, maxRetries: 1 });
    const { choices } = await client.chat.completions.create({ model, ...REQUEST });
    return choices[0]?.message.content;
  },
  anthropic: async (origin: string, model: string): Promise<unknown> => {
    const client = new Anthropic({ apiKey: API_KEY, baseURL: `${origin}/api`, maxRetries: 1 });
    const { content } = await client.messages.create({ model, ...REQUEST });
    return content.map((block) => block.type === 'text' && block.text).join('');
  },
};

describeOnEmbedded('clients that retry', (database) => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start(database, { coolsDown: true });
  }, 240_000);
  afterAll(() => bench?.close());

  /** Refuses its first request, with a hint of one second. */
  const refusesOnce = (provider: Provider): string => {
    const refused = refuses(provider, 429, 'rate_limit_error', 'Slow down', { 'retry-after': '1' });
    const answered = provider.answers({ text: 'Hello' });
    let calls = 0;
    return bench.script(provider, (...call) => (calls++ === 0 ? refused : answered)(...call));
  };

  // Each case waits for a pause of five seconds, the gateway's shortest, so there is one for each client and dialect.
  it.each(PROVIDERS.map((provider) => ({ provider, client: provider.kind })))(
    '$client: one retry is enough where the provider gave a time',
    async ({ provider, client }) => {
      const before = bench.upstream(provider).requests.length;
      expect(await CLIENTS[client](bench.origin, refusesOnce(provider))).toBe('Hello');
      expect(bench.upstream(provider).requests.length - before).toBe(2);
    },
  );
});
