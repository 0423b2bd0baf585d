// Goal: names of tools are legal on the wire, mapped one to one, mapped back, and stable while a conversation grows.
// Method: properties over lists of names, many of which become equal.
import fc from 'fast-check';
import { modelRequest } from '../../../test/support/model-request.js';
import { ToolNames } from './tool-names.js';
import { doAtOnce } from '../../core/steps.js';

const MAX = 20;
const names = fc.uniqueArray(
  fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a.b', 'a b', 'a_b', `${'x'.repeat(MAX)}1`, `${'x'.repeat(MAX)}2`)),
  { minLength: 1, maxLength: 8 },
); // oxfmt-ignore
const calling = (given: readonly string[]) =>
  modelRequest({
    messages: [
      { role: 'assistant', content: given.map((name, index) => ({ type: 'tool-use', id: `${index}`, name, input: {} })) },
    ],
  }); // oxfmt-ignore

it('are legal, one to one, there and back', () => {
  fc.assert(
    fc.property(names, fc.boolean(), (given, startsWithLetter) => {
      const mapped = doAtOnce(ToolNames.of(calling(given), MAX, startsWithLetter));
      const wire = given.map((name) => mapped.toWire(name));
      expect(new Set(wire).size).toBe(given.length);
      for (const name of wire) expect(name).toMatch(startsWithLetter ? /^[A-Za-z_][\w-]{0,19}$/ : /^[\w-]{1,20}$/);
      expect(wire.map((name) => mapped.toOriginal(name))).toEqual(given);
    }),
  );
});

it('stay when more are called, be one of them named like a stand-in', () => {
  const before = doAtOnce(ToolNames.of(calling(['a.b']), MAX)).toWire('a.b');
  const mapped = doAtOnce(ToolNames.of(calling(['a.b', before]), MAX));
  expect(mapped.toWire('a.b')).toBe(before);
  expect(mapped.toWire(before)).not.toBe(before);
  expect(mapped.toOriginal(mapped.toWire(before))).toBe(before);
});
