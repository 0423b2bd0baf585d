// Goal: ids of tool calls are mapped one to one, and only where they must be. Method: properties over any ids, with a
// rule whose stand-ins collide all the time.
import fc from 'fast-check';
import type { Message } from '../../core/conversation/content.js';
import { alphanumericId, hashedId, ToolIds, type ToolIdRule } from './tool-ids.js';

const historyOf = (ids: readonly string[]): Message[] => [
  { role: 'assistant', content: ids.map((id) => ({ type: 'tool-use', id, name: 'f', input: {} })) },
  { role: 'user', content: ids.map((id) => ({ type: 'tool-result', toolUseId: id, content: [] })) },
];
const LEGAL = /^[\w-]{1,20}$/;
const HASHED: ToolIdRule = { isLegal: (id) => LEGAL.test(id), standIn: (text) => hashedId(text, 20) };
/** One of a hundred ids. */
const CROWDED: ToolIdRule = {
  isLegal: (id) => /^\d\d$/.test(id),
  standIn: (text) =>
    String(Number.parseInt(Buffer.from(hashedId(text, 20)).toString('hex').slice(-6), 16) % 100).padStart(2, '0'),
};

describe.each([
  ['hashed', HASHED],
  ['crowded', CROWDED],
])('ids, %s', (_name, rule) => {
  it('are mapped one to one, legal ones to themselves, and alike when the conversation grows', () => {
    const ids = fc.uniqueArray(fc.oneof(fc.string(), fc.stringMatching(/^\d\d$/)), { maxLength: 12 });
    fc.assert(
      fc.property(ids, (given) => {
        const mapped = new ToolIds(historyOf(given), rule);
        const wire = given.map((id) => mapped.toWire(id));
        expect(new Set(wire).size).toBe(given.length);
        for (const [place, id] of given.entries()) {
          expect(rule.isLegal(wire[place]!)).toBe(true);
          if (rule.isLegal(id)) expect(wire[place]).toBe(id);
        }
        expect(given.map((id) => new ToolIds(historyOf(given), rule).toWire(id))).toEqual(wire);
      }),
    );
  });
});

it('tells ids apart that differ in one illegal character', () => {
  const ids = ['functions.f:0', 'functions:f.0', 'functions_f_0'];
  const mapped = new ToolIds(historyOf(ids), HASHED);
  expect(new Set(ids.map((id) => mapped.toWire(id))).size).toBe(3);
  expect(mapped.toWire('functions_f_0')).toBe('functions_f_0');
});

it.each([9, 40, 44, 64, 500])('makes ids of exactly %i letters and digits', (length) => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const id = alphanumericId(text, length);
      expect(id).toMatch(/^[A-Za-z0-9]*$/);
      expect(id).toHaveLength(length);
      expect(alphanumericId(text, length)).toBe(id);
    }),
  );
});
