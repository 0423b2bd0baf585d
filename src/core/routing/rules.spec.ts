// Each preference excludes the right candidates with the right reason, and two together exclude what each does. One
// catalog in which every filter has an effect; a table of each filter alone; all pairs of its rows.
import { endpoint, inputsOf, model, plan, price, reasonsOf, tagsOf } from '../../../test/support/route-inputs.js';
import type { RequestField } from '../translation.js';
import { planRoute } from './plan-route.js';
import type { ExclusionReason } from './plan.js';
import type { ProviderPreferences } from './preferences.js';
import type { RouteNeeds, RoutingPolicy } from './route-inputs.js';

const tiered = price(4, { fast: { prompt: 9_000_000n }, priority: {}, flex: { completion: 0n } });
const one = model(
  'a/one',
  [
    endpoint('p1', {
      usd: 2,
      policy: { collectsData: true },
      quantization: 'fp8',
      supportedParameters: ['tools', 'top_k'],
    }),
    endpoint('p2', { policy: { zeroDataRetention: false }, quantization: 'mxfp8', contextLength: 1_000 }),
    endpoint('p3/eu', { pricing: tiered, quantization: 'bf16', supportedParameters: ['tools', 'response_format'] }),
    endpoint('p4', { pricing: null, maxCompletionTokens: 50, quantization: 'nvfp4' }),
    endpoint('p4/image', { pricing: price(2, { image: 5n * 10n ** 9n, request: 10n ** 9n }) }),
  ],
  { maxCompletionTokens: 500, distillable: true },
);
const two = model('a/two', [endpoint('p1'), endpoint('p3', { usd: 8 })], { inputModalities: ['text', 'image'] });
const models = [one, two];
const ALL = ['p1', 'p2', 'p3/eu', 'p4', 'p4/image', 'two:p1', 'two:p3'];

interface Row {
  readonly name: string;
  readonly preferences?: ProviderPreferences;
  readonly needs?: Partial<RouteNeeds>;
  readonly policies?: readonly RoutingPolicy[];
  readonly reason: ExclusionReason;
  /** Excluded candidates of `ALL`. */
  readonly out: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: 'only', preferences: { only: ['p1', 'p3'] }, reason: 'not-allowed', out: ['p2', 'p4', 'p4/image'] },
  { name: 'only a variant', preferences: { only: ['p4/image', 'P1'] }, reason: 'not-allowed', out: ['p2', 'p3/eu', 'p4', 'two:p3'] },
  { name: 'ignore', preferences: { ignore: ['p4'] }, reason: 'ignored', out: ['p4', 'p4/image'] },
  { name: 'ignore a variant', preferences: { ignore: ['p4/image'] }, reason: 'ignored', out: ['p4/image'] },
  { name: 'order alone', preferences: { order: ['p3', 'p4'], allowFallbacks: false }, reason: 'not-in-order', out: ['p1', 'p2', 'two:p1'] },
  { name: 'data_collection', preferences: { dataCollection: 'deny' }, reason: 'collects-data', out: ['p1'] },
  { name: 'zdr', preferences: { zeroDataRetention: true }, reason: 'retains-data', out: ['p2'] },
  { name: 'distillable', preferences: { enforceDistillableText: true }, reason: 'not-distillable', out: ['two:p1', 'two:p3'] },
  { name: 'fp8', preferences: { quantizations: ['fp8', 'unknown'] }, reason: 'quantization', out: ['p3/eu', 'p4'] },
  { name: 'fp4', preferences: { quantizations: ['fp4', 'bf16'] }, reason: 'quantization', out: ['p1', 'p2', 'p4/image', 'two:p1', 'two:p3'] },
  { name: 'mxfp8', preferences: { quantizations: ['mxfp8'] }, reason: 'quantization', out: ALL.filter((tag) => tag !== 'p2') },
  { name: 'require_parameters', preferences: { requireParameters: true }, needs: { parameters: ['top_k'] }, reason: 'unsupported-parameter', out: ALL.filter((tag) => tag !== 'p1') },
  { name: 'max_price of the prompt', preferences: { maxPrice: { prompt: '1' } }, reason: 'max-price', out: ['p3/eu', 'two:p3'] },
  { name: 'max_price of the answer', preferences: { maxPrice: { completion: '0.999999' } }, reason: 'max-price', out: ['p1', 'p3/eu', 'p4/image', 'two:p3'] },
  { name: 'max_price of an image', preferences: { maxPrice: { image: '0.004' } }, reason: 'max-price', out: ['p4/image'] },
  { name: 'max_price of a request', preferences: { maxPrice: { request: '0' } }, reason: 'max-price', out: ['p4/image'] },
  { name: 'a long prompt', needs: { promptTokensMin: 1_001 }, reason: 'context-length', out: ['p2'] },
  { name: 'a long prompt that is shortened for longer ones', needs: { promptTokensMin: 1_001, shortensTo: [1_001, 9_000] }, reason: 'context-length', out: ['p2'] },
  { name: 'a long prompt with its answer', needs: { promptTokensMin: 961, maxOutputTokens: 40 }, reason: 'context-length', out: ['p2'] },
  { name: 'a long answer', needs: { maxOutputTokens: 51 }, reason: 'max-tokens', out: ['p4'] },
  { name: 'an image', needs: { modalities: ['image'] }, reason: 'modality', out: ['p1', 'p2', 'p3/eu', 'p4', 'p4/image'] },
  { name: 'a policy that allows', policies: [{ only: ['p1', 'p2'] }, { only: ['p2', 'p3', 'p4'] }], reason: 'not-allowed', out: ALL.filter((tag) => tag !== 'p2') },
  { name: 'policies that ignore', policies: [{ ignore: ['p1'] }, { ignore: ['p4'] }], reason: 'ignored', out: ['p1', 'p4', 'p4/image', 'two:p1'] },
  { name: 'a policy on data', policies: [{}, { denyDataCollection: true }], reason: 'collects-data', out: ['p1'] },
  { name: 'a policy on retention', policies: [{ zeroDataRetention: true }], reason: 'retains-data', out: ['p2'] },
]; // oxfmt-ignore

