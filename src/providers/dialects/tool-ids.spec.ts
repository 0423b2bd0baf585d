// Goal: ids of tool calls are mapped one to one, only where necessary, and in the same way in every turn. Method:
// properties over any ids, with a rule whose stand-ins collide often.
import fc from 'fast-check';
import type { Message, ToolResultBlock, ToolUseBlock } from '../../core/conversation/content.js';
import { doAtOnce } from '../../core/steps.js';
import { alphanumericId, hashedId, ToolIds, type ToolIdRule } from './tool-ids.js';

const roundOf = (ids: readonly string[]): [ToolUseBlock[], ToolResultBlock[]] => [
  ids.map((id) => ({ type: 'tool-use', id, name: 'f', input: {} })),
  ids.map((toolUseId) => ({ type: 'tool-result', toolUseId, content: [] })),
];
const historyOf = (rounds: readonly (readonly [ToolUseBlock[], ToolResultBlock[]])[]): Message[] =>
  rounds.flatMap(([calls, results]): Message[] => [
    { role: 'assistant', content: calls },
    { role: 'user', content: results },
  ]);
const LEGAL = /^[\w-]{1,20}$/;
const HASHED: ToolIdRule = { isLegal: (id) => LEGAL.test(id), standIn: (text) => hashedId(text, 20) };
/** A rule with only a hundred ids. */
const CROWDED: ToolIdRule = {
  isLegal: (id) => /^\d\d$/.test(id),
  standIn: (text) =>
    String(Number.parseInt(Buffer.from(hashedId(text, 20)).toString('hex').slice(-6), 16) % 100).padStart(2, '0'),
};
const anyIds = fc.uniqueArray(fc.oneof(fc.string(), fc.stringMatching(/^\d\d$/), fc.constantFrom('a', 'a.b', 'a_b')), {
  minLength: 1,
  maxLength: 6,
});

describe.each([
  ['hashed', HASHED],
  ['crowded', CROWDED],
])('ids, %s', (_name, rule) => {
  it('are legal, one for each call and its result, and stay when the conversation grows', () => {
    fc.assert(
      fc.property(fc.array(anyIds, { minLength: 1, maxLength: 4 }), (given) => {
        const rounds = given.map(roundOf);
        const mapped = doAtOnce(ToolIds.of(historyOf(rounds), rule));
        const wire = rounds.flatMap(([calls]) => calls.map((call) => mapped.toWire(call)));
        expect(new Set(wire).size).toBe(wire.length);
        expect(wire.every((id) => rule.isLegal(id))).toBe(true);
        expect(rounds.flatMap(([, results]) => results.map((result) => mapped.toWire(result)))).toEqual(wire);
        for (let length = 1; length < rounds.length; length++) {
          const shorter = doAtOnce(ToolIds.of(historyOf(rounds.slice(0, length)), rule));
          const part = rounds.slice(0, length).flatMap(([calls]) => calls.map((call) => shorter.toWire(call)));
          expect(wire.slice(0, part.length)).toEqual(part);
        }
      }),
    );
  });

  it('are unchanged where they are legal and not yet taken', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^\d\d$/), { minLength: 1, maxLength: 9 }), (given) => {
        const [calls, results] = roundOf(given);
        const mapped = doAtOnce(ToolIds.of(historyOf([[calls, results]]), rule));
        expect([...calls, ...results].map((block) => mapped.toWire(block))).toEqual([...given, ...given]);
      }),
    );
  });
});

it('distinguishes ids that differ in one illegal character', () => {
  const [calls, results] = roundOf(['functions.f:0', 'functions:f.0', 'functions_f_0']);
  const mapped = doAtOnce(ToolIds.of(historyOf([[calls, results]]), HASHED));
  expect(new Set(calls.map((call) => mapped.toWire(call))).size).toBe(3);
  expect(mapped.toWire(calls[2]!)).toBe('functions_f_0');
});

it('tries no stand-in twice for an id that every turn has', () => {
  let tried = 0;
  const counting: ToolIdRule = { ...HASHED, standIn: (text) => (tried++, hashedId(text, 20)) };
  const rounds = Array.from({ length: 500 }, () => roundOf(['call_0']));
  const mapped = doAtOnce(ToolIds.of(historyOf(rounds), counting));
  expect(new Set(rounds.map(([[call]]) => mapped.toWire(call!))).size).toBe(500);
  expect(tried).toBe(499);
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

it('maps a long conversation in steps, once for all who ask', () => {
  const history = historyOf(Array.from({ length: 3_000 }, (_, round) => roundOf([`é${round % 2_000}`, `c${round}`])));
  expect([...ToolIds.of(history, HASHED)].length).toBeGreaterThan(5);
  const ids = doAtOnce(ToolIds.of(history, HASHED));
  expect([...ToolIds.of(history, HASHED)]).toEqual([]);
  expect(ToolIds.anyOf(history)).toBe(ids);
  expect(doAtOnce(ToolIds.of(history, { ...HASHED }))).not.toBe(ids);
});

it('knows the ids of a conversation that was never mapped', () => {
  const ids = ToolIds.anyOf(historyOf([roundOf(['a', 'é'])]));
  expect([ids.has('a'), ids.has('é'), ids.has('b')]).toEqual([true, true, false]);
});

it('an empty one is no id, whatever else is legal', () => {
  const [calls, results] = roundOf(['']);
  const ids = doAtOnce(ToolIds.of(historyOf([[calls, results]]), { ...HASHED, isLegal: () => true }));
  expect(ids.toWire(calls[0]!)).toMatch(LEGAL);
  expect(ids.toWire(results[0]!)).toBe(ids.toWire(calls[0]!));
});
