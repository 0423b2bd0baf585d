// Goal: vectors are the same after they were stored, in either encoding, and values of vendors that look like vectors
// stay as they are. Method: events that were read from a reply, printed and parsed.
import type { ModelEvent } from '../../core/conversation/event.js';
import type { Vector } from '../../core/conversation/task.js';
import { encodedVector } from '../../core/conversation/vectors.js';
import { parseJson, printJson } from '../../core/json/json.js';
import { parseWithNumberLists } from '../../core/json/number-lists.js';
import { doAtOnce } from '../../core/steps.js';
import { parseBatch, printBatch } from './event-lines.js';

const LONG = [...Array.from({ length: 15 }, () => '1'), '0.0023064255714416504'];

function vectorOf(numbers: readonly string[]): Vector {
  const { value, lists } = doAtOnce(parseWithNumberLists(Buffer.from(`{"e":[${numbers.join()}]}`), ['e']));
  const { e } = value as { readonly e: Vector };
  return lists.find(e) ?? e;
}

const endOf = (vectors: readonly Vector[]): ModelEvent =>
  ({
    type: 'reply-end',
    stop: { unified: 'computed', raw: null, vendor: 'openai' },
    computed: { kind: 'embeddings', vectors },
  }) satisfies ModelEvent;

function stored(vectors: readonly Vector[]): readonly Vector[] {
  const [end] = parseBatch(printBatch([endOf(vectors)]).trimEnd());
  if (end?.type !== 'reply-end' || end.computed?.kind !== 'embeddings') throw new Error('The vectors are lost.');
  return end.computed.vectors;
}

it.each([
  ['numbers', LONG],
  ['numbers of more digits than a double has', LONG.with(0, '0.02306425571441650390625')],
  ['exponents', LONG.with(0, '1e-400').with(1, '1E-05')],
  ['a few numbers', ['0.02306425571441650390625', '1']],
])('keeps a vector of %s', (_, numbers) => {
  const vector = vectorOf(numbers);
  const [kept] = stored([vector]);
  expect(encodedVector(kept!, 'base64')).toBe(
    encodedVector(vectorOf(numbers.map((one) => `${Number(one)}`)), 'base64'),
  );
  if (numbers.length > 2) expect(printJson(kept as object)).toBe(`[${numbers.join()}]`);
});

it('keeps base64', () => {
  expect(stored(['AACAPwAAAEA='])).toEqual(['AACAPwAAAEA=']);
});

it('leaves a value of a vendor with such a member as it is', () => {
  const value = parseJson(`{"vectors":[[${LONG.join()}],[${LONG.join()}]],"n":12345678901234567890}`) as object;
  const event = { type: 'reply-end', stop: { unified: 'end-turn', raw: null, vendor: 'openai' }, extras: { vendor: 'openai', value } }; // oxfmt-ignore
  const [kept] = parseBatch(printBatch([event as unknown as ModelEvent]).trimEnd());
  expect(printJson(kept as unknown as object)).toBe(printJson(event));
});
