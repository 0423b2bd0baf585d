// Goal: the last turn of the assistant leaves as its model takes it, without white space at its end, or is refused by
// name. Method: blocks of each kind at the end, by themselves and as encoded for Converse and for Messages.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { Untranslatable } from '../../core/errors.js';
import { printJson, type JsonObject } from '../../core/json/json.js';
import type { Dialect, Target } from '../../core/provider.js';
import { doAtOnce } from '../../core/steps.js';
import { anthropicMessages } from '../dialects/anthropic-messages/dialect.js';
import { bedrockConverse } from '../dialects/bedrock-converse/dialect.js';
import { trimmedEnd } from './prefill.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const user: Message = { role: 'user', content: [text('Hi')] };
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });

describe('the end of a turn', () => {
  it('loses its white space, of the last text alone', () => {
    expect(trimmedEnd([text('One '), text('Two \n\t')])).toEqual([text('One '), text('Two')]);
  });

  it('is the text before one of white space alone', () => {
    expect(trimmedEnd([text('One '), text(' \n'), text('')])).toEqual([text('One')]);
    expect(trimmedEnd([text(' ')])).toEqual([text('')]);
  });

  it('loses it in the form of the caller as well', () => {
    const origin = { vendor: 'anthropic', value: { type: 'text', text: 'So ', citations: null } } as const;
    expect(trimmedEnd([{ type: 'text', text: 'So ', origin }])).toEqual([
      {
        type: 'text',
        text: 'So',
        origin: { vendor: 'anthropic', value: { type: 'text', text: 'So', citations: null } },
      },
    ]);
  });

  it.each<[string, readonly ContentBlock[]]>([
    ['nothing', []],
    ['a text without', [text('So')]],
    ['white space in front', [text(' So')]],
    ['a call', [text('So '), { type: 'tool-use', id: 'a', name: 'f', input: {} }]],
  ])('stays the same object: %s', (_, blocks) => {
    expect(trimmedEnd(blocks)).toBe(blocks);
  });
});

const targetOf = (upstreamModel: string): Target => {
  const one = endpoint('p', { upstreamModel });
  const definition = { slug: 'p', credential: 'bearer', quirks: {} } as const;
  return { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition };
};
/** The turns that are sent, each as its texts. */
function turnsOf(dialect: Dialect, upstreamModel: string, messages: readonly Message[]): unknown {
  const { body } = doAtOnce(dialect.encode(modelRequest({ messages }), targetOf(upstreamModel), new Map()));
  const sent = JSON.parse(printJson(body)) as { messages: { role: string; content: string | JsonObject[] }[] };
  return sent.messages.map(({ role, content }) => [
    role,
    ...(typeof content === 'string' ? [content] : content.map((part) => part['text'])),
  ]);
}

describe.each([
  // The vendor allows an empty last turn; the format of Converse has none.
  ['anthropic-messages', anthropicMessages, 'claude-sonnet-4-5', 'claude-opus-4-7', [['assistant']]],
  ['bedrock-converse', bedrockConverse, 'us.anthropic.claude-sonnet-4-5-v1:0', 'us.anthropic.claude-opus-4-7', []],
] as const)('%s', (_, dialect, older, newer, empty) => {
  it('trims the last turn alone', () => {
    const messages = [user, assistant(text('One ')), user, assistant(text('Two '), text('Three \n'))];
    expect(turnsOf(dialect, older, messages)).toEqual([
      ['user', 'Hi'],
      ['assistant', 'One '],
      ['user', 'Hi'],
      ['assistant', 'Two ', 'Three'],
    ]);
  });

  it('sends no turn of white space', () => {
    expect(turnsOf(dialect, older, [user, assistant(text(' \n'))])).toEqual([['user', 'Hi']]);
  });

  it('sends an empty turn where the format has one', () => {
    for (const last of [assistant(text('')), assistant()])
      expect(turnsOf(dialect, older, [user, last])).toEqual([['user', 'Hi'], ...empty]);
  });

  it('refuses by name what the model does not continue', () => {
    const encode = (): unknown => turnsOf(dialect, newer, [user, assistant(text('So '))]);
    expect(encode).toThrow(Untranslatable);
    expect(encode).toThrow(expect.objectContaining({ path: 'messages.1' }));
  });
});

it('leaves the turns of other models at Converse as they are', () => {
  expect(turnsOf(bedrockConverse, 'us.amazon.nova-pro-v1:0', [user, assistant(text('So '))])).toEqual([
    ['user', 'Hi'],
    ['assistant', 'So '],
  ]);
});
