/**
 * Checks that the vendor's own, unmodified clients count tokens through the gateway. `countTokens` of both majors is
 * called, plain and beta, for a model whose provider counts and for one whose provider does not, without retries.
 */
import Anthropic from '@anthropic-ai/sdk';
import AnthropicV0 from '@anthropic-ai/sdk-v0';
import { API_KEY, extendedCatalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

interface Question {
  readonly model: string;
  readonly system: string;
  readonly messages: { readonly role: 'user'; readonly content: string }[];
  readonly tools: { readonly name: string; readonly input_schema: { readonly type: 'object' } }[];
}

interface Counter {
  countTokens(question: Question): {
    withResponse(): Promise<{ data: { input_tokens: number }; response: Response }>;
  };
}

const settings = (origin: string) => ({ baseURL: `${origin}/api`, apiKey: API_KEY, maxRetries: 0 });
const CLIENTS: readonly (readonly [string, (origin: string) => Counter])[] = [
  ['SDK 1', (origin) => new Anthropic(settings(origin)).messages],
  ['SDK 1 beta', (origin) => new Anthropic(settings(origin)).beta.messages],
  ['SDK 0', (origin) => new AnthropicV0(settings(origin)).messages],
  ['SDK 0 beta', (origin) => new AnthropicV0(settings(origin)).beta.messages],
];

const ask = (model: string): Question => ({
  model,
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
});

describeOnEmbedded('counting tokens in real clients', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic', json({ input_tokens: 123 }));
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, { catalog: extendedCatalogOf({ id: 'test/native', at }) });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  it.each(CLIENTS)('%s', async (_, connect) => {
    const client = connect(gateway.origin);
    const native = await client.countTokens(ask('test/native')).withResponse();
    expect([native.data, native.response.headers.get('x-token-count')]).toEqual([{ input_tokens: 123 }, 'native']);
    expect(upstream.requests.at(-1)!.json).toMatchObject({ ...ask('test/native'), model: 'upstream-native' });

    const estimate = await client.countTokens(ask('sandbox/echo')).withResponse();
    expect(estimate.response.headers.get('x-token-count')).toBe('estimate');
    expect(estimate.data.input_tokens).toBeGreaterThan(10);

    await expect(client.countTokens(ask('no/such')).withResponse()).rejects.toMatchObject({ status: 404 });
  });
});
