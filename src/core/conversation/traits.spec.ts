import type { ContentBlock, Message } from './content.js';
import { traitsOf, type ConversationTraits } from './traits.js';

// One block of each kind: traits are found at any depth, and computed once for a list of messages.

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
    [
      'a text with a scoped marker',
      { type: 'text', text: 'words', cacheMarker: { scope: 'global' } },
      ['hasBetaFields'],
    ],
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
    [
      'a call by a program',
      { type: 'tool-use', id: 'a', name: 'f', input: {}, origin: { vendor: 'anthropic', value: { caller: {} } } },
      ['hasToolBlocks', 'hasBetaFields'],
    ],
    [
      'an opaque block of a program',
      { type: 'opaque', opaque: { vendor: 'anthropic', value: { caller: {} } } },
      ['hasOpaque', 'hasBetaFields'],
    ],
    ['an opaque block', { type: 'opaque', opaque: { vendor: 'anthropic', value: {} } }, ['hasOpaque']],
    ['a search result', { type: 'search-result', source: 'a', title: 'b', content: [] }, []],
  ])('%s', (_name, block, expected) => {
    expect(namesOf(traitsOf(turn(block)))).toEqual(expected);
    // Beside a plain text, in either order, the traits are the same.
    const others = expected.filter((name) => name !== 'isPlain' || block.type === 'text');
    const late = block.type === 'tool-result' ? ['hasLateResults'] : [];
    expect(namesOf(traitsOf([...turn(text()), ...turn(block)])).sort()).toEqual([...others, ...late].sort());
    expect(namesOf(traitsOf(turn(block, text())))).toEqual(others);
  });

  it('finds results behind other content of a user', () => {
    const result: ContentBlock = { type: 'tool-result', toolUseId: 'a', content: [] };
    const late = (...messages: Message[]): boolean => traitsOf(messages).hasLateResults;
    const [answer] = turn(result, result, text());
    const assistant: Message = { role: 'assistant', content: [text()] };
    expect(late(assistant, answer!)).toBe(false);
    expect(late(assistant, ...turn(result, text(), result))).toBe(true);
    expect(late(assistant, ...turn(text()), answer!)).toBe(true);
    expect(late(assistant, { role: 'system', content: [text()] }, answer!)).toBe(true);
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

  it('returns one object for each combination', () => {
    expect(traitsOf(turn(image, document))).toBe(traitsOf(turn(document, text(), image)));
  });
});
