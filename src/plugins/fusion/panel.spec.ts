// The panel and its judge follow from the options, the preset and the requested model, in this order of precedence.
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import type { JsonObject } from '../../core/json/json.js';
import { readPanel, standsForFusion } from './panel.js';

const IDS = ['a/one', 'a/two', 'a/best', 'sandbox/echo', 'sandbox/thinking', 'sandbox/json'];
const catalog = {
  ...catalogOf(...IDS.map((id) => model(id, [endpoint('p')]))),
  plugins: {
    fusion: { presets: new Map([['general-high' as const, { analysisModels: ['a/one', 'a/best'], model: 'a/best' }]]) },
  },
};
const panel = (options: JsonObject, name = 'openrouter/fusion', isSandbox = false) =>
  readPanel({ request: modelRequest({ model: name, plugins: [{ id: 'fusion' }] }), options, catalog, isSandbox });
const shown = (...inputs: Parameters<typeof panel>) => {
  const { models, judge, preset } = panel(...inputs);
  return [models.map(({ name }) => name), judge.name, judge.fallbacks, preset];
};

it.each<[JsonObject, string, unknown[]]>([
  [{}, 'openrouter/fusion', [['a/one', 'a/best'], 'a/best', ['a/one'], 'general-high']],
  [{}, 'fairlead/fusion:nitro', [['a/one', 'a/best'], 'a/best', ['a/one'], 'general-high']],
  [{ preset: 'general-high' }, 'a/two', [['a/one', 'a/best'], 'a/best', ['a/one'], 'general-high']],
  [{}, 'a/two', [['a/one', 'a/best'], 'a/two', [], 'general-high']],
  [{}, 'openrouter/auto', [['a/one', 'a/best'], 'openrouter/auto', [], 'general-high']],
  [{ analysis_models: ['a/two'] }, 'openrouter/fusion', [['a/two'], 'a/best', ['a/one'], 'general-high']],
  [{ model: 'a/two' }, 'openrouter/fusion', [['a/one', 'a/best'], 'a/two', [], 'general-high']],
  [{ analysis_models: ['two', 'two'], model: 'a/one' }, 'a/best', [['two', 'two'], 'a/one', [], undefined]],
])('%j of %s', (options, name, expected) => {
  expect(shown(options, name)).toEqual(expected);
});

it("consists of the sandbox's models where no other may answer, unless a preset is named", () => {
  expect(shown({}, 'openrouter/fusion', true)).toEqual([
    ['sandbox/echo', 'sandbox/thinking'],
    'sandbox/json',
    ['sandbox/echo', 'sandbox/thinking'],
    'sandbox',
  ]);
  expect(shown({ preset: 'general-high' }, 'openrouter/fusion', true)[3]).toBe('general-high');
});

it('limits the uses of each tool and of all, by either name of a tool', () => {
  const tools = [{ type: 'web_search', parameters: { max_uses: 2, max_results: 3 } }, { type: 'openrouter:datetime' }];
  expect(panel({ tools, max_tool_calls: 5 })).toMatchObject({
    toolUsesMax: 5,
    isToolsDefault: false,
    tools: [
      { id: 'openrouter:web_search', parameters: { max_uses: 2, max_results: 3 }, path: 'plugins.0.tools.0' },
      { id: 'openrouter:datetime', parameters: {}, path: 'plugins.0.tools.1' },
    ],
  });
  expect(panel({})).toMatchObject({
    toolUsesMax: 8,
    isToolsDefault: true,
    tools: [{ parameters: { max_uses: 8 } }, { id: 'openrouter:web_fetch' }],
  });
  expect(panel({ tools: [] })).toMatchObject({ isToolsDefault: false, tools: [] });
});

it.each<[string, boolean]>([
  ['openrouter/fusion', true],
  ['fairlead/fusion:online', true],
  ['openrouter/fusion:free', false],
  ['a/fusion', false],
])('%s stands for it: %s', (name, stands) => {
  expect(standsForFusion(name)).toBe(stands);
});

it.each([
  [{ analysis_models: ['a/one', 'a/two:online'] }, 'plugins.0.analysis_models.1: :online searches before'],
  [{ model: 'a/best:nitro:online' }, 'plugins.0.model: :online searches before'],
])('refuses a search that would not be made: %j', (options, message) => {
  expect(() => panel(options)).toThrow(message);
  expect(() => panel({ analysis_models: ['a/one:nitro'] })).not.toThrow();
});
