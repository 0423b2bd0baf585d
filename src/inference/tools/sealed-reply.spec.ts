// Goal: a reply that the chat format told as one message is, when it comes back, the turns of its steps again, byte for
// byte. Method: as a property, steps of any kind told as chat tells them; then what a caller may have changed.
import fc from 'fast-check';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { BETWEEN_TEXTS, saidIn, SealedReply, thoughtsIn, toolResult, type SealedUse } from './sealed-reply.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const thought = (words: string): ContentBlock => ({ type: 'thinking', thinking: words, signature: `of ${words}` });
const ours = (id: string): ContentBlock => ({ type: 'tool-use', id, name: 'lookup', input: { id } });
const callers: ContentBlock = { type: 'tool-use', id: 'c', name: 'look', input: {} };
const isThought = ({ type }: ContentBlock): boolean => type === 'thinking' || type === 'redacted-thinking';
const paths = (blocks: readonly ContentBlock[]): string[] => blocks.map((_, place) => `${place}`);

/** A step's turn: reasoning, words, calls of the gateway's tools; the last one calls the caller's as well. */
function turnsOf(steps: readonly { readonly thinks: number; readonly words: string; readonly calls: number }[]): Message[] {
  return steps.map(({ thinks, words, calls }, step) => ({
    role: 'assistant',
    content: [
      ...Array.from({ length: thinks }, (_, place) => thought(`${step} ${place}`)),
      ...(words === '' ? [] : [text(words)]),
      ...Array.from({ length: calls }, (_, place) => ours(`${step}-${place}`)),
      ...(step === steps.length - 1 ? [callers] : []),
    ],
  }));
} // oxfmt-ignore

function usesOf(turns: readonly Message[]): SealedUse[] {
  let thoughts = 0;
  return turns.flatMap((turn, index) => {
    thoughts += thoughtsIn(turn);
    const beside = { isError: false, step: index + 1, isShared: turn.content.includes(callers), said: saidIn(turn), thoughts };
    return turn.content.flatMap((block) =>
      block.type === 'tool-use' && block !== callers
        ? [{ id: block.id, name: block.name, input: block.input ?? {}, text: `of ${block.id}`, ...beside }]
        : [],
    );
  });
} // oxfmt-ignore

/** What chat tells of the steps, as it is read when it comes back. */
function told(turns: readonly Message[], uses: readonly SealedUse[], words = turns.map(saidIn)): SealedReply {
  const reply = new SealedReply();
  const thoughts = turns.flatMap(({ content }) => content.filter(isThought));
  const content = words.filter((said) => said !== '').join(BETWEEN_TEXTS);
  for (const block of thoughts) reply.add(block, 'thought');
  for (const use of uses) reply.addUse(use, 'use');
  if (content !== '') reply.add(text(content), 'content');
  reply.add(callers, 'call');
  return reply;
}

const withoutPaths = (turns: readonly Message[]): Message[] => turns.map(({ role, content }) => ({ role, content }));

it('is the turns of its steps again', () => {
  const step = fc.record({
    thinks: fc.nat({ max: 2 }),
    words: fc.constantFrom('', 'one', 'one\n\ntwo', '\n\n', 'two'),
    calls: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      const turns = turnsOf(steps);
      const uses = usesOf(turns);
      const { turns: found, results } = told(turns, uses).finish();
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
  ['words that the caller has changed', told(STEPS, usesOf(STEPS), ['won', 'two']), ['thinking,tool-use', 'tool-result', 'thinking,won\n\ntwo,tool-use']],
  ['reasoning that the caller has left out', told(STEPS.map(({ content }) => ({ role: 'assistant', content: content.slice(1) })), usesOf(STEPS)), ['one,tool-use', 'tool-result', 'two,tool-use']],
  ['uses that were left out for their length', told(STEPS, []), ['thinking,thinking,one\n\ntwo,tool-use']],
])('keeps with the last step %s', (_, reply, expected) => {
  expect(shapes(reply)).toEqual(expected);
}); // oxfmt-ignore

it('tells a use once that comes twice', () => {
  const uses = usesOf(STEPS);
  expect(shapes(told(STEPS, [...uses, ...uses]))).toEqual(shapes(told(STEPS, uses)));
});

it('tells a piece of reasoning once, also where the entries of a later step come first', () => {
  const steps = turnsOf(Array.from({ length: 3 }, () => ({ thinks: 1, words: '', calls: 1 })));
  const [first, second, last] = usesOf(steps) as [SealedUse, SealedUse, SealedUse];
  expect(shapes(told(steps, [second, first, last]))).toEqual([
    'thinking,thinking,tool-use',
    'tool-result',
    'tool-use',
    'tool-result',
    'thinking,tool-use,tool-use',
  ]);
});

it('says where each block stood', () => {
  const { turns } = told(STEPS, usesOf(STEPS)).finish();
  expect(turns.map(({ content, paths: places = paths(content) }) => places)).toEqual([
    ['thought', 'content', 'use'],
    ['0'],
    ['thought', 'content', 'call'],
  ]);
});
