/**
 * A request that failed is found by the provider of its last attempt, in lists and in figures; one that reached no
 * provider by none. What it costs does not change. The real application over HTTP on both databases, before scripted
 * upstreams that fail, fall silent or are not there.
 */
import { API_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { anthropicError } from '../support/anthropic-upstream.js';
import { json, neverAnswers } from '../support/upstream-answers.js';
import { ask, MessagesBench } from './messages-bench.js';

const BROKEN = json(anthropicError('api_error', 'broken'), 500);
const FULL = json(anthropicError('overloaded_error', 'full'), 529);

describeOnEachDatabase('requests that failed', (database) => {
  let bench: MessagesBench;
  let ledger: LedgerReader;
  const today = new Date().toISOString().slice(0, 10);
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
    ledger = new LedgerReader(bench.gateway);
  }, 240_000);
  afterAll(() => bench?.close());

  /** Asks as a separate user, by whom its figures are found. @returns the row */
  async function failed(model: string, user: string, stream = false): Promise<JsonBody> {
    const path = stream ? '/chat/completions' : '/messages';
    const response = await bench.gateway.request(path, {
      method: 'POST',
      key: API_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ask(model, { user, stream })),
    });
    await response.text();
    expect([model, response.status]).toEqual([model, expect.any(Number)]);
    expect(response.status).toBeGreaterThanOrEqual(400);
    await ledger.rest();
    return ledger.generation(response.headers.get('x-generation-id')!);
  }

  async function figuresOf(user: string): Promise<JsonBody> {
    const groups = await bench.gateway.manage('GET', `/activity?from=${today}&group_by=provider,endpoint&user=${user}`);
    return groups.data.map(({ provider, endpoint, requests, errors, usage }: JsonBody) => [
      provider,
      endpoint,
      requests,
      errors,
      usage,
    ]);
  }

  it.each([
    ['one attempt', 'test/native', 'p0', false],
    ['the last of two', 'test/native-pair', 'p2', false],
    ['the last of two, streamed', 'test/native-pair', 'p2', true],
    ['a provider without a listener', 'test/nowhere', expect.stringMatching(/^p\d+$/), false],
  ])('are found by %s', async (what, model, provider, stream) => {
    const user = what.replaceAll(/\W/g, '-');
    bench.anthropic.script(BROKEN);
    bench.second.script(FULL);
    const row = await failed(model, user, stream);
    expect(row).toMatchObject({
      model: null,
      upstream_model: null,
      price_version: null,
      cost: '0.000000000000',
      provider,
    });
    expect(row.provider_name).toBe(`Provider ${row.provider}`);
    expect(row.attempts.at(-1)).toMatchObject({ provider: row.provider_name, endpoint: row.endpoint });
    const { data } = await bench.gateway.manage(
      'GET',
      `/generations?from=${today}&provider=${row.provider}&user=${user}`,
    );
    expect(data).toMatchObject([{ id: row.id, provider: row.provider, provider_name: row.provider_name, model }]);
    expect(await figuresOf(user)).toEqual([[row.provider, row.endpoint, 1, 1, 0]]);
  });

  it('are found by the provider that fell silent', async () => {
    bench.anthropic.script(neverAnswers());
    expect(await failed('test/impatient', 'silent', true)).toMatchObject({
      provider: 'p0',
      outcome: 'provider-timed-out',
    });
    expect(await figuresOf('silent')).toEqual([['p0', 'p0', 1, 1, 0]]);
  });

  it('have no provider where none was reached', async () => {
    const { data: guardrail } = await bench.gateway.manage('POST', '/guardrails', {
      name: 'g',
      ignored_providers: ['p0'],
    });
    const { key, hash } = await bench.gateway.newKey();
    await bench.gateway.manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [hash] });
    const response = await bench.gateway.messages(ask('test/native', { user: 'nobody' }), { key });
    await response.text();
    await ledger.rest();
    expect([response.status, await ledger.generation(response.headers.get('x-generation-id')!)]).toMatchObject([
      404,
      { provider: null, provider_name: null, endpoint: null, attempts: [] },
    ]);
    expect(await figuresOf('nobody')).toEqual([[null, null, 1, 1, 0]]);
  });

  it('are found so by analytics', async () => {
    const found = await bench.gateway.manage('POST', '/analytics/query', {
      metrics: ['request_count', 'error_count'],
      dimensions: ['provider'],
      filters: [{ field: 'user', operator: 'eq', value: 'the-last-of-two' }],
    });
    expect(found.data.data).toEqual([{ provider: 'p2', request_count: 1, error_count: 1 }]);
  });
});
