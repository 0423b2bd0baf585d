// The auto-router ranks the possible models by expected quality against price, with the requested weight, and the
// stored figures of a choice reproduce its order. Called directly over made-up catalogs.
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, credential, endpoint, healthOf, inputsOf, model } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { GatewayError } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Model } from '../../core/routing/catalog.js';
import type { Choice, ChoiceInputs } from '../../core/routing/route-inputs.js';
import { autoRouter } from './auto-router.js';
import { expectedQuality, worthOf } from './rank-models.js';

const scored = (id: string, quality: number, usd: number, parts: Partial<Model> = {}): Model =>
  model(id, [endpoint(`of-${id.split('/')[1]}`, { usd })], {
    scores: { quality: { value: quality, source: 's' }, coding: { value: 1 - quality, source: 's' } },
    ...parts,
  });
const CHEAP = scored('x/cheap', 0.1, 0.1);
const GOOD = scored('x/good', 0.4, 1);
const BEST = scored('x/best', 0.6, 20);
const UNKNOWN = model('x/unknown', [endpoint('of-unknown')]);
const ALL = [CHEAP, GOOD, BEST, UNKNOWN];

const HARD =
  'Critically evaluate this argument, and analyse which hidden premises and objections could decide it. '.repeat(4);
const CODE = 'Write a Python function that sorts a list.';
const userTurn = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] }) as const;

const choose = (
  options: JsonObject = {},
  parts: Partial<ChoiceInputs> = {},
  request: Partial<ModelRequest> = {},
  models: readonly Model[] = ALL,
): Choice =>
  autoRouter.choose!(modelRequest({ model: 'openrouter/auto', messages: [userTurn(HARD)], ...request }), options, {
    ...inputsOf(models),
    ...parts,
  });
const at = (tradeoff: number) => ({ cost_quality_tradeoff: tradeoff });

it.each([
  [0, ['x/best', 'x/good', 'x/cheap']],
  [10, ['x/cheap', 'x/good', 'x/best']],
])('uses quality alone at 0, price alone at 10: %s', (tradeoff, models) => {
  expect(choose(at(tradeoff)).models).toEqual(models);
});

it('leans to the price by default, as 7 does', () => {
  expect(choose()).toEqual(choose(at(7)));
  expect(choose().data).toMatchObject({ kind: 'reasoning', difficulty: 'hard', tradeoff: 7 });
});

it('uses the coding score for code', () => {
  expect(choose(at(0), {}, { messages: [userTurn(CODE)] }).models[0]).toBe('x/cheap');
});

it('reports how many models it left out, and why', () => {
  const counted = (options: JsonObject, parts: Partial<ChoiceInputs> = {}) => {
    const { considered, left_out } = choose(options, parts).details!;
    return [considered, left_out];
  };
  expect(counted({})).toEqual([3, { 'no quality score': 1 }]);
  expect(counted({ allowed_models: ['x/b*', 'x/unknown'] })).toEqual([
    1,
    { 'no quality score': 1, 'not in the list': 2 },
  ]);
  // A list excludes models with and without a score.
  expect(counted({ allowed_models: ['x/b*'] })).toEqual([1, { 'not in the list': 3 }]);
  const policies = [{ keyModels: ['x/g*'] }];
  expect(counted({}, { policies })).toEqual([1, { 'model-not-for-key': 3 }]);
});

it.each<[string, JsonObject, readonly string[] | undefined, readonly string[]]>([
  ['a pattern', { allowed_models: ['x/g*', 'y/*'] }, undefined, ['x/good']],
  ['a name with a suffix', { allowed_models: ['x/good:nitro'] }, undefined, ['x/good']],
  ['the slug alone', { allowed_models: ['best'] }, undefined, ['x/best']],
  ['a list of the operator', {}, ['x/cheap'], ['x/cheap']],
  ['a list of the caller before that', { allowed_models: ['x/best'] }, ['x/cheap'], ['x/best']],
  ['an empty list, which counts as absent', { allowed_models: [] }, ['x/cheap'], ['x/cheap']],
])('chooses among those of %s', (_, options, shipped, models) => {
  const catalog = { ...catalogOf(...ALL), plugins: shipped ? { autoRouter: { models: shipped } } : {} };
  expect(choose(options, { catalog }).models).toEqual(models);
});

