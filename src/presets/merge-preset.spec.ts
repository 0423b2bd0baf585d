// A request replaces the settings of its preset one level deep, tools are united by their identity, and a preset that
// names a preset cannot be used.
import { messagesPresets } from '../faces/messages/messages-presets.js';
import type { JsonObject } from '../core/json/json.js';
import { mergePreset, namedPreset } from './merge-preset.js';
import type { DesignatedPreset } from './preset.entity.js';

const merge = (config: JsonObject, request: JsonObject): JsonObject => {
  const designated = {
    preset: { status: 'active' },
    version: { api: 'messages', config: JSON.stringify(config), systemPrompt: null },
  } as DesignatedPreset;
  return mergePreset(namedPreset({ ...request, preset: 'p' })!, designated, messagesPresets).body;
};

it('replaces a setting whole, and leaves the others', () => {
  const config = { provider: { order: ['a'], sort: 'price' }, metadata: { a: '1' }, max_tokens: 9 };
  expect(merge(config, { model: 'm', provider: { sort: 'latency' } })).toEqual({
    model: 'm',
    provider: { sort: 'latency' },
    metadata: { a: '1' },
    max_tokens: 9,
  });
});

const advisor = (name: string, more: JsonObject = {}) => ({
  type: 'openrouter:advisor',
  parameters: { name, ...more },
});

it.each<[string, JsonObject[], JsonObject[], JsonObject[]]>([
  ['functions by their names', [{ name: 'a', description: '1' }, { name: 'b' }], [{ name: 'c' }, { name: 'a', description: '2' }], [{ name: 'a', description: '2' }, { name: 'b' }, { name: 'c' }]],
  ['advisors by their names', [advisor('a'), advisor('b')], [advisor('b', { model: 'm' }), advisor('c')], [advisor('a'), advisor('b', { model: 'm' }), advisor('c')]],
  ['other tools by their types', [{ type: 'openrouter:web_search', parameters: { max_uses: 1 } }], [{ type: 'openrouter:web_search', parameters: { max_uses: 2 } }, { type: 'openrouter:datetime' }], [{ type: 'openrouter:web_search', parameters: { max_uses: 2 } }, { type: 'openrouter:datetime' }]],
])('unites %s, the preset first', (_, ofPreset, ofRequest, united) => {
  expect(merge({ tools: ofPreset }, { tools: ofRequest })['tools']).toEqual(united);
}); // oxfmt-ignore

it.each<JsonObject>([{ preset: 'p' }, { preset: 'q' }, { model: '@preset/p' }, { model: 'm@preset/q' }])(
  'refuses a preset with %j',
  (config) => {
    expect(() => merge(config, {})).toThrow('preset: p names a preset, and cannot be used');
  },
);
