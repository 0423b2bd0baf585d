// Random conversations and edits, and some by hand: exactly what was requested is cleared; calls stay with their
// results, reasoning stays whole, and cleared content is not cleared again.
import * as fc from 'fast-check';
import { modelRequest } from '../../../test/support/model-request.js';
import { estimateInputTokens } from '../money/estimate.js';
import { doAtOnce } from '../steps.js';
import { clearContext, CLEARED_RESULT, type ClearedContext } from './clear-context.js';
import type { ContentBlock, Message, ToolResultBlock, ToolUseBlock } from './content.js';
import { readContextEdits, type ClearToolUses, type ContextEdit } from './context-edits.js';
import type { ModelRequest } from './request.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const origin = { vendor: 'anthropic', value: { strange: true } } as const;
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content, origin });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content, origin });
const thought = (signature: string): ContentBlock => ({ type: 'thinking', thinking: 'hm '.repeat(9), signature });
const use = (id: string, name = 'look', input: object = { at: 'x'.repeat(50) }): ContentBlock => ({
  type: 'tool-use',
  id,
  name,
  input: input as never,
  origin,
});
const result = (id: string, words = 'r'.repeat(400)): ContentBlock => ({
  type: 'tool-result',
  toolUseId: id,
  content: [{ type: 'text', text: words }],
  origin,
});

