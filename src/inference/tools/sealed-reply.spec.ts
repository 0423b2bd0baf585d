// A property over any steps, and cases that a caller may have changed: a reply that the chat format sent as one message
// becomes the turns of its steps again, byte for byte.
import fc from 'fast-check';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import {
  BETWEEN_TEXTS,
  textIn,
  SealedReply,
  countReasoningBlocks,
  toolResult,
  type SealedUse,
} from './sealed-reply.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const thought = (words: string): ContentBlock => ({ type: 'thinking', thinking: words, signature: `of ${words}` });
const ours = (id: string): ContentBlock => ({ type: 'tool-use', id, name: 'lookup', input: { id } });
const callers: ContentBlock = { type: 'tool-use', id: 'c', name: 'look', input: {} };
const isThought = ({ type }: ContentBlock): boolean => type === 'thinking' || type === 'redacted-thinking';
const paths = (blocks: readonly ContentBlock[]): string[] => blocks.map((_, index) => `${index}`);

/** A step's turn: reasoning, text, calls of the gateway's tools; the last one calls the caller's tools as well. */
function turnsOf(steps: readonly { readonly thinks: number; readonly words: string; readonly calls: number }[]): Message[] {
  return steps.map(({ thinks, words, calls }, step) => ({
    role: 'assistant',
    content: [
      ...Array.from({ length: thinks }, (_, index) => thought(`${step} ${index}`)),
      ...(words === '' ? [] : [text(words)]),
      ...Array.from({ length: calls }, (_, index) => ours(`${step}-${index}`)),
      ...(step === steps.length - 1 ? [callers] : []),
    ],
  }));
} // oxfmt-ignore

function usesOf(turns: readonly Message[]): SealedUse[] {
  let thoughts = 0;
  return turns.flatMap((turn, index) => {
    thoughts += countReasoningBlocks(turn);
    const beside = { isError: false, step: index + 1, isShared: turn.content.includes(callers), said: textIn(turn), thoughts };
    return turn.content.flatMap((block) =>
      block.type === 'tool-use' && block !== callers
        ? [{ id: block.id, name: block.name, input: block.input ?? {}, text: `of ${block.id}`, ...beside }]
        : [],
    );
  });
} // oxfmt-ignore

/** The steps as the chat format sends them, read again when they come back. */
function replyOf(turns: readonly Message[], uses: readonly SealedUse[], words = turns.map(textIn)): SealedReply {
  const reply = new SealedReply();
  const thoughts = turns.flatMap(({ content }) => content.filter(isThought));
  const content = words.filter((word) => word !== '').join(BETWEEN_TEXTS);
  for (const block of thoughts) reply.add(block, 'thought');
  for (const use of uses) reply.addUse(use, 'use');
  if (content !== '') reply.add(text(content), 'content');
  reply.add(callers, 'call');
  return reply;
}

const withoutPaths = (turns: readonly Message[]): Message[] => turns.map(({ role, content }) => ({ role, content }));

it('restores the turns of its steps', () => {
  const step = fc.record({
    thinks: fc.nat({ max: 2 }),
    words: fc.constantFrom('', 'one', 'one\n\ntwo', '\n\n', 'two'),
    calls: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      const turns = turnsOf(steps);
      const uses = usesOf(turns);
      const { turns: found, results } = replyOf(turns, uses).finish();
      const resultsOf = (number: number): ContentBlock[] =>
        uses
          .filter((use) => use.step === number)
          .map((use) => toolResult(use.id, { text: use.text, isError: false, sources: undefined }));
      const due = turns.flatMap((turn, index): Message[] =>
        index === turns.length - 1 ? [turn] : [turn, { role: 'user', content: resultsOf(index + 1) }],
      );
      expect(withoutPaths(found)).toEqual(due);
      expect(results).toEqual(resultsOf(turns.length));
    }),
    { seed: 18, numRuns: 300 },
  );
});

const STEPS = turnsOf([
  { thinks: 1, words: 'one', calls: 1 },
  { thinks: 1, words: 'two', calls: 0 },
]);
const shapes = (reply: SealedReply): string[] =>
  reply
    .finish()
    .turns.map(({ content }) => content.map((block) => (block.type === 'text' ? block.text : block.type)).join());

it.each<[string, SealedReply, string[]]>([
  ['text that the caller has changed', replyOf(STEPS, usesOf(STEPS), ['won', 'two']), ['thinking,tool-use', 'tool-result', 'thinking,won\n\ntwo,tool-use']],
  ['reasoning that the caller has left out', replyOf(STEPS.map(({ content }) => ({ role: 'assistant', content: content.slice(1) })), usesOf(STEPS)), ['one,tool-use', 'tool-result', 'two,tool-use']],
  ['uses that were left out for their length', replyOf(STEPS, []), ['thinking,thinking,one\n\ntwo,tool-use']],
])('keeps with the last step %s', (_, reply, expected) => {
  expect(shapes(reply)).toEqual(expected);
}); // oxfmt-ignore

it('restores a repeated use once', () => {
  const uses = usesOf(STEPS);
  expect(shapes(replyOf(STEPS, [...uses, ...uses]))).toEqual(shapes(replyOf(STEPS, uses)));
});

it('restores a piece of reasoning once, also where the entries of a later step come first', () => {
  const steps = turnsOf(Array.from({ length: 3 }, () => ({ thinks: 1, words: '', calls: 1 })));
  const [first, second, last] = usesOf(steps) as [SealedUse, SealedUse, SealedUse];
  expect(shapes(replyOf(steps, [second, first, last]))).toEqual([
    'thinking,thinking,tool-use',
    'tool-result',
    'tool-use',
    'tool-result',
    'thinking,tool-use,tool-use',
  ]);
});

it('keeps the path of each block', () => {
  const { turns } = replyOf(STEPS, usesOf(STEPS)).finish();
  expect(turns.map(({ content, paths: blockPaths = paths(content) }) => blockPaths)).toEqual([
    ['thought', 'content', 'use'],
    ['0'],
    ['thought', 'content', 'call'],
  ]);
});
