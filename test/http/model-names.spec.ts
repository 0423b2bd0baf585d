/**
 * Checks that a model is found under every name that clients have for it, on both faces and wherever a model is
 * named, that lists of policies and credentials compare ids, so that no name bypasses them, and that a request for an
 * unknown name receives the nearest ones. The providers are scripted. Rules: docs/use/models.md#names-of-models.
 */
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, at, model, RoutingBench } from './routing-bench.js';

const METADATA = { headers: { 'x-router-metadata': 'enabled' } };

describeOnEmbedded('names of models', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      providers: { alpha: {}, beta: {}, delta: { kind: 'openai' } },
      models: [
        model('acme/large-4.5', [at('alpha', { model: 'large-4-5-20250929' })], { aliases: ['large-4-5'] }),
        model('acme/large-4.5:free', [at('beta', { usd: 0, model: 'large-4-5-20250929' })]),
        model('acme/twin', [at('alpha', { model: 'acme-twin' })]),
        model('other/twin', [at('beta', { model: 'other-twin' })]),
        model('other/chat', [at('delta', { model: 'chat-1' })]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const post = async (path: string, body: object, key = MANAGEMENT_KEY): Promise<JsonBody> => {
    const init = { method: 'POST', key, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await bench.gateway.request(path, init)).json();
  };

  /** The text of a new key that a guardrail is assigned to. */
  async function guardedKey(terms: object): Promise<string> {
    return (await bench.gateway.guardedKey(terms)).key;
  }

  it.each([
    ['large-4-5', 'acme/large-4.5', 'alpha'],
    ['large-4.5', 'acme/large-4.5', 'alpha'],
    ['large-4-5-20250929', 'acme/large-4.5', 'alpha'],
    ['large-4-5:nitro', 'acme/large-4.5', 'alpha'],
    ['large-4-5:free', 'acme/large-4.5:free', 'beta'],
    ['large-4-5-20250929:floor:free', 'acme/large-4.5:free', 'beta'],
    ['chat-1', 'other/chat', 'delta'],
  ])('%s is %s, in the reply and at its provider', async (name, id, provider) => {
    const { status, body } = await bench.ask(ask(name), METADATA);
    expect([status, body.model, bench.calls]).toEqual([200, id, [provider]]);
    expect(body.router_metadata).toMatchObject({ requested: name, strategy: 'alias' });
    expect(bench.sent(provider).json.model).toBe(provider === 'delta' ? 'chat-1' : 'large-4-5-20250929');
  });

  it('names in lists of further models and in the chat format are found as well, each model once', async () => {
    bench.fails('alpha', 500);
    const { body } = await bench.ask(ask('large-4-5', { models: ['acme/large-4.5', 'chat-1'] }));
    expect([body.model, bench.calls]).toEqual(['other/chat', ['alpha', 'delta']]);
    const chat = { model: 'chat-1', messages: [{ role: 'user', content: 'Hello' }] };
    expect(await post('/chat/completions', chat, API_KEY)).toMatchObject({ model: 'other/chat' });
  });

  it('a name of several models is no guess: 404 with the candidates', async () => {
    const { status, body } = await bench.ask(ask('twin'));
    expect(status).toBe(404);
    expect(body.error.message).toContain('is the name of several models: acme/twin, other/twin');
    expect(body.error.metadata).toMatchObject({ suggested_models: ['acme/twin', 'other/twin'] });
    expect(bench.calls).toEqual([]);
  });

  it.each([
    ['large-4-6', 'acme/large-4.5'],
    ['acme/large', 'acme/large-4.5'],
    ['large-4-5:thinking', 'acme/large-4.5'],
  ])('%s is unknown: 404 with the nearest, three at most', async (name, nearest) => {
    const { status, body } = await bench.ask(ask(name));
    expect(status).toBe(404);
    expect(body.error.message).toMatch(/^model: "[^"]+" is not in the catalog; the nearest: /);
    expect(body.error.metadata.suggested_models[0]).toBe(nearest);
    expect(body.error.metadata.suggested_models.length).toBeLessThanOrEqual(3);
  });

  it('a model that a guardrail forbids is forbidden under all its names, and one it allows by a name is allowed', async () => {
    const forbidding = await guardedKey({ ignored_models: ['acme/large-4.5'] });
    const allowing = await guardedKey({ allowed_models: ['large-4-5'] });
    const statusOf = async (name: string, key: string): Promise<number> => (await bench.ask(ask(name), { key })).status;
    for (const name of ['acme/large-4.5', 'large-4-5', 'large-4.5', 'large-4-5-20250929']) {
      expect([await statusOf(name, forbidding), await statusOf(name, allowing)]).toEqual([403, 200]);
    }
    expect([await statusOf('chat-1', forbidding), await statusOf('chat-1', allowing)]).toEqual([200, 403]);
  });

  it('is shown under its alias as well', async () => {
    const response = await bench.gateway.request('/model/acme/large-4.5');
    const { data } = (await response.json()) as JsonBody;
    expect(data.id).toBe('acme/large-4.5');
  });
});