it('refuses with 404 where nothing is left, and reports what removed the models', () => {
  const act = () => choose({ allowed_models: ['x/good', 'y/*'] }, { policies: [{ ignoreModels: ['x/good'] }] });
  expect(act).toThrow(
    'No model is left for openrouter/auto: 3 not in the list, 1 model-not-allowed. plugins.auto-router.allowed_models: "y/*" fits no model of the catalog.',
  );
  expect(act).toThrow(expect.objectContaining({ kind: 'not-found' }));
});

it.each<[string, JsonObject, readonly string[] | undefined, string]>([
  ['one', { allowed_models: ['y/*'] }, undefined, '4 not in the list. plugins.auto-router.allowed_models: "y/*" fits no model of the catalog.'],
  ['several', { allowed_models: ['y/*', 'x/bset'] }, undefined, '4 not in the list. plugins.auto-router.allowed_models: "y/*" fits no model of the catalog. plugins.auto-router.allowed_models: "x/bset" fits no model of the catalog; the nearest: x/best, x/good, x/cheap.'],
  ['one of the operator', {}, ['y/*'], '4 not in the list. plugins.auto-router.models of the catalog: "y/*" fits no model of the catalog.'],
])('names the entries of a list that fit nothing: %s', (_, options, shipped, message) => {
  const catalog = { ...catalogOf(...ALL), plugins: shipped ? { autoRouter: { models: shipped } } : {} };
  let refusal: unknown;
  try {
    choose(options, { catalog });
  } catch (error) {
    refusal = error;
  }
  expect((refusal as GatewayError).message).toBe(`No model is left for openrouter/auto: ${message}`);
  expect(refusal).toMatchObject({ kind: 'not-found' });
  const { unmatched } = (refusal as GatewayError).detail.metadata as { unmatched: JsonObject[] };
  expect(unmatched.map(({ field }) => field)).toContain(message.replace(/^.*?list\. (.*?): .*$/, '$1'));
}); // oxfmt-ignore

it('refuses a request that is too long for all models as such, unless a shorter one would fail too', () => {
  const long = { messages: [userTurn('x'.repeat(6 * 150_000))] };
  const refusal = (parts: Partial<ChoiceInputs>): unknown => {
    try {
      return choose({}, parts, long);
    } catch (error) {
      return error;
    }
  };
  expect(refusal({})).toMatchObject({
    kind: 'context-too-long',
    message: 'prompt is too long: 150000 tokens > 100000 maximum',
  });
  expect(refusal({ offersSharedCredential: () => false })).toMatchObject({ kind: 'not-found' });
});

it('ranks an endpoint in outage last, and lowers the rank for faults', () => {
  const out = healthOf({ 'of-best': { isOut: true } });
  expect(choose(at(0), { health: out }).models).toEqual(['x/good', 'x/cheap', 'x/best']);
  const failing = healthOf({ 'of-best': { faultShare: 0.9 } });
  expect(choose(at(0), { health: failing }).models[0]).toBe('x/good');
});

it('chooses a paused model where no other is left, so that its plan reports until when', () => {
  const cooling = { until: 1, by: 'rate-limit', isFirm: true } as const;
  const health = healthOf(Object.fromEntries(ALL.map(({ endpoints }) => [endpoints[0]!.tag, { cooling }])));
  expect(choose({}, { health }).models).toHaveLength(3);
});

it('counts own credentials as a way to a model, at the price of its endpoint there', () => {
  const only = { offersSharedCredential: () => false, credentials: [credential('key', 'of-best')] };
  expect(choose({}, only).models).toEqual(['x/best']);
});

it('chooses one model where the request names fallbacks', () => {
  const fallbackModels = { models: ['x/cheap'], onRefusal: false };
  expect(choose(at(0), {}, { fallbackModels }).models).toEqual(['x/best']);
});

describe('a session', () => {
  const session = (pin: string) => ({
    session: { pinOf: (name: string) => (name === 'openrouter/auto' ? pin : undefined) },
  });
  it('keeps its model while that is a candidate', () => {
    expect(choose(at(0), session('x/cheap'))).toMatchObject({
      models: ['x/cheap', 'x/best', 'x/good'],
      data: { session: true },
      details: { session: true },
    });
  });
  it.each([
    ['is unknown', 'x/gone', {}],
    ['is out', 'x/cheap', { health: healthOf({ 'of-cheap': { isOut: true } }) }],
    ['is forbidden', 'x/cheap', { policies: [{ ignoreModels: ['x/cheap'] }] }],
  ])('chooses anew where it %s', (_, pin, parts) => {
    expect(choose(at(0), { ...session(pin), ...parts }).models[0]).toBe('x/best');
  });
});

