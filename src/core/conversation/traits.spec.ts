import type { ContentBlock, Message } from './content.js';
import { traitsOf, type ConversationTraits } from './traits.js';

// What a conversation holds is found at any depth, once for a list of messages. By: one block of each kind.

const text = (words = 'words'): ContentBlock => ({ type: 'text', text: words });
const turn = (...content: ContentBlock[]): Message[] => [{ role: 'user', content }];
const namesOf = (traits: ConversationTraits): string[] =>
  Object.entries(traits).flatMap(([name, holds]) => (holds === true ? [name] : []));

const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
const document: ContentBlock = { type: 'document', source: { type: 'text', text: 'words' } };

describe('traitsOf', () => {
  it.each<[string, ContentBlock, string[]]>([
    ['a text', text(), ['isPlain']],
    ['an empty text', text(''), ['hasBlankText']],
    ['white space', text(' \n'), ['hasBlankText']],
    ['a marked text', { type: 'text', text: 'words', cacheMarker: {} }, []],
    ['a citing text', { type: 'text', text: 'words', citations: [] }, []],
    ['an image', image, ['hasImages']],
    ['a document', document, ['hasDocuments']],
    [
      'a document of blocks with a picture',
      { type: 'document', source: { type: 'blocks', blocks: [image] } },
      ['hasImages', 'hasDocuments'],
    ],
    ['audio', { type: 'audio', format: 'wav', data: '' }, []],
    ['a video', { type: 'video', source: { type: 'url', url: 'https://example.com/a.mp4' } }, []],
    ['a call', { type: 'tool-use', id: 'a', name: 'f', input: {} }, ['hasToolBlocks']],
    [
      'a result with an image and a document',
      { type: 'tool-result', toolUseId: 'a', content: [image, document] },
      ['hasImages', 'hasDocuments', 'hasToolBlocks'],
    ],
    [
      'a result with a marked text',
      { type: 'tool-result', toolUseId: 'a', content: [{ type: 'text', text: 'words', cacheMarker: {} }] },
      ['hasToolBlocks'],
    ],
    ['thinking', { type: 'thinking', thinking: 'words' }, ['hasReasoning']],
    ['redacted thinking', { type: 'redacted-thinking', data: 'x' }, ['hasReasoning']],
    ['an opaque block', { type: 'opaque', opaque: { vendor: 'anthropic', value: {} } }, ['hasOpaque']],
    ['a search result', { type: 'search-result', source: 'a', title: 'b', content: [] }, []],
  ])('%s', (_name, block, expected) => {
    expect(namesOf(traitsOf(turn(block)))).toEqual(expected);
    // Beside a plain text, in either order, nothing else follows.
    const others = expected.filter((name) => name !== 'isPlain' || block.type === 'text');
    expect(namesOf(traitsOf([...turn(text()), ...turn(block)]))).toEqual(others);
    expect(namesOf(traitsOf(turn(block, text())))).toEqual(others);
  });

  it('an empty conversation is plain', () => expect(namesOf(traitsOf([]))).toEqual(['isPlain']));

  it('walks a list of messages once', () => {
    let walks = 0;
    const message: Message = {
      role: 'user',
      get content() {
        walks++;
        return [text()];
      },
    };
    const messages = [message];
    expect(traitsOf(messages)).toBe(traitsOf(messages));
    expect(walks).toBe(1);
  });

  it('gives one object for each combination', () => {
    expect(traitsOf(turn(image, document))).toBe(traitsOf(turn(document, text(), image)));
  });
});
