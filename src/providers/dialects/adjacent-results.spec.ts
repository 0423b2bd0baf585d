// Goal: calls whose results follow together are in one turn. The results come first in the next turn. Errors still find
// each block, and nothing else moves. Method: neutral conversations.
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { withAdjacentResults, withResultsInFront } from './adjacent-results.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const call = (id: string): ContentBlock => ({ type: 'tool-use', id, name: 'f', input: {} });
const result = (toolUseId: string): ContentBlock => ({ type: 'tool-result', toolUseId, content: [] });
const turn = (role: Message['role'], ...content: ContentBlock[]): Message => ({ role, content });
const QUESTION = turn('user', text('Hello'));
const RESULTS = turn('user', result('a'), result('b'));

const joined = (...messages: Message[]): readonly Message[] => withAdjacentResults(modelRequest({ messages })).messages;

it('joins turns with no result between their calls, followed by the instructions between them', () => {
  const turns = joined(
    QUESTION,
    turn('assistant', text('First'), call('a')),
    turn('system', text('Be brief.')),
    turn('assistant', call('b')),
    turn('assistant', text('So')),
    RESULTS,
  );
  expect(turns).toEqual([
    QUESTION,
    {
      role: 'assistant',
      content: [text('First'), call('a'), call('b'), text('So')],
      paths: ['messages.1.content.0', 'messages.1.content.1', 'messages.3.content.0', 'messages.4.content.0'],
    },
    turn('system', text('Be brief.')),
    { ...RESULTS, paths: ['messages.5.content.0', 'messages.5.content.1'] },
  ]);
});

it('names what follows removed turns by the path where the caller sent it', () => {
  const behind = [turn('assistant', text('So')), turn('user', text('Well'))];
  const both = joined(QUESTION, turn('assistant', call('a')), turn('assistant', call('b')), RESULTS, ...behind);
  expect(both.at(-1)).toEqual({ ...behind[1], paths: ['messages.5.content.0'] });
  const answers = [turn('user', result('a')), QUESTION, turn('user', result('b'))];
  const fewer = joined(QUESTION, turn('assistant', call('a'), call('b')), ...answers, ...behind);
  expect(fewer.map(({ paths }) => paths?.[0])).toEqual([undefined, undefined, 'messages.2.content.0', undefined, 'messages.5.content.0', 'messages.6.content.0']);
}); // oxfmt-ignore

it.each<[string, Message[]]>([
  ['no calls', [QUESTION, turn('assistant', text('a')), turn('assistant', text('b')), QUESTION]],
  [
    'calls that are answered one by one',
    [QUESTION, turn('assistant', call('a')), turn('user', result('a')), turn('assistant', call('b'))],
  ],
  [
    'words in front of a call',
    [QUESTION, turn('assistant', text('a')), turn('assistant', call('a'), call('b')), RESULTS],
  ],
])('leaves a conversation of %s as it is', (_, messages) => {
  const request = modelRequest({ messages });
  expect(withAdjacentResults(request)).toBe(request);
});

const CALLS = turn('assistant', call('a'), call('b'));

it.each<[string, Message[], Message[]]>([
  [
    'words between results in one turn',
    [turn('user', result('a'), text('Wait'), result('b'))],
    [
      {
        ...turn('user', result('a'), result('b'), text('Wait')),
        paths: ['messages.2.content.0', 'messages.2.content.2', 'messages.2.content.1'],
      },
    ],
  ],
  [
    'words between results in several turns, and instructions',
    [turn('user', result('a')), turn('system', text('Be brief.')), QUESTION, turn('user', result('b'), text('Wait'))],
    [
      { ...turn('user', result('a'), result('b')), paths: ['messages.2.content.0', 'messages.5.content.0'] },
      turn('system', text('Be brief.')),
      QUESTION,
      { ...turn('user', text('Wait')), paths: ['messages.5.content.1'] },
    ],
  ],
  [
    'words in a turn before the results',
    [QUESTION, RESULTS],
    [
      {
        ...turn('user', result('a'), result('b'), text('Hello')),
        paths: ['messages.3.content.0', 'messages.3.content.1', 'messages.2.content.0'],
      },
    ],
  ],
])('puts results in front of %s', (_, answers, expected) => {
  const messages = [QUESTION, CALLS, ...answers];
  expect(joined(...messages)).toEqual([QUESTION, CALLS, ...expected]);
  expect(withResultsInFront(modelRequest({ messages })).messages).toEqual([QUESTION, CALLS, ...expected]);
});

it('keeps what the caller wrote of turns that stay as they are, and a name alone of those that change', () => {
  const origin = { vendor: 'anthropic', value: { role: 'user', content: 'Wait' } } as const;
  const named = { vendor: 'openai', value: { name: 'Ann' } } as const;
  const kept: Message = { ...turn('user', text('Wait')), origin };
  const [, , first, second] = joined(QUESTION, CALLS, { ...turn('user', result('a')), origin: named }, kept, {
    ...turn('user', result('b')),
    origin,
  });
  expect(first).toMatchObject({ content: [result('a'), result('b')], origin: named });
  expect(second).toBe(kept);
  expect(
    joined(QUESTION, CALLS, { ...turn('user', text('Well'), result('a'), result('b')), origin })[2],
  ).not.toHaveProperty('origin');
});

it('puts the results behind one with media in front of it, which some formats carry behind the results', () => {
  const content = [{ type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }] as const;
  const picture: ContentBlock = { type: 'tool-result', toolUseId: 'a', content };
  const turns = joined(QUESTION, CALLS, turn('user', picture), turn('user', result('b')));
  expect(turns.map(({ content }) => content)).toEqual([QUESTION.content, CALLS.content, [picture, result('b')]]);
});

it.each<[string, Message[]]>([
  ['instructions in front of the results', [turn('system', text('Be brief.')), RESULTS]],
  ['results in two turns', [turn('user', result('a')), turn('user', result('b'), text('Wait'))]],
])('leaves %s where they are', (_, answers) => {
  const request = modelRequest({ messages: [QUESTION, CALLS, ...answers] });
  expect(withAdjacentResults(request)).toBe(request);
  expect(withResultsInFront(request)).toBe(request);
});
