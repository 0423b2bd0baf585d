// A shortened conversation fits, keeps its order, whole turns, tool calls with their results and the last question, and
// is not shortened further. Checked on random and hand-made conversations.
import * as fc from 'fast-check';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { blockPath, type ContentBlock, type Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { estimateInputTokens } from '../../core/money/estimate.js';
import { doAtOnce } from '../../core/steps.js';
import { middleOut, type ContextLimits } from './middle-out.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });

/** A turn of each side with tool calls between them, each with signed thinking before it. */
const exchange = fc
  .record({
    questionLength: fc.integer({ min: 1, max: 4_000 }),
    tools: fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 3 }),
  })
  .map(({ questionLength, tools }) => (at: number): Message[] => [
    user(text('q'.repeat(questionLength))),
    ...tools.flatMap((length, step) => [
      assistant(
        { type: 'thinking', thinking: 'hm', signature: `s${at}.${step}` },
        { type: 'tool-use', id: `t${at}.${step}`, name: 'look', input: {} },
      ),
      user({ type: 'tool-result', toolUseId: `t${at}.${step}`, content: [{ type: 'text', text: 'r'.repeat(length) }] }),
    ]),
    assistant(text('a'.repeat(questionLength))),
  ]);
const conversation = fc
  .tuple(fc.array(exchange, { maxLength: 12 }), fc.integer({ min: 1, max: 6_000 }))
  .map(([turns, last]) => [...turns.flatMap((make, at) => make(at)), user(text('l'.repeat(last)))]);

const request = (messages: readonly Message[]) =>
  modelRequest({ system: [{ type: 'text', text: 'Be kind.' }], messages });
const shorten = (long: ModelRequest, room: ContextLimits) => doAtOnce(middleOut(long, room));
/** The original indexes of the kept messages. */
const indexesOf = (left: readonly Message[], messages: readonly Message[]): number[] =>
  left.map(({ content }) => messages.findIndex((message) => message.content === content));
const idsOf = (messages: readonly Message[], type: 'tool-use' | 'tool-result') =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== type) return [];
      return block.type === 'tool-use' ? block.id : block.type === 'tool-result' ? block.toolUseId : [];
    }),
  );

it('keeps whole turns in order, and the result fits and is not shortened further', () => {
  fc.assert(
    fc.property(conversation, fc.integer({ min: 200, max: 8_000 }), (messages, tokensMax) => {
      const room = { tokensMax, messagesMax: Infinity };
      const shorter = shorten(request(messages), room);
      if (!shorter) {
        expect(estimateInputTokens(request(messages))).toBeLessThanOrEqual(tokensMax);
        return;
      }
      const { messages: left, cut } = shorter;
      expect(shorten(request(left), room)).toBeUndefined();
      expect(estimateInputTokens(request(left))).toBeLessThanOrEqual(tokensMax);
      expect(idsOf(left, 'tool-use')).toEqual(idsOf(left, 'tool-result'));
      expect(left[0]!.role).toBe('user');
      expect(left.at(-1)!.role).toBe('user');
      if (cut > 0) return;
      const indexes = indexesOf(left, messages);
      expect(indexes.at(-1)).toBe(messages.length - 1);
      expect(indexes).toEqual([...indexes].sort((one, other) => one - other));
      expect(indexes).not.toContain(-1);
      expect(new Set(indexes).size).toBe(indexes.length);
    }),
    { numRuns: 200 },
  );
});

it('removes from the middle', () => {
  const messages = Array.from({ length: 21 }, (_, at) => (at % 2 ? assistant : user)(text(`${at}:${'x'.repeat(396)}`)));
  const { messages: left } = shorten(request(messages), { tokensMax: 1_000, messagesMax: Infinity })!;
  expect(indexesOf(left, messages)).toEqual([0, 1, 2, 3, 4, 17, 18, 19, 20]);
});

it('keeps half of the permitted messages at either end', () => {
  const messages = Array.from({ length: 1_201 }, (_, at) => (at % 2 ? assistant : user)(text(String(at))));
  const { messages: left } = shorten(request(messages), { tokensMax: Infinity, messagesMax: 1_000 })!;
  expect(left).toHaveLength(1_000);
  expect(indexesOf(left, messages).slice(499, 501)).toEqual([499, 701]);
});

it('keeps the question of a tool loop, and its last step', () => {
  const steps = Array.from({ length: 10 }, (_, at) => [
    assistant(
      { type: 'thinking', thinking: '', signature: 's' },
      { type: 'tool-use', id: `t${at}`, name: 'f', input: {} },
    ),
    user({ type: 'tool-result', toolUseId: `t${at}`, content: [{ type: 'text', text: 'r'.repeat(400) }] }),
  ]).flat();
  const messages = [user(text('What is it?')), ...steps];
  const { messages: left } = shorten(request(messages), { tokensMax: 250, messagesMax: Infinity })!;
  expect(indexesOf([left[0]!, ...left.slice(-2)], messages)).toEqual([0, 19, 20]);
  expect(left.length).toBeLessThan(8);
});