it('stores figures that reproduce the order', () => {
  const models = Array.from({ length: 40 }, (_, index) =>
    scored(`x/m${index}`, ((index * 17) % 40) / 41, ((index * 7) % 40) + 1),
  );
  for (let tradeoff = 0; tradeoff <= 10; tradeoff++) {
    const { data } = choose(at(tradeoff), {}, {}, models);
    const figures = data['figures'] as readonly (readonly [number, number])[];
    const worth = figures.map(([quality, usd]) => worthOf(quality, usd, data['tradeoff'] as number));
    expect(worth).toEqual([...worth].sort((one, other) => other - one));
    expect(JSON.stringify(data).length).toBeLessThan(300);
  }
});

it('expects more of any model the easier a prompt is, and never changes the order of two', () => {
  for (const difficulty of ['easy', 'medium', 'hard'] as const) {
    const expected = [0, 0.1, 0.3, 0.6, 0.9, 1].map((score) => expectedQuality(score, difficulty));
    expect(expected).toEqual([...expected].sort((one, other) => one - other));
  }
  expect(expectedQuality(0.4, 'hard')).toBeCloseTo(0.4, 9);
  expect(expectedQuality(0.4, 'medium')).toBeCloseTo(0.831, 3);
  expect(expectedQuality(0.4, 'easy')).toBeCloseTo(0.973, 3);
});

describe('openrouter/free', () => {
  const free = (id: string, parts: Parameters<typeof endpoint>[1] = {}): Model =>
    model(id, [endpoint(`of-${id.split('/')[1]}`, { pricing: null, ...parts })]);
  const provider = { ...endpoint('real').provider, dialect: 'openai-chat' as const };
  const real = ['a', 'b', 'c', 'd'].map((slug) =>
    model(`x/${slug}:free`, [{ ...endpoint('real'), provider, pricing: null }]),
  );
  const draw = (seed: string, models: readonly Model[] = real, parts: Partial<ChoiceInputs> = {}) =>
    choose({}, { seed, ...parts }, { model: 'openrouter/free' }, models);

  it('draws evenly, and repeatably by the seed', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 2_000; seed++) {
      const [first] = draw(`seed ${seed}`).models;
      counts.set(first!, (counts.get(first!) ?? 0) + 1);
    }
    expect(Math.min(...counts.values())).toBeGreaterThan(400);
    expect(counts.size).toBe(4);
    expect(draw('one')).toEqual(draw('one'));
  });

  it('draws by the session, for any seed', () => {
    const session = { key: 'session', pinOf: () => undefined };
    expect(draw('one', real, { session }).models).toEqual(draw('two', real, { session }).models);
  });

  it('never draws a model that costs anything anywhere', () => {
    const partly = model('x/partly', [endpoint('p1', { pricing: null }), endpoint('p2')]);
    expect(draw('s', [...real, partly, GOOD]).details).toMatchObject({ considered: 4, left_out: { 'not free': 2 } });
    expect(() => draw('s', [partly, GOOD])).toThrow('No model is left for openrouter/free: 2 not free.');
  });

  it('uses the sandbox where no other model can answer', () => {
    const sandbox = free('sandbox/echo:free');
    expect(draw('s', [sandbox]).models).toEqual(['sandbox/echo:free']);
    for (let seed = 0; seed < 50; seed++)
      expect(draw(`${seed}`, [...real, sandbox]).models[0]).not.toBe('sandbox/echo:free');
  });

  it('draws among those that take the request', () => {
    const plain = free('x/plain', { supportedParameters: ['max_tokens'] });
    const able = free('x/able', { supportedParameters: ['max_tokens', 'tools'] });
    const tools = [{ type: 'function', name: 'f', inputSchema: {} }] as const;
    expect(choose({}, {}, { model: 'openrouter/free', tools }, [plain, able]).models).toEqual(['x/able']);
  });
});
