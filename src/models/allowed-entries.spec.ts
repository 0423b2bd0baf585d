/**
 * A caller is shown exactly what routing would let it use: a table of policies, and for each of them every endpoint of
 * every model compared with the plan that routing makes.
 */
import { catalogOf, endpoint, inputsOf, model } from '../../test/support/route-inputs.js';
import { planRoute } from '../core/routing/plan-route.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';
import { listAllowed } from './allowed-entries.js';
import { CatalogView } from './catalog-views.js';

const KEEPS = { collectsData: false, zeroDataRetention: false };
const COLLECTS = { collectsData: true, zeroDataRetention: false };
const MODELS = [
  model('a/one', [endpoint('p', { usd: 1, policy: COLLECTS }), endpoint('q', { usd: 3, policy: KEEPS })]),
  model('a/two', [endpoint('q', { policy: KEEPS })]),
  model('openai/three', [endpoint('p', { policy: COLLECTS }), endpoint('r/eu', { usd: 7 })]),
  model('b/four', [endpoint('p', { policy: COLLECTS })]),
];
const VIEW = new CatalogView(catalogOf(...MODELS));

const POLICIES: readonly (readonly [string, readonly RoutingPolicy[], readonly string[]])[] = [
  ['none', [], ['a/one p q', 'a/two q', 'openai/three p r/eu', 'b/four p']],
  ['only', [{ only: ['q', 'r'] }], ['a/one q', 'a/two q', 'openai/three r/eu']],
  ['no provider', [{ only: [] }], []],
  ['ignore', [{ ignore: ['p'] }], ['a/one q', 'a/two q', 'openai/three r/eu']],
  ['two that narrow each other', [{ only: ['p', 'q'] }, { ignore: ['q'] }], ['a/one p', 'openai/three p', 'b/four p']],
  ['data collection', [{ denyDataCollection: true }], ['a/one q', 'a/two q', 'openai/three r/eu']],
  ['zero data retention', [{ zeroDataRetention: true }], ['openai/three r/eu']],
  [
    'retention by author',
    [{ zeroDataRetention: ['openai'] }],
    ['a/one p q', 'a/two q', 'openai/three r/eu', 'b/four p'],
  ],
  ['models', [{ onlyModels: ['a/*'] }], ['a/one p q', 'a/two q']],
  ['models of the key', [{ keyModels: ['a/*'] }, { onlyModels: ['*/two', 'b/*'] }], ['a/two q']],
  ['ignored models', [{ ignoreModels: ['a/one', 'b/*'] }], ['a/two q', 'openai/three p r/eu']],
  ['a sort', [{ sort: 'price' }], ['a/one p q', 'a/two q', 'openai/three p r/eu', 'b/four p']],
];

describe.each(POLICIES)('policies: %s', (_, policies, expected) => {
  it('leave the listed models', () => {
    const shown = listAllowed(VIEW, policies).map(
      ({ model: { id }, endpoints }) => `${id} ${endpoints.map(({ tag }) => tag).join(' ')}`,
    );
    expect(shown).toEqual(expected);
  });

  it('leave what routing leaves', () => {
    const shown = new Map(listAllowed(VIEW, policies).map((entry) => [entry.model.id, entry.endpoints]));
    for (const one of MODELS) {
      const plan = planRoute(inputsOf(MODELS, { policies, needs: { requested: one.id, models: [{ id: one.id }] } }))!;
      const routed = plan.legs.map(({ tag }) => tag).sort();
      expect([one.id, (shown.get(one.id) ?? []).map(({ tag }) => tag).sort()]).toEqual([one.id, routed]);
    }
  });
});

it('shows the price of the remaining endpoints', () => {
  const [one] = listAllowed(VIEW, [{ ignore: ['p'] }]);
  expect(JSON.parse(`${one!.head}}`)).toMatchObject({ pricing: { prompt: '0.0000015', completion: '0.0000015' } });
  expect(one!.promptPrice).toBe(1_500_000n);
});

it('makes the view of the remaining endpoints once', () => {
  const policies = [{ ignore: ['p'] }];
  expect(listAllowed(VIEW, policies)).toEqual(listAllowed(VIEW, policies));
  expect(listAllowed(VIEW, policies)[0]).toBe(listAllowed(VIEW, [{ only: ['q'] }])[0]);
  expect(listAllowed(VIEW, policies)[0]).not.toBe(listAllowed(VIEW, [{ only: ['p'] }])[0]);
});