const label = (id: string, tag: string | undefined): string => (id === 'a/two' ? `two:${tag}` : tag!);

function kept(...rows: readonly Row[]): readonly string[] {
  const needs = rows.reduce<Partial<RouteNeeds>>((all, row) => ({ ...all, ...row.needs }), {});
  const preferences = rows.reduce<ProviderPreferences>((all, row) => ({ ...all, ...row.preferences }), {});
  const policies = rows.flatMap((row) => row.policies ?? []);
  const { legs } = plan(models, { needs: { ...needs, preferences }, policies });
  return legs.map((leg) => label(leg.model.id, leg.tag)).sort();
}

/** One request cannot set a field twice. */
function clash(first: Row, second: Row): boolean {
  const fields = (row: Row): string[] => [...Object.keys(row.preferences ?? {}), ...Object.keys(row.needs ?? {})];
  return fields(first).some((field) => fields(second).includes(field));
}

describe('hard filters', () => {
  it('keep all without preferences', () => {
    expect(kept()).toEqual([...ALL].sort());
  });

  it.each(ROWS.map((row) => [row.name, row] as const))(
    '%s',
    (_, { preferences, needs, policies = [], reason, out }) => {
      const made = plan(models, { needs: { ...needs, preferences: preferences ?? {} }, policies });
      expect(made.legs.map((leg) => label(leg.model.id, leg.tag)).sort()).toEqual(
        ALL.filter((tag) => !out.includes(tag)).sort(),
      );
      const reasons = made.excluded.filter((one) => one.reason !== 'service-tier');
      expect(reasons.map(({ model: id, tag }) => label(id, tag)).sort()).toEqual([...out].sort());
      expect(new Set(reasons.map((one) => one.reason))).toEqual(new Set([reason]));
    },
  );

  const pairs = ROWS.flatMap((first, index) => ROWS.slice(index + 1).map((second) => [first, second] as const)).filter(
    ([first, second]) => !clash(first, second),
  );

  it.each(pairs.map(([first, second]) => [`${first.name} and ${second.name}`, first, second] as const))(
    '%s exclude what each of them does',
    (_, first, second) => {
      const leftBySecond = kept(second);
      expect(kept(first, second)).toEqual(kept(first).filter((tag) => leftBySecond.includes(tag)));
    },
  );

  it('were paired', () => {
    expect(pairs.length).toBeGreaterThan(200);
  });

  it.each<[string, Partial<RouteNeeds>, readonly RoutingPolicy[], string]>([
    ['p2', { preferences: { maxPrice: { prompt: '0.25' } } }, [], 'prompt 0.5 > 0.25'],
    ['p4/image', { preferences: { maxPrice: { image: '0.001' } } }, [], 'image 0.005 > 0.001'],
    ['p2', { promptTokensMin: 2_000, maxOutputTokens: 1 }, [], 'prompt 2000 > 1000'],
    ['p2', { promptTokensMin: 900, maxOutputTokens: 200 }, [], 'prompt 900 + max_tokens 200 > 1000'],
    ['p4', { maxOutputTokens: 60 }, [], '60 > 50'],
    ['p1', { preferences: { quantizations: ['int4'] } }, [], 'fp8'],
    ['p1', { modalities: ['file', 'image'] }, [], 'file'],
    ['p1', { outputs: ['image'] }, [], 'image output'],
    ['p1', { preferences: { ignore: ['p1'] } }, [], 'provider.ignore'],
    ['p1', { preferences: { only: ['p2'] } }, [], 'provider.only'],
    ['p1', { preferences: { only: ['p1'] } }, [{ only: ['p2'] }], 'policy'],
    ['p1', {}, [{ ignore: ['p1'] }], 'policy'],
    ['p3/eu', { parameters: ['top_k', 'seed'], preferences: { requireParameters: true } }, [], 'top_k'],
  ])('give for %s the deciding detail', (tag, needs, policies, detail) => {
    expect(plan([one], { needs, policies }).excluded.find((each) => each.tag === tag)?.detail).toBe(detail);
  });

  it.each([
    ['0.000000000001', ['p4']],
    ['0.5', ['p2', 'p4']],
    ['0.499999', ['p4']],
    ['0', ['p4']],
  ])('compare prices exactly and inclusively with %s', (cap, expected) => {
    const preferences = { maxPrice: { prompt: cap, audio: '0' } };
    expect([...tagsOf(plan([one], { needs: { preferences } }))].sort()).toEqual(expected);
  });

  it("compare the price of the prompt's length and of the tier", () => {
    const long = [{ minPromptTokens: 100, prompt: 7_000_000n }];
    const sole = model('a/b', [
      endpoint('p', { pricing: price(2, { tiers: long, priority: { prompt: 9_000_000n } }) }),
    ]);
    const boundedBy = (textTokens: number) => ({
      textTokens,
      images: 0,
      documents: 0,
      fillsContext: false,
      webSearches: 0,
    });
    const left = (prompt: string, promptTokensMin: number): readonly string[] =>
      tagsOf(
        plan([sole], {
          needs: { preferences: { maxPrice: { prompt } }, measured: boundedBy(promptTokensMin), tier: 'priority' },
        }),
      );
    expect(left('1', 99)).toEqual(['p']);
    expect(left('1', 100)).toEqual([]);
    expect(left('7', 100)).toEqual(['p']);
    expect(left('9', 100)).toEqual(['p/priority', 'p']);
  });

  it('refuse a price that is no decimal', () => {
    const preferences = { maxPrice: { prompt: '1e3' } };
    expect(() => planRoute(inputsOf([one], { needs: { preferences } }))).toThrow('provider.max_price.prompt: must be');
  });

  it.each(['only', 'ignore', 'order', 'quantizations'])('treat an empty %s as absent', (field) => {
    expect(plan(models, { needs: { preferences: { [field]: [] } } }).legs).toHaveLength(ALL.length);
  });

  it('treat an empty `only` of a policy as allowing no provider', () => {
    expect(plan(models, { policies: [{ only: [] }] }).legs).toEqual([]);
  });

  it('accept either format name for a schema, and only the exact one for any JSON', () => {
    const needs = { preferences: { requireParameters: true } };
    const left = (...parameters: readonly RequestField[]): readonly string[] =>
      tagsOf(plan([one], { needs: { ...needs, parameters } }));
    expect(left('structured_outputs')).toContain('p3/eu');
    expect(left('structured_outputs')).not.toContain('p1');
    // For parameters that lists never contain, the dialect alone decides: also where there is no list.
    expect(left('metadata')).toContain('p2');
    const other = model('a/b', [endpoint('p', { supportedParameters: ['structured_outputs'] })]);
    expect(plan([other], { needs: { ...needs, parameters: ['response_format'] } }).legs).toEqual([]);
  });
});

