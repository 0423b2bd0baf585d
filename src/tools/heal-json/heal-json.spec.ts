// Extracts the intended JSON of a text, byte for byte where it is intact, and invents nothing. Hostile texts and
// schemas end in time.
import type { JsonObject } from '../../core/json/json.js';
import { healJson, type HealOutcome } from './heal-json.js';

const SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { a: { type: 'integer' } },
  required: ['a'],
  additionalProperties: false,
};
const heal = (text: string, isCut = false): HealOutcome => healJson({ text, schema: SCHEMA, isCut });
const healed = (text: string): HealOutcome => ({ is: 'healed', text });
const BEYOND: HealOutcome = { is: 'beyond-repair' };

it.each(['{"a":1}', ' {\n"a": 1 }\n'])('leaves %j unchanged', (text) => {
  expect(heal(text)).toEqual({ is: 'valid' });
});

it.each([
  ['a fence', '```json\n{"a": 1}\n```', '{"a": 1}'],
  ['prose', 'Here it is: {"a": 1}. I hope that helps!', '{"a": 1}'],
  ['a thought with JSON in it', '<think>{"a": 2}?</think>\n{"a": 1}', '{"a": 1}'],
  ['prose with brackets', 'As [1] has it {see}: {"a": 1}', '{"a": 1}'],
  ['a document that does not fit before it', '{"b": 1}\n{"a": 1}', '{"a": 1}'],
  ['a comma too many', '{"a": 1,}', '{"a": 1}'],
  ['a key without quotes', '{a: 1}', '{"a": 1}'],
  ['single quotes', "{'a': 1}", '{"a": 1}'],
  ['a bracket that is missing', '{"a": 1', '{"a": 1}'],
  ['a fence around what lacks a bracket', '```json\n{"a": 1\n```', '{"a": 1}'],
])('heals %s', (_what, text, expected) => {
  expect(heal(text)).toEqual(healed(expected));
});

it.each([
  ['words', 'I cannot do that.'],
  ['JSON that does not fit', '{"a": "one"}'],
  ['nothing', ''],
])('leaves %s', (_what, text) => {
  expect(heal(text)).toEqual(BEYOND);
});

it('keeps brackets in strings of either quotes', () => {
  const text = `{'b': 'its {a} }', "c": "]}",}`;
  const outcome = healJson({ text, isCut: false });
  expect(outcome).toEqual(healed(`{"b": "its {a} }", "c": "]}"}`));
});

it('invents nothing where the end is missing, and finds what is complete', () => {
  expect(heal('{"a": 1', true)).toEqual(BEYOND);
  expect(heal('```json\n{"a": 1}\n```\nThis is beca', true)).toEqual(healed('{"a": 1}'));
});

it('accepts any object where no schema was requested', () => {
  expect(healJson({ text: 'So: [1] {"b": 2}', isCut: false })).toEqual(healed('{"b": 2}'));
  expect(healJson({ text: '7', isCut: false })).toEqual(BEYOND);
});

it.each([
  ['text 20,000 deep', '[{"b":'.repeat(20_000), SCHEMA],
  ['a schema that is none', '{a: 1}', { type: 'nothing' }],
  ['a reference to nothing', '{a: 1}', { $ref: 'https://nowhere.example/x' }],
  ['a schema that has no end', '{a: 1}', { $ref: '#' }],
])('ends at %s', (_what, text, schema) => {
  expect(healJson({ text, schema, isCut: false })).toEqual(BEYOND);
});
