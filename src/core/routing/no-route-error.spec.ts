// The error for a plan without legs names the exclusions, and whether waiting helps. Plans without legs. Callers find
// each reason on a page, which is read as text.
import { readFileSync } from 'node:fs';
import { endpoint, healthOf, model, plan } from '../../../test/support/route-inputs.js';
import { EXCLUSION_MEANINGS } from './availability.js';
import type { EndpointHealth } from './health.js';
import { noRouteError } from './no-route-error.js';
import type { RouteNeeds } from './route-inputs.js';

const NOW = 1_000_000;
const two = model('a/b', [
  endpoint('p1', { policy: { collectsData: true } }),
  endpoint('p2', { usd: 6, supportedParameters: ['stop'] }),
]);
const cooling = (seconds: number, by: 'rate-limit' | 'faults'): Partial<EndpointHealth> => ({
  cooling: { until: NOW + seconds * 1_000, by, isFirm: true },
});

describe('no route', () => {
  it('names each exclusion and its reason', () => {
    const made = plan([two], { needs: { preferences: { dataCollection: 'deny', maxPrice: { prompt: '2' } } } });
    const error = noRouteError(made, NOW);
    expect(error.kind).toBe('not-found');
    expect(error.message).toBe('No endpoint of a/b is left: p1 collects data, p2 costs too much (prompt 3 > 2).');
    expect(error.detail).toEqual({
      metadata: {
        excluded: [
          { model: 'a/b', provider: 'P1', tag: 'p1', reason: 'collects-data' },
          { model: 'a/b', provider: 'P2', tag: 'p2', reason: 'max-price', detail: 'prompt 3 > 2' },
        ],
      },
      availability: {
        code: 'privacy_restricted',
        retryable: false,
        requested_models: ['a/b'],
        docs_url: '/docs',
        excluded_by: ['data_policy:training', 'max_price'],
        affected_providers: ['P1', 'P2'],
        constraint: { field: 'provider.data_collection', detail: 'collects data' },
      },
    });
  });

  describe('for its length alone', () => {
    const lengths = model('a/b', [
      endpoint('p1', { contextLength: 200_000, maxCompletionTokens: 64_000 }),
      endpoint('p2', { contextLength: 100_000, maxCompletionTokens: 8_000 }),
    ]);
    const refusal = (needs: Partial<RouteNeeds>, parts: Parameters<typeof plan>[1] = {}) =>
      noRouteError(plan([lengths], { ...parts, needs }), NOW);

    it.each<[string, Partial<RouteNeeds>, string, string, string | undefined]>([
      ['a prompt', { promptTokensMin: 750_000 }, 'context-too-long', 'prompt is too long: 750000 tokens > 200000 maximum', undefined],
      ['a prompt that leaves no room', { promptTokensMin: 200_000, maxOutputTokens: 1 }, 'context-too-long', 'prompt is too long: 200000 tokens > 200000 maximum', undefined],
      ['an answer', { promptTokensMin: 10, maxOutputTokens: 64_001 }, 'invalid-request', 'max_tokens: 64001 > 64000, the maximum number of output tokens', 'max_tokens_exceeded'],
      ['an answer by its other name', { promptTokensMin: 10, maxOutputTokens: 300_000, fieldNames: { max_tokens: 'max_completion_tokens' } }, 'invalid-request', 'max_completion_tokens: 300000 > 64000, the maximum number of output tokens', 'max_tokens_exceeded'],
      ['both together', { promptTokensMin: 190_000, maxOutputTokens: 20_000 }, 'context-too-long', 'max_tokens: 20000 with a prompt of 190000 tokens is more than the context has; send at most 10000', undefined],
    ])('%s', (_, needs, kind, message, errorType) => {
      const error = refusal(needs);
      expect([error.kind, error.message, error.detail.errorType]).toEqual([kind, message, errorType]);
    }); // oxfmt-ignore

    it('names the limits of the endpoints that would serve it', () => {
      const { message } = refusal({ promptTokensMin: 150_000, preferences: { ignore: ['p1'] } });
      expect(message).toBe('prompt is too long: 150000 tokens > 100000 maximum');
    });

    it('is not the reason where others exclude everything, nor where a longer one cools down', () => {
      expect(refusal({ promptTokensMin: 750_000 }, { offersSharedCredential: () => false }).kind).toBe('not-found');
      expect(refusal({ promptTokensMin: 750_000, preferences: { only: ['p9'] } }).kind).toBe('not-found');
      const health = healthOf({ p1: cooling(5, 'rate-limit') });
      expect(refusal({ promptTokensMin: 150_000 }, { health }).kind).toBe('rate-limited');
    });
  });

  it('names the unknown entries of lists, with the probably intended ones', () => {
    const made = plan([two], { needs: { preferences: { only: ['p11', 'Some-Cloud'], ignore: ['xyz'] } } });
    const error = noRouteError(made, NOW);
    expect([error.kind, error.message]).toEqual([
      'not-found',
      'provider.only.0: "p11" is no known provider and matches nothing, the nearest known: p1. ' +
        'provider.only.1: "Some-Cloud" is no known provider and matches nothing. ' +
        'provider.ignore.0: "xyz" is no known provider and matches nothing. ' +
        'No endpoint of a/b is left: p1 is not among the allowed providers (provider.only), ' +
        'p2 is not among the allowed providers (provider.only).',
    ]);
    expect(error.detail.metadata!['unknown_providers']).toEqual([
      { field: 'provider.only.0', name: 'p11', nearest: ['p1'] },
      { field: 'provider.only.1', name: 'Some-Cloud', nearest: [] },
      { field: 'provider.ignore.0', name: 'xyz', nearest: [] },
    ]);
  });

  it.each<[string, Parameters<typeof plan>[1]]>([
    ['no_endpoints', { offersSharedCredential: () => false }],
    ['no_endpoints', { offersSharedCredential: () => false, needs: { models: [{ id: 'a/b' }, { id: 'x/y' }] } }],
    ['constraint_filtered', { needs: { preferences: { only: ['p9'] } } }],
    ['constraint_filtered', { offersSharedCredential: () => false, needs: { preferences: { ignore: ['p1'] } } }],
    ['privacy_restricted', { needs: { preferences: { ignore: ['p1'] } }, policies: [{ zeroDataRetention: true }] }],
  ])('%s', (code, parts) => {
    const strict = model(
      'a/b',
      two.endpoints.map((each) => ({
        ...each,
        provider: { ...each.provider, policy: { collectsData: true, zeroDataRetention: false } },
      })),
    );
    const made = plan([strict], parts);
    expect(made.legs).toEqual([]);
    expect(noRouteError(made, NOW).detail.availability).toMatchObject({ code, retryable: false });
  });

  it.each<[string, Parameters<typeof healthOf>[0], string, string, number]>([
    [
      'all by 429',
      { p1: cooling(9, 'rate-limit'), p2: cooling(4.5, 'rate-limit') },
      'rate-limited',
      'capacity_exhausted',
      4_500,
    ],
    [
      'some by faults',
      { p1: cooling(3, 'faults'), p2: cooling(5, 'rate-limit') },
      'unavailable',
      'temporarily_unavailable',
      3_000,
    ],
    [
      'already over',
      { p1: cooling(-1, 'rate-limit'), p2: cooling(5, 'rate-limit') },
      'rate-limited',
      'capacity_exhausted',
      1,
    ],
  ])('waits for the first pause to end: %s', (_, health, kind, code, retryAfterMs) => {
    const error = noRouteError(plan([two], { health: healthOf(health) }), NOW);
    expect(error.kind).toBe(kind);
    expect(error.detail.retryAfterMs).toBe(retryAfterMs);
    const seconds = Math.ceil(retryAfterMs / 1_000);
    expect(error.detail.availability).toMatchObject({ code, retryable: true, retry_after: seconds });
    expect(error.message).toBe(`Every endpoint of a/b that may be used is cooling down; try again in ${seconds} s.`);
  });

  it('is temporary when one only cools down, whatever excluded the others', () => {
    const made = plan([two], {
      needs: { preferences: { dataCollection: 'deny' } },
      health: healthOf({ p2: cooling(2, 'faults') }),
    });
    expect(noRouteError(made, NOW)).toMatchObject({ kind: 'unavailable', detail: { retryAfterMs: 2_000 } });
  });

  it('stays short for any number of exclusions and any length of names', () => {
    const crowd = model(
      'a/b',
      Array.from({ length: 100 }, (_, index) => endpoint(`provider-${index}`)),
    );
    const models = [{ id: 'a/b' }, ...Array.from({ length: 60 }, (_, index) => ({ id: `${index}`.repeat(5_000) }))];
    const error = noRouteError(plan([crowd], { offersSharedCredential: () => false, needs: { models } }), NOW);
    expect(error.message.length).toBeLessThanOrEqual(600);
    expect((error.detail.metadata!.excluded as readonly unknown[]).length).toBe(20);
    expect(JSON.stringify(error.detail).length).toBeLessThan(20_000);
  });

  it('omits tiers that were not requested from the sentence and from the list', () => {
    const pricing = { prompt: 1n, completion: 1n, tiers: [], fast: {} };
    const made = plan([model('a/b', [endpoint('p1', { pricing }), endpoint('p2')])], {
      offersSharedCredential: () => false,
    });
    const error = noRouteError(made, NOW);
    expect(error.message).toBe(
      'No endpoint of a/b is left: p1 has no credential, p2 has no credential. ' +
        'Store a credential of your own by POST /byok.',
    );
    expect((error.detail.metadata!.excluded as readonly { tag: string }[]).map(({ tag }) => tag)).toEqual(['p1', 'p2']);
  });

  it('has words for every reason', () => {
    for (const { words } of Object.values(EXCLUSION_MEANINGS)) expect(words).toMatch(/^[a-z].+[^.]$/);
  });
});

it('has a row in docs/use/routing.md for each reason, and no other', () => {
  const [, section] = readFileSync('docs/use/routing.md', 'utf8').split('### Filters, in this order');
  const rows = section!.split('### Order')[0]!.match(/^\| `.*? \|/gm)!;
  const documented = rows.flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, reason]) => reason!));
  expect(documented.toSorted()).toEqual(Object.keys(EXCLUSION_MEANINGS).toSorted());
});