describe('undeclared fields', () => {
  const endpoints = [endpoint('p1'), endpoint('p2')];
  const acceptsUndeclaredField = ({ tag }: { tag: string }, field: string): boolean => tag === 'p1' || field === 'hoot';
  const planned = (requireParameters: boolean, ...undeclared: readonly string[]) =>
    planRoute({
      ...inputsOf([model('a/b', endpoints)], { needs: { undeclared, preferences: { requireParameters } } }),
      acceptsUndeclaredField,
    })!;

  it('exclude endpoints that do not pass one, where all are required', () => {
    expect(tagsOf(planned(true, 'hoot', 'owl'))).toEqual(['p1']);
    expect(planned(true, 'owl').excluded).toMatchObject([
      { tag: 'p2', reason: 'unsupported-parameter', detail: 'owl' },
    ]);
    expect(planned(true, 'hoot').legs).toHaveLength(2);
    expect(planned(false, 'owl').legs).toHaveLength(2);
  });
});

describe('what a model does not take beside the rest', () => {
  it.each([
    [true, ['p1']],
    [false, ['p1', 'p2']],
  ])('excludes its endpoint where parameters are required: %s', (requireParameters, tags) => {
    const found = planRoute({
      ...inputsOf([model('a/b', [endpoint('p1'), endpoint('p2')])], { needs: { preferences: { requireParameters } } }),
      unmetRequirement: ({ tag }) => (tag === 'p2' ? 'tools.0.strict' : undefined),
    })!;
    expect([...tagsOf(found)].sort()).toEqual(tags);
    if (requireParameters)
      expect(found.excluded).toMatchObject([{ tag: 'p2', reason: 'unsupported-parameter', detail: 'tools.0.strict' }]);
  });
});

