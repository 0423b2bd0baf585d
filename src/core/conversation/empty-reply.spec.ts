// An empty reply is an answer where its stop reason or its request explains it, and no answer elsewhere.
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock, Message } from './content.js';
import { isEmptyReply } from './empty-reply.js';
import type { BlockDelta, BlockStart, ModelEvent, StopReason } from './event.js';
import type { ModelRequest } from './request.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const RESULT: ContentBlock = { type: 'tool-result', toolUseId: 'a', content: [] };
const QUESTION: Message = { role: 'user', content: [text('Hello')] };
const requestEnding = (last: Message, parts: Partial<ModelRequest> = {}): ModelRequest =>
  modelRequest({ messages: [QUESTION, last], ...parts });

const block = (start: BlockStart, ...deltas: BlockDelta[]): ModelEvent[] => [
  { type: 'block-start', index: 0, block: start },
  ...deltas.map((delta): ModelEvent => ({ type: 'block-delta', index: 0, delta })),
  { type: 'block-end', index: 0 },
];
function reply(unified: StopReason['unified'], raw: string | null = 'word', blocks: ModelEvent[] = []): ModelEvent[] {
  const stop: StopReason = { unified, raw, vendor: 'google' };
  return [{ type: 'reply-start' }, ...blocks, { type: 'usage', usage: {} }, { type: 'reply-end', stop }];
}

it.each<[StopReason['unified'], boolean]>([
  ['end-turn', true],
  ['tool-use', true],
  ['other', true],
  ['output-limit', false],
  ['context-limit', false],
  ['stop-sequence', false],
  ['pause', false],
  ['refusal', false],
  ['content-filter', false],
  ['compaction', false],
])('of nothing but %s: %s', (unified, isEmpty) => {
  expect(isEmptyReply(reply(unified), requestEnding(QUESTION))).toBe(isEmpty);
});

it.each<[string, ModelRequest]>([
  ['behind a result', requestEnding({ role: 'user', content: [RESULT] })],
  ['behind a result and words', requestEnding({ role: 'user', content: [RESULT, text('Well?')] })],
  ['behind the beginning of the answer', requestEnding({ role: 'assistant', content: [text('So')] })],
  [
    'behind such and instructions',
    modelRequest({
      messages: [
        { role: 'user', content: [RESULT] },
        { role: 'system', content: [text('Be brief.')] },
      ],
    }),
  ],
  ['of one token', requestEnding(QUESTION, { maxOutputTokens: 1 })],
])('%s a turn may end at once, with a word for it', (_, request) => {
  expect(isEmptyReply(reply('end-turn'), request)).toBe(false);
  expect(isEmptyReply(reply('end-turn', null), request)).toBe(true);
  expect(isEmptyReply(reply('other'), request)).toBe(true);
});

it.each<[string, ModelEvent[], boolean]>([
  ['a word', block({ type: 'text' }, { type: 'text', text: '.' }), false],
  ['an empty text', block({ type: 'text' }, { type: 'text', text: '' }), true],
  ['a thought', block({ type: 'thinking' }, { type: 'thinking', text: 'Hm' }), false],
  ['a call', block({ type: 'tool-use', id: 'a', name: 'f' }, { type: 'input-json', json: '{}' }), false],
  ['a picture', block({ type: 'image', source: { type: 'url', url: 'https://a.test' } }), false],
  ['a signature', block({ type: 'thinking' }, { type: 'signature', signature: 'x' }), false],
  ['what is sealed', block({ type: 'redacted-thinking', data: 'x' }), false],
])('with %s', (_, blocks, isEmpty) => {
  expect(isEmptyReply(reply('end-turn', 'stop', blocks), requestEnding(QUESTION))).toBe(isEmpty);
});

it.each<[string, ModelEvent[]]>([
  ['a thought', block({ type: 'thinking' }, { type: 'thinking', text: 'Hm' })],
  ['a signature', block({ type: 'thinking' }, { type: 'signature', signature: 'x' })],
  ['what is sealed', block({ type: 'redacted-thinking', data: 'x' })],
])('of %s alone needs a reason', (_, blocks) => {
  expect(isEmptyReply(reply('other', 'OTHER', blocks), requestEnding(QUESTION))).toBe(true);
  expect(isEmptyReply(reply('end-turn', null, blocks), requestEnding(QUESTION))).toBe(true);
  expect(isEmptyReply(reply('output-limit', 'length', blocks), requestEnding(QUESTION))).toBe(false);
  const words = block({ type: 'text' }, { type: 'text', text: '.' });
  expect(isEmptyReply(reply('other', 'OTHER', [...blocks, ...words]), requestEnding(QUESTION))).toBe(false);
});

it('is the end of a turn that the model ended by itself, where its provider reports output tokens', () => {
  const worked = reply('end-turn').map((event): ModelEvent =>
    event.type === 'usage' ? { type: 'usage', usage: { outputTokens: 3 } } : event,
  );
  expect(isEmptyReply(worked, requestEnding(QUESTION))).toBe(false);
  const other = reply('other').map((event): ModelEvent =>
    event.type === 'usage' ? { type: 'usage', usage: { outputTokens: 3 } } : event,
  );
  expect(isEmptyReply(other, requestEnding(QUESTION))).toBe(true);
});

it('finds no reply empty that has not ended', () => {
  expect(isEmptyReply(reply('end-turn').slice(0, -1), requestEnding(QUESTION))).toBe(false);
});
