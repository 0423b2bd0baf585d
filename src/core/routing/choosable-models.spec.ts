// The choosable models are those that the planner would have tried if they had been requested. Small catalogs with one
// obstacle per model, and the plan of each model beside the judgement.
import { modelRequest } from '../../../test/support/model-request.js';
import {
  credential,
  endpoint,
  healthOf,
  inputsOf,
  model,
  perMillion,
  price,
} from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../conversation/request.js';
import type { Model } from './catalog.js';
import { cheapestUsd, choosableModels } from './choosable-models.js';
import { planRoute } from './plan-route.js';
import type { ChoiceInputs } from './route-inputs.js';
import { routeNeeds } from './route-needs.js';

const TOOL = { type: 'function', name: 'f', inputSchema: { type: 'object' } } as const;
const userText = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] }) as const;
const IMAGE = { type: 'image', source: { type: 'url', url: 'https://a.example/i.png' } } as const;

const judge = (models: readonly Model[], request: Partial<ModelRequest> = {}, parts: Partial<ChoiceInputs> = {}) => {
  const inputs: ChoiceInputs = { ...inputsOf(models), ...parts };
  return choosableModels(modelRequest({ messages: [userText('hi')], ...request }), inputs, models);
};
const a = model('x/a', [endpoint('p1')]);

it.each<[string, Model, Partial<ModelRequest>, Partial<ChoiceInputs>, string]>([
  ['a policy that forbids it', a, {}, { policies: [{ ignoreModels: ['x/*'] }] }, 'model-not-allowed'],
  ['a policy of providers', a, {}, { policies: [{ only: ['p2'] }] }, 'not-allowed'],
  ['its own preferences', a, { preferences: { ignore: ['p1'] } }, {}, 'ignored'],
  ['a cap of prices', a, { preferences: { maxPrice: { prompt: '0.1' } } }, {}, 'max-price'],
  ['a missing credential', a, {}, { offersSharedCredential: () => false }, 'no-credential'],
  ['a length', a, { messages: [userText('x'.repeat(700_000))] }, {}, 'context-length'],
  ['a picture', a, { messages: [{ role: 'user', content: [IMAGE] }] }, {}, 'modality'],
  [
    'tools that none of its endpoints takes',
    model('x/a', [endpoint('p1', { supportedParameters: ['max_tokens'] })]),
    { tools: [TOOL] },
    {},
    'unsupported-parameter',
  ],
  [
    'a schema that its dialect does not send',
    a,
    { outputFormat: { type: 'json-schema', schema: {} } },
    { supportsField: () => false },
    'unsupported-parameter',
  ],
  [
    'a pause that its provider requested',
    a,
    {},
    { health: healthOf({ p1: { cooling: { until: 1, by: 'rate-limit', isFirm: true } } }) },
    'cooling-down',
  ],
])('excludes a model for %s', (_, one, request, parts, reason) => {
  const { models, removed, resting } = judge([one], request, parts);
  expect(models).toEqual([]);
  expect(removed).toMatchObject([{ model: 'x/a', reason }]);
  expect(resting).toHaveLength(reason === 'cooling-down' ? 1 : 0);
});

it('keeps exactly the models that have a plan with legs', () => {
  const models = [
    model('x/short', [endpoint('p1', { contextLength: 10 })]),
    model('x/fits', [endpoint('p2')]),
    model('x/dear', [endpoint('p3', { usd: 100 })]),
    model('x/both', [endpoint('p1', { contextLength: 10 }), endpoint('p2')]),
  ];
  const request = modelRequest({
    messages: [userText('x'.repeat(600))],
    preferences: { maxPrice: { completion: '10' } },
  });
  const inputs = inputsOf(models);
  const planned = models.filter(({ id }) => {
    const needs = routeNeeds({ ...request, model: id }, inputs.catalog);
    return planRoute({ ...inputs, needs })!.legs.length > 0;
  });
  const chosen = choosableModels(request, inputs, models).models;
  expect(chosen.map(({ model: { id } }) => id)).toEqual(planned.map(({ id }) => id));
  expect(chosen).toHaveLength(2);
});

it("reads the legs of the caller's own credentials where there are any", () => {
  const one = model('x/a', [endpoint('p1', { usd: 1 }), endpoint('p2', { usd: 9 })]);
  const { models } = judge([one], {}, { credentials: [credential('key', 'p2')] });
  expect(models[0]!.legs.map(({ candidate }) => candidate.tag)).toEqual(['p2']);
});

it('reads the healthy legs, and reports where none is', () => {
  const one = model('x/a', [endpoint('p1', { usd: 1 }), endpoint('p2', { usd: 9 })]);
  const of = (figures: Parameters<typeof healthOf>[0]) => judge([one], {}, { health: healthOf(figures) }).models[0]!;
  expect(of({ p1: { isOut: true } })).toMatchObject({ isWell: true, legs: [{ candidate: { tag: 'p2' } }] });
  expect(of({ p1: { isOut: true }, p2: { isOut: true } })).toMatchObject({ isWell: false });
  const cooling = { until: 1, by: 'faults' } as const;
  expect(of({ p1: { cooling }, p2: { cooling } })).toMatchObject({ isWell: false, legs: [{}, {}] });
});

it('treats as free what costs nothing at every leg', () => {
  const nothing = price(0);
  const free = model('x/free', [endpoint('p1', { pricing: null }), endpoint('p2', { pricing: nothing })]);
  const partly = model('x/partly', [endpoint('p1', { pricing: null }), endpoint('p2')]);
  const paged = model('x/paged', [endpoint('p1', { pricing: { ...nothing, request: 1n } })]);
  expect(judge([free, partly, paged]).models.map(({ isFree }) => isFree)).toEqual([true, false, false]);
});

it('shortens for models that are too short, where none is long enough', () => {
  const models = [
    model('x/a', [endpoint('p1', { contextLength: 8_000 })]),
    model('x/b', [endpoint('p2', { contextLength: 100 })]),
  ];
  const request = { messages: [userText('x'.repeat(60_000))] };
  expect(judge(models, request).models).toEqual([]);
  expect(judge(models, request, { shortensTo: 8_192 }).models.map(({ model: { id } }) => id)).toEqual(['x/a']);
});

describe('what an answer costs', () => {
  const pricing = {
    ...price(0),
    prompt: perMillion(1),
    completion: perMillion(4),
    request: 2_000_000_000n,
    tiers: [{ minPromptTokens: 1_000, prompt: perMillion(2) }],
  };
  const legs = judge([model('x/a', [endpoint('p1', { pricing }), endpoint('p2', { usd: 900 })])]).models[0]!.legs;
  it.each([
    [{ prompt: 500, completion: 100 }, 0.0005 + 0.0004 + 0.002],
    [{ prompt: 1_000, completion: 100 }, 0.002 + 0.0004 + 0.002],
    [{ prompt: 500, completion: 0, length: 5_000 }, 0.001 + 0.002],
  ])('%j', (tokens, usd) => expect(cheapestUsd(legs, tokens)).toBeCloseTo(usd, 9));
  it('is 0 where one of them is free', () => {
    const free = judge([model('x/a', [endpoint('p1'), endpoint('p2', { pricing: null })])]).models[0]!.legs;
    expect(cheapestUsd(free, { prompt: 9, completion: 9 })).toBe(0);
  });
});