describe('a call whose data must not be kept', () => {
  const providers = ['a', 'openai', 'b'].map((author) =>
    model(`${author}/m`, [endpoint('p', { policy: { collectsData: false, zeroDataRetention: true } })]),
  );
  it.each<[string, ProviderPreferences, readonly RoutingPolicy[], readonly string[]]>([
    ['none without a request', {}, [{}], []],
    ['none of those that are allowed to', { dataCollection: 'allow', zeroDataRetention: false }, [{}], []],
    ['every one under zdr', { zeroDataRetention: true }, [], ['a/m', 'openai/m', 'b/m']],
    ['every one where collection is denied', { dataCollection: 'deny' }, [], ['a/m', 'openai/m', 'b/m']],
    ['every one under a policy', {}, [{ denyDataCollection: true }], ['a/m', 'openai/m', 'b/m']],
    ['those of the authors a policy names', {}, [{ zeroDataRetention: ['openai'] }], ['openai/m']],
    ['those of all others', {}, [{ zeroDataRetention: ['*'] }], ['a/m', 'b/m']],
  ])('is %s', (_, preferences, policies, marked) => {
    const { legs } = plan(providers, { needs: { preferences }, policies });
    expect(legs).toHaveLength(3);
    const private_ = legs.filter(({ refusesKeeping }) => refusesKeeping);
    expect(private_.map(({ model: { id } }) => id).sort()).toEqual([...marked].sort());
  });
});

describe('soft parameters', () => {
  const tools = endpoint('tools', { supportedParameters: ['tools'] });
  const formats = endpoint('formats', { supportedParameters: ['tools', 'response_format'] });
  const plain = endpoint('plain', { supportedParameters: ['top_k'] });
  const left = (endpoints: typeof one.endpoints, ...parameters: readonly RequestField[]): readonly string[] =>
    [...tagsOf(plan([model('a/b', endpoints)], { needs: { parameters } }))].sort();

  it('keep only endpoints that support them, if any does', () => {
    expect(left([tools, plain, formats], 'tools')).toEqual(['formats', 'tools']);
    expect(left([tools, plain, formats], 'tools', 'structured_outputs')).toEqual(['formats']);
    expect(left([tools, plain], 'response_format')).toEqual(['plain', 'tools']);
    expect(left([plain], 'tools')).toEqual(['plain']);
    const terse = endpoint('terse', { supportedParameters: ['verbosity'] });
    expect(left([terse, plain], 'verbosity')).toEqual(['terse']);
  });

  it('are judged among those the filters left', () => {
    const needs = { parameters: ['tools' as const], preferences: { ignore: ['tools'] } };
    expect(tagsOf(plan([model('a/b', [tools, plain])], { needs }))).toEqual(['plain']);
  });

  it('are not dropped because the endpoints that support them cool down', () => {
    const cooling = { until: 5, by: 'faults', isFirm: true } as const;
    const health = { find: ({ tag }: { tag: string }) => (tag === 'tools' ? { isOut: false, cooling } : undefined) };
    const made = plan([model('a/b', [tools, plain])], { needs: { parameters: ['tools'] }, health });
    expect(made.legs).toEqual([]);
    expect(reasonsOf(made)).toEqual({ plain: 'unsupported-parameter', tools: 'cooling-down' });
  });

  it('leave other parameters alone', () => {
    expect(left([tools, plain], 'top_k')).toEqual(['plain', 'tools']);
  });
});
