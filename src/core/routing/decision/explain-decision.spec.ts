/**
 * An explanation holds the derived plan in order, with every exclusion and call; where it cannot be derived it gives
 * the reason and the recorded parts. Decisions of the real planner, explained with the same catalog and with others.
 */
import { catalogOf, endpoint, healthOf, inputsOf, model } from '../../../../test/support/route-inputs.js';
import type { CatalogSnapshot } from '../catalog.js';
import { readRef } from './decision-ref.js';
import { compactDecision } from './decision.js';
import { explainDecision } from './explain-decision.js';
import { planRoute } from '../plan-route.js';
import type { RouteInputs } from '../route-inputs.js';

const ALPHA = endpoint('alpha', { usd: 1 });
const BETA = endpoint('beta', { usd: 2 });
const GAMMA = endpoint('gamma', { usd: 3 });
const ONE = model('a/b', [ALPHA, BETA, GAMMA]);

const decide = (inputs: RouteInputs): string => {
  const plan = planRoute(inputs)!;
  const [first, second] = plan.legs;
  return compactDecision(inputs, plan, [
    { leg: first!, status: 500 },
    ...(second ? [{ leg: second, status: 200 }] : []),
  ]);
};

describe('explainDecision', () => {
  const inputs = inputsOf([ONE], {
    needs: { preferences: { ignore: ['gamma'] } },
    health: healthOf({ alpha: { isOut: true } }),
  });
  const { catalog } = inputs;

  it('derives the plan again: order, prices, exclusions in words, and calls', () => {
    expect(explainDecision(decide(inputs), catalog)).toEqual({
      derivation: 'derived',
      requested: 'a/b',
      seed: inputs.seed,
      catalog: catalog.hash.slice(0, 32),
      catalogNow: catalog.hash.slice(0, 32),
      cut: [],
      calls: [
        { model: 'a/b', tag: 'beta', status: 500 },
        { model: 'a/b', tag: 'alpha', status: 200 },
      ],
      recordedLegs: [
        { model: 'a/b', tag: 'beta' },
        { model: 'a/b', tag: 'alpha' },
      ],
      plan: {
        ordering: 'draw',
        models: ['a/b'],
        attemptsMax: 6,
        legs: [
          { model: 'a/b', tag: 'beta', provider: 'BETA', price: 2, weight: expect.any(Number) },
          { model: 'a/b', tag: 'alpha', provider: 'ALPHA', price: 1, weight: expect.any(Number), setBack: 'outage' },
        ],
        excluded: [
          expect.objectContaining({
            model: 'a/b',
            tag: 'gamma',
            provider: 'GAMMA',
            reason: 'ignored',
            words: 'is ignored',
          }),
        ],
      },
    });
  });

  it('shows weights of a draw', () => {
    const drawn = inputsOf([ONE]);
    const { plan } = explainDecision(decide(drawn), drawn.catalog);
    expect(plan!.legs.map(({ tag, weight }) => [tag, weight])).toEqual(
      planRoute(drawn)!.legs.map(({ tag, weight }) => [tag, weight]),
    );
    expect(plan!.legs.every(({ weight }) => weight! > 0)).toBe(true);
  });

  it('reports that the catalog has changed, and shows the recorded parts', () => {
    const other: CatalogSnapshot = { ...catalog, hash: 'f'.repeat(64) };
    const explained = explainDecision(decide(inputs), other);
    expect(explained).toMatchObject({ derivation: 'catalog-changed', catalogNow: 'f'.repeat(32) });
    expect(explained.plan).toBeUndefined();
    expect(explained.recordedLegs!.map(({ tag }) => tag)).toEqual(['beta', 'alpha']);
    expect(explained.calls).toHaveLength(2);
  });

  it('detects that the derived plan differs', () => {
    const dearer = catalogOf(model('a/b', [endpoint('beta', { usd: 3 }), endpoint('alpha', { usd: 2 })]));
    const text = decide(inputsOf([ONE], { needs: { preferences: { sort: 'price' } } }));
    // Simulates a changed planner: the same catalog name with other prices.
    expect(explainDecision(text, { ...dearer, hash: catalog.hash }).derivation).toBe('differs');
    expect(explainDecision(text, catalog).derivation).toBe('derived');
  });

  it('names the parts that were cut, and the release of the record', () => {
    const parameters = Array.from({ length: 100 }, () => 'parallel_tool_calls' as const);
    const explained = explainDecision(decide(inputsOf([ONE], { needs: { parameters } })), catalog);
    expect([explained.derivation, explained.cut, explained.plan]).toEqual([
      'inputs-cut',
      ['legs', 'parameters'],
      undefined,
    ]);
    expect(explainDecision(decide(inputs).replace('"v":2', '"v":1'), catalog).derivation).toBe('other-version');
  });
});

describe('readRef', () => {
  const record = { v: 1, catalog: '', requested: 'a/b', keys: [{ id: 'key-1', provider: 'azure' }] };

  it.each([
    ['openai', record, { model: 'a/b', tag: 'openai' }],
    ['azure/us@0', record, { model: 'a/b', tag: 'azure/us', credential: 'key-1' }],
    ['1:openai', { ...record, models: ['a/b', ['c/d', 'price'] as const] }, { model: 'c/d', tag: 'openai' }],
    [
      '1:openai@3',
      { ...record, cut: ['models', 'keys'] as const },
      { tag: 'openai', credential: 'stored credential 3' },
    ],
  ])('%s', (ref, from, expected) => {
    expect(readRef(ref, from)).toEqual(expected);
  });
});