const TOOLS = ['look', 'find', 'memory'] as const;
const step = fc.record({
  calls: fc.array(fc.record({ name: fc.constantFrom(...TOOLS), length: fc.integer({ min: 0, max: 900 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  thinks: fc.constantFrom('no', 'signed', 'sealed'),
});
const turn = fc.record({ steps: fc.array(step, { maxLength: 3 }), thinks: fc.boolean(), isAlone: fc.boolean() });
const conversation = fc
  .tuple(fc.array(turn, { maxLength: 6 }), fc.boolean())
  .map(([turns, endsInLoop]): readonly Message[] => {
    const messages = turns.flatMap(({ steps, thinks, isAlone }, at) => [
      user(text('?')),
      ...steps.flatMap(({ calls, thinks: how }, index) => [
        assistant(
          ...(how === 'no' ? [] : [how === 'signed' ? thought(`${at}.${index}`) : sealed(`${at}.${index}`)]),
          // Some models number their calls anew in each turn.
          ...calls.map(({ name }, position) => use(`call_${index}_${position}`, name)),
        ),
        user(...calls.map(({ length }, position) => result(`call_${index}_${position}`, 'r'.repeat(length)))),
      ]),
      assistant(...(thinks ? [thought(`${at}`)] : []), ...(isAlone && thinks ? [] : [text('!')])),
    ]);
    return endsInLoop ? messages.slice(0, -1) : [...messages, user(text('?'))];
  });
const sealed = (data: string): ContentBlock => ({ type: 'redacted-thinking', data });

const clearUses = fc.record({
  type: fc.constant('clear_tool_uses_20250919' as const),
  trigger: fc.record({
    type: fc.constantFrom('input_tokens' as const, 'tool_uses' as const),
    value: fc.integer({ min: 0, max: 600 }).map((value) => (value > 300 ? value : value % 12)),
  }),
  keep: fc.integer({ min: 0, max: 5 }),
  clearAtLeast: fc.constantFrom(0, 0, 50, 300),
  excluded: fc.subarray([...TOOLS]).map((names) => new Set<string>(names)),
  inputs: fc.oneof(
    fc.boolean(),
    fc.subarray([...TOOLS]).map((names) => new Set<string>(names)),
  ),
});
const clearThinking = fc.record({
  type: fc.constant('clear_thinking_20251015' as const),
  keep: fc.constantFrom(1, 2, 3, Infinity, undefined),
});

const request = (messages: readonly Message[]): ModelRequest => modelRequest({ messages });
const clear = (messages: readonly Message[], ...edits: ContextEdit[]): ClearedContext =>
  doAtOnce(clearContext(request(messages), edits));

interface Pair {
  readonly use: ToolUseBlock;
  readonly result: ToolResultBlock;
}
const pairsIn = (messages: readonly Message[]): Pair[] => {
  const open = new Map<string, ToolUseBlock>();
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'tool-use') open.set(block.id, block);
      return block.type === 'tool-result' ? { use: open.get(block.toolUseId)!, result: block } : [];
    }),
  );
};
const isThought = ({ type }: ContentBlock): boolean => type === 'thinking' || type === 'redacted-thinking';

it('clears old results and nothing else, as far as requested', () => {
  fc.assert(
    fc.property(conversation, clearUses, (messages, edit: ClearToolUses) => {
      const { request: left, applied } = clear(messages, edit);
      const [before, after] = [pairsIn(messages), pairsIn(left.messages)];
      expect(after.map(({ use: { id, name } }) => [id, name])).toEqual(
        before.map(({ use: { id, name } }) => [id, name]),
      );
      const isPast =
        edit.trigger.type === 'tool_uses'
          ? before.length > edit.trigger.value
          : estimateInputTokens(request(messages)) > edit.trigger.value;
      const changed = after.filter((pair, at) => pair.use !== before[at]!.use || pair.result !== before[at]!.result);
      expect(changed.length).toBe(applied[0]?.['cleared_tool_uses'] ?? 0);
      if (!isPast) expect(changed).toEqual([]);
      expect(after.slice(-edit.keep || Infinity)).toEqual(before.slice(-edit.keep || Infinity));
      for (const [at, pair] of after.entries()) {
        const old = before[at]!;
        if (edit.excluded.has(pair.use.name)) expect(pair).toEqual(old);
        const mayClearInput = edit.inputs === true || (edit.inputs !== false && edit.inputs.has(pair.use.name));
        if (pair.use !== old.use)
          expect([mayClearInput, pair.use.input, pair.use.origin]).toEqual([true, {}, undefined]);
        if (pair.result === old.result) continue;
        expect(pair.result).toEqual({
          type: 'tool-result',
          toolUseId: old.result.toolUseId,
          content: [{ type: 'text', text: CLEARED_RESULT }],
        });
      }
      // Everything else is unchanged.
      const rest = (all: readonly Message[]): unknown =>
        all.map(({ role, content }) => [role, content.filter(({ type }) => !type.startsWith('tool-'))]);
      expect(rest(left.messages)).toEqual(rest(messages));
      if (changed.length === 0) {
        expect(left.messages).toBe(messages);
        return;
      }
      const cleared = applied[0]!.cleared_input_tokens;
      expect(cleared).toBeGreaterThanOrEqual(edit.clearAtLeast);
      const saved = estimateInputTokens(request(messages)) - estimateInputTokens(left);
      expect(Math.abs(saved - cleared)).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

it('clears reasoning in whole blocks, of the oldest turns, and never of the last turn that has any', () => {
  fc.assert(
    fc.property(conversation, clearThinking, (messages, edit) => {
      const { request: left, applied } = clear(messages, edit);
      const of = (all: readonly Message[]): readonly ContentBlock[] =>
        all.flatMap(({ content }) => content.filter(isThought));
      const [before, after] = [of(messages), of(left.messages)];
      for (const block of after) expect(before).toContain(block);
      expect(pairsIn(left.messages)).toEqual(pairsIn(messages));
      expect(left.messages.every(({ content }) => content.length > 0)).toBe(true);
      expect(left.messages).toHaveLength(messages.length);
      for (const { content, paths } of left.messages) if (paths) expect(paths).toHaveLength(content.length);
      if (edit.keep === undefined || edit.keep === Infinity) expect([left.messages, applied]).toEqual([messages, []]);
      if (before.length > 0) expect(after.at(-1)).toBe(before.at(-1));
      expect(applied.length).toBe(after.length < before.length ? 1 : 0);
      const turnsOf = (blocks: readonly ContentBlock[]): number =>
        new Set(blocks.map((block) => (block.type === 'thinking' ? block.signature! : (block as never as { data: string }).data).split('.')[0])).size; // oxfmt-ignore
      expect(turnsOf(after)).toBeGreaterThanOrEqual(Math.min(turnsOf(before), edit.keep ?? Infinity));
    }),
    { numRuns: 500 },
  );
});

it('clears nothing on a second pass', () => {
  const edits = fc.array(fc.oneof(clearUses, clearThinking), { maxLength: 3 });
  fc.assert(
    fc.property(conversation, edits, (messages, list) => {
      expect(clear(clear(messages, ...list).request.messages, ...list).applied).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

describe('edits of a request', () => {
  const edits = (...list: object[]) => readContextEdits({ vendor: 'anthropic', value: { edits: list as never } });

  it('have the defaults of their vendor', () => {
    expect(edits({ type: 'clear_tool_uses_20250919' }, { type: 'clear_thinking_20251015' })?.clearing).toEqual([
      {
        type: 'clear_tool_uses_20250919',
        trigger: { type: 'input_tokens', value: 100_000 },
        keep: 3,
        clearAtLeast: 0,
        excluded: new Set(),
        inputs: false,
      },
      { type: 'clear_thinking_20251015', keep: undefined },
    ]);
  });

  it.each<[unknown, number | undefined]>([
    ['all', Infinity],
    [{ type: 'all' }, Infinity],
    [{ type: 'thinking_turns', value: 4 }, 4],
    [{ type: 'thinking_turns', value: 0 }, 1],
  ])('keep turns: %j', (keep, turns) => {
    expect(edits({ type: 'clear_thinking_20251015', keep })?.clearing).toMatchObject([{ keep: turns }]);
  });

  it('leave the other edits to the vendor', () => {
    const compact = { type: 'compact_20260112' };
    expect(edits({ type: 'clear_thinking_20251015' }, compact)?.rest?.value).toEqual({ edits: [compact] });
    expect(edits(compact)).toBeUndefined();
    expect(edits()).toBeUndefined();
    expect(
      readContextEdits({ vendor: 'openai', value: { edits: [{ type: 'clear_thinking_20251015' }] } }),
    ).toBeUndefined();
  });
});

it('keeps the original paths of blocks for errors', () => {
  const { request: left } = clear(
    [
      user(text('?')),
      assistant(thought('a'), text('!')),
      user(text('?')),
      assistant(thought('b'), text('!')),
      user(text('?')),
    ],
    { type: 'clear_thinking_20251015', keep: 1 },
  );
  expect(left.messages[1]).toEqual({ role: 'assistant', content: [text('!')], paths: ['messages.1.content.1'] });
});

it('reads a long conversation in many steps, and all of it', () => {
  const messages = Array.from({ length: 1_000 }, (_, at) => [
    user(text('?')),
    assistant(thought('s'), use(`t${at}`, 'look', { at: 'x'.repeat(100) })),
    user(result(`t${at}`, 'r'.repeat(1_000))),
  ]).flat();
  const keep = { type: 'thinking_turns', value: 1 };
  const edits = [{ type: 'clear_thinking_20251015', keep }, { type: 'clear_tool_uses_20250919', clear_tool_inputs: true }]; // oxfmt-ignore
  const steps = clearContext(request(messages), readContextEdits({ vendor: 'anthropic', value: { edits } })!.clearing);
  let count = 1;
  let taken = steps.next();
  for (; !taken.done; taken = steps.next()) count++;
  expect(taken.value.applied).toMatchObject([{ cleared_thinking_turns: 999 }, { cleared_tool_uses: 997 }]);
  // 4,000 blocks and 3,000 messages, read several times, 500 a step.
  expect(count).toBeGreaterThan(20);
});
