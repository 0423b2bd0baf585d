// Every field gets the text of its path and keeps its own text. Also checks the form and the wording of the
// texts.
import type { JsonBody } from '../../test/support/recorded-request.js';
import type { JsonObject } from '../core/json/json.js';
import { describeFields } from './describe-fields.js';
import { TEXTS_BY_PATH } from './field-texts/by-path.js';
import { SHARED_TEXTS } from './field-texts/shared.js';

const described = (schemas: JsonObject, paths: JsonObject = {}): JsonBody =>
  describeFields({ components: { schemas }, paths });

const fields = (...names: readonly string[]): JsonObject => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

it('uses the text of the longest end of the path, then that of the name', () => {
  const { components } = described({
    Key: fields('usage', 'limit_held'),
    Activity: fields('usage'),
    Other: { properties: { error: { type: 'array', items: fields('code') } } },
  });
  const text = (name: string, field: string): string => components.schemas[name].properties[field].description;
  expect([text('Key', 'usage'), text('Activity', 'usage')]).toEqual([
    TEXTS_BY_PATH['Key.usage'],
    TEXTS_BY_PATH['Activity.usage'],
  ]);
  expect(text('Key', 'limit_held')).toBe(SHARED_TEXTS['limit_held']);
  expect(components.schemas.Other.properties.error.items.properties.code.description).toBe(TEXTS_BY_PATH['error.code']);
});

it('keeps an existing description, and names the value of a tag', () => {
  const own = { type: 'string', description: 'Its own.' };
  const { components } = described({ Key: { properties: { usage: own, type: { const: 'x' } } } });
  expect(components.schemas.Key.properties).toEqual({
    usage: own,
    type: { const: 'x', description: 'Always `x`, which marks this form.' },
  });
});

it('describes blocks of a reply and of a system prompt as those of a request', () => {
  const { components } = described({ SystemBlockToolUse: fields('name'), KnownReplyBlockToolUse: fields('name') });
  for (const { properties } of Object.values<JsonBody>(components.schemas))
    expect(properties.name.description).toBe('Name of the tool.');
});

it('describes replies without a name, and parameters', () => {
  const operation = {
    operationId: 'keysList',
    parameters: [{ name: 'cursor', in: 'query', schema: {} }],
    responses: { 200: { content: { 'application/json': { schema: fields('data') } } }, default: { $ref: 'x' } },
  };
  const { paths } = described({}, { '/keys': { servers: [], get: operation } });
  const { parameters, responses } = paths['/keys'].get;
  expect(parameters[0].description).toBe(TEXTS_BY_PATH['query.cursor']);
  expect(responses[200].content['application/json'].schema.properties.data.description).toBe(
    TEXTS_BY_PATH['keysList.data'],
  );
  expect([responses.default, paths['/keys'].servers]).toEqual([{ $ref: 'x' }, []]);
});

it.each(Object.entries({ ...SHARED_TEXTS, ...TEXTS_BY_PATH }))('the text of %s is a sentence', (_, text) => {
  expect(text).toMatch(/^[A-Z`].{3,150}\.$/s);
  expect(text).not.toMatch(/\b(?:told|tells?|said|says?|asked)\b/);
});
