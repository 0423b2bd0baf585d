// Goal: images that a model generated reach the next model that reads images, in a format without images in assistant
// turns, and errors still name the caller's paths. Method: conversations in, turns out.
import { modelRequest } from '../../../test/support/model-request.js';
import { targetOf } from '../../../test/support/field-samples.js';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { moveAssistantImages } from './assistant-images.js';

const SEES = targetOf({ inputs: ['text', 'image'] });
const BLIND = targetOf({});
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const image: ContentBlock = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } };
const result: ContentBlock = { type: 'tool-result', toolUseId: 'c', content: [] };
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });

const moved = (target: typeof SEES, ...messages: Message[]) =>
  moveAssistantImages(modelRequest({ messages }), target).messages;

it('leaves a conversation without them as it is', () => {
  const request = modelRequest({ messages: [user(image), assistant(text('A boat.')), user(text('And?'))] });
  expect(moveAssistantImages(request, SEES)).toBe(request);
});

it('moves them behind the results of tools, and leaves a placeholder', () => {
  const call: ContentBlock = { type: 'tool-use', id: 'c', name: 'f', input: {} };
  const turns = moved(
    SEES,
    user(text('Draw.')),
    assistant(image, text('So.'), image, call),
    user(result, text('And?')),
  );
  expect(turns.map(({ content }) => content)).toEqual([
    [text('Draw.')],
    [text('[Image]'), text('So.'), text('\n\n[Image]'), call],
    [result, image, image, text('And?')],
  ]);
  expect(turns[2]!.paths).toEqual([
    'messages.2.content.0',
    'messages.1.content.0',
    'messages.1.content.2',
    'messages.2.content.1',
  ]);
});

it.each([
  ['the model reads none', BLIND, [user(text('And?'))]],
  ['no turn of the user is behind', SEES, []],
])('leaves only the placeholder where %s', (_, target, behind) => {
  const turns = moved(target, user(text('Draw.')), assistant(image), ...behind);
  expect(turns[1]!.content).toEqual([text('[Image]')]);
  expect(turns.slice(2)).toEqual(behind);
});

it('loses none where turns of the assistant follow one another', () => {
  const turns = moved(SEES, user(text('Draw.')), assistant(image), assistant(text('So.')), user(text('And?')));
  expect(turns[3]!.content).toEqual([image, text('And?')]);
});

it('does not send a rewritten turn unchanged', () => {
  const origin = { vendor: 'anthropic', value: {} } as const;
  const turns = moved(SEES, { ...assistant(image), origin }, { ...user(text('And?')), origin });
  for (const turn of turns) expect(turn).not.toHaveProperty('origin');
});