it('cuts the middle of a question that is too long by itself, without splitting characters', () => {
  const message: Message = {
    ...user(text(`begins ${'ü€😀'.repeat(5_000)} ends`)),
    origin: { vendor: 'anthropic', value: {} },
  };
  const shorter = shorten(request([message]), { tokensMax: 500, messagesMax: Infinity })!;
  expect(shorter.cut).toBe(1);
  const [left] = shorter.messages;
  expect(left).not.toHaveProperty('origin');
  const [block] = left!.content;
  expect(block).toMatchObject({ text: expect.stringMatching(/^begins .*\n…\n.* ends$/su) as string });
  expect(JSON.stringify(block)).not.toContain('\ufffd');
});

it('cuts the results of one step to the same length, however many there are', () => {
  const uses = Array.from({ length: 1_000 }, (_, at): ContentBlock => ({ type: 'tool-use', id: `t${at}`, name: 'f', input: {} })); // oxfmt-ignore
  const results = uses.map((_, at): ContentBlock => ({
    type: 'tool-result',
    toolUseId: `t${at}`,
    content: [{ type: 'text', text: 'ü'.repeat(at % 2 ? 100 : 1_000) }],
    origin: { vendor: 'anthropic', value: {} },
  }));
  const messages = [user(text('?')), assistant(...uses), user(...results)];
  const { messages: left, cut } = shorten(request(messages), { tokensMax: 200_000, messagesMax: Infinity })!;
  expect([left.length, cut]).toEqual([3, 500]);
  expect(estimateInputTokens(request(left))).toBeLessThanOrEqual(200_000);
  expect(estimateInputTokens(request(left))).toBeGreaterThan(190_000);
  const [cutResult, wholeResult] = left[2]!.content;
  expect([cutResult, wholeResult]).toEqual([
    expect.not.objectContaining({ origin: expect.anything() as object }),
    results[1],
  ]);
});

it('returns undefined where nothing helps', () => {
  expect(shorten(request([user(text('x'.repeat(4_000)))]), { tokensMax: 10, messagesMax: 1_000 })).toBeUndefined();
});

it('keeps the original paths of blocks, which errors name', () => {
  const messages = Array.from({ length: 21 }, (_, at) => (at % 2 ? assistant : user)(text(`${at}:${'x'.repeat(396)}`)));
  messages[19] = { ...messages[19]!, paths: ['messages.40.content.1'] };
  const { messages: left } = shorten(request(messages), { tokensMax: 1_000, messagesMax: Infinity })!;
  const paths = left.map((message, index) => blockPath(message, index, 0));
  const stood = (at: number): string => `messages.${at}.content.0`;
  expect(paths).toEqual([0, 1, 2, 3, 4, 17, 18, 19, 20].map((at) => (at === 19 ? 'messages.40.content.1' : stood(at))));
});

describe('1 MB does not block the event loop', () => {
  const HELD_MS_MAX = 20;
  const many = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
  const use = (id: string): ContentBlock => ({ type: 'tool-use', id, name: 'f', input: {} });
  const result = (toolUseId: string, ...content: ContentBlock[]): ContentBlock =>
    ({ type: 'tool-result', toolUseId, content }) as ContentBlock;
  const short = Array.from({ length: 50_001 }, (_, at) => (at % 2 ? assistant : user)(text('x'.repeat(20))));

  /** Longest of all steps, in milliseconds. */
  function longestStep(messages: readonly Message[], room: ContextLimits): number {
    const steps = middleOut(request(messages), room);
    for (let longest = 0; ;) {
      let done = false as boolean | undefined;
      longest = Math.max(
        longest,
        computedMs(() => {
          const step = steps.next();
          done = step.done;
          if (step.done) expect(step.value).toBeDefined();
        }),
      );
      if (done) return longest;
    }
  }

  it.each<[string, readonly Message[], number, number?]>([
    ['of one text', [user(text('x'.repeat(1_000_000)))], 8_192],
    ['of turns', Array.from({ length: 2_001 }, (_, at) => (at % 2 ? assistant : user)(text('x'.repeat(500)))), 8_192],
    ['of 50,001 short turns, of which few stay', short, 8_192],
    ['of 50,001 short turns, of which most stay', short, 440_000],
    ['of 50,001 short turns, of which a thousand may stay', short, 1_000_000, 1_000],
    ['of 50,000 short texts of one turn', [user(...Array.from({ length: 50_000 }, () => text('x'.repeat(300))))], 3_400_000], // oxfmt-ignore
    [
      'of a thousand calls, each with its result',
      [user(text('?')), ...many.flatMap((id) => [assistant(use(id)), user(result(id, text('ü'.repeat(500))))])],
      150_000,
    ],
    [
      'of results of one step',
      [user(text('?')), assistant(...many.map(use)), user(...many.map((id) => result(id, text('ü'.repeat(500)))))],
      150_000,
    ],
  ])('%s', async (_, messages, tokensMax, messagesMax = Infinity) => {
    const longest = (): number => longestStep(messages, { tokensMax, messagesMax });
    expect(await fastest(longest, HELD_MS_MAX)).toBeLessThan(HELD_MS_MAX);
  });
});
