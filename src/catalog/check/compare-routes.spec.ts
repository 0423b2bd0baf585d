// Changed routes between two catalogs are reported for each kind of request, unchanged ones are not. Pairs of small
// catalogs that differ in one thing; the planner is the real one.
import { catalogOf, endpoint, model, price } from '../../../test/support/route-inputs.js';
import type { Endpoint, Model } from '../../core/routing/catalog.js';
import { compareRoutes } from './compare-routes.js';

const KNOWN = { carries: () => true, unmetBy: () => undefined };
const LISTED = { supportedParameters: ['max_tokens', 'tools', 'response_format'] };
const TWO = [endpoint('alpha', { usd: 1, ...LISTED }), endpoint('beta', { usd: 10, ...LISTED })] as const;
const [alpha, beta] = TWO;

const compared = (
  before: readonly Endpoint[],
  after: readonly Endpoint[],
  {
    older = {},
    newer = older,
    known = KNOWN,
  }: { older?: Partial<Model>; newer?: Partial<Model>; known?: typeof KNOWN } = {},
) => compareRoutes(catalogOf(model('vendor/m', before, older)), catalogOf(model('vendor/m', after, newer)), known);

/** Requests that lost all their legs. */
const lost = (after: Endpoint, known = KNOWN, before = alpha, older: Partial<Model> = {}): readonly string[] =>
  compared([before], [after], { known, older })
    .routes.filter((route) => route.after.length === 0)
    .flatMap(({ requests }) => requests);

it('finds nothing between equal catalogs', () => {
  expect(compared(TWO, TWO)).toEqual({ routes: [], shares: [] });
});

it('ignores models that only one catalog has', () => {
  const one = catalogOf(model('vendor/m', TWO));
  expect(compareRoutes(one, catalogOf(model('vendor/n', TWO)), KNOWN)).toEqual({ routes: [], shares: [] });
});

it('reports a new first leg by price, and the shares of the draw', () => {
  const { routes, shares } = compared(TWO, [alpha, { ...beta, pricing: price(0.5) }]);
  expect(routes.find(({ requests }) => requests.includes('sort: price'))).toMatchObject({
    model: 'vendor/m',
    before: ['alpha', 'beta'],
    after: ['beta', 'alpha'],
  });
  // 1/price²: 1 and 1/100, then 1 and 4.
  expect(shares).toEqual([
    { model: 'vendor/m', tag: 'alpha', before: 99, after: 20 },
    { model: 'vendor/m', tag: 'beta', before: 1, after: 80 },
  ]);
});

it('counts free legs as always first, evenly', () => {
  const free = { ...beta, pricing: null };
  expect(compared(TWO, [alpha, free]).shares).toEqual([
    { model: 'vendor/m', tag: 'alpha', before: 99, after: 0 },
    { model: 'vendor/m', tag: 'beta', before: 1, after: 100 },
  ]);
});

it('reports a removed endpoint, once for all requests with the same change', () => {
  const { routes } = compared(TWO, [alpha]);
  const gone = { model: 'vendor/m', after: ['alpha'] };
  expect(routes).toHaveLength(1);
  expect(routes[0]).toMatchObject({ ...gone, before: ['alpha', 'beta'] });
  expect(routes[0]!.requests).toEqual([
    'plain text',
    'tools with require_parameters',
    'structured output',
    'zdr',
    'data_collection: deny',
    'sort: price',
  ]);
});

it('finds requests that lose their last leg', () => {
  const { provider } = alpha;
  const policy = { ...provider.policy, zeroDataRetention: false };
  expect(lost({ ...alpha, provider: { ...provider, policy } })).toEqual(['zdr']);
  const collecting = { ...provider.policy, collectsData: true };
  expect(lost({ ...alpha, provider: { ...provider, policy: collecting } })).toEqual(['data_collection: deny']);
  expect(lost({ ...alpha, supportedParameters: ['max_tokens'] })).toEqual(['tools with require_parameters']);
  const fp8 = { ...alpha, quantization: 'fp8' } as const;
  expect(lost(alpha, KNOWN, fp8)).toEqual(['quantizations: [fp8]']);
});

it('finds the loss of inputs and of the permission to distil', () => {
  const { routes } = compared([alpha], [alpha], {
    older: { inputModalities: ['text', 'image', 'file'], distillable: true },
    newer: {},
  });
  expect(routes).toEqual([
    {
      model: 'vendor/m',
      requests: ['an image', 'a PDF', 'enforce_distillable_text'],
      before: ['alpha'],
      after: [],
    },
  ]);
});

it('includes a prompt that exceeds the smallest context', () => {
  const { routes } = compared(TWO, [{ ...alpha, contextLength: 1_000 }, beta]);
  expect(routes).toEqual([
    { model: 'vendor/m', requests: ['a prompt past the smallest context'], before: ['alpha', 'beta'], after: ['beta'] },
  ]);
});

it('considers what the dialects carry', () => {
  const known = { ...KNOWN, carries: ({ endpoint: one }: { endpoint: Endpoint }) => one.dialect !== 'cohere-chat' };
  const other = { ...alpha, dialect: 'cohere-chat' } as const;
  expect(
    compareRoutes(catalogOf(model('vendor/m', [alpha])), catalogOf(model('vendor/m', [other])), known).routes,
  ).toEqual([{ model: 'vendor/m', requests: ['tools with require_parameters'], before: ['alpha'], after: [] }]);
});

it('prefers support of structured output, as requests do', () => {
  const plain = { ...alpha, supportedParameters: ['max_tokens'] };
  const { routes } = compared(TWO, [plain, beta]);
  expect(routes.flatMap(({ requests, after }) => requests.map((name) => [name, ...after]))).toEqual([
    ['tools with require_parameters', 'beta'],
    ['structured output', 'beta'],
  ]);
});
