// Tables of blocks: an estimate grows with the text, and never counts bytes of media as text.
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock } from '../conversation/content.js';
import { estimateInputTokens, estimateTokens } from './estimate.js';

const ofBlock = (block: ContentBlock): number =>
  estimateInputTokens(modelRequest({ messages: [{ role: 'user', content: [block] }] })) -
  estimateInputTokens(modelRequest({ messages: [{ role: 'user', content: [] }] }));
const thousand = 'x'.repeat(4000);

describe('estimates', () => {
  it.each([
    [0, 0],
    [1, 1],
    [4, 1],
    [5, 2],
  ])('%d bytes are %d tokens', (bytes, tokens) => {
    expect(estimateTokens(bytes)).toBe(tokens);
  });

  it('estimates at least one token for an empty prompt', () => {
    expect(estimateInputTokens(modelRequest({}))).toBe(1);
  });

  it.each<[string, ContentBlock, number]>([
    ['text', { type: 'text', text: thousand }, 1000],
    ['text beyond ASCII by its bytes', { type: 'text', text: '€'.repeat(4000) }, 3000],
    ['thinking', { type: 'thinking', thinking: thousand }, 1000],
    ['redacted thinking', { type: 'redacted-thinking', data: thousand }, 1000],
    ['a call', { type: 'tool-use', id: 't', name: 'abcd', input: thousand }, 1001],
    ['a call without input', { type: 'tool-use', id: 't', name: 'ab', input: undefined }, 1],
    [
      'a result',
      {
        type: 'tool-result',
        toolUseId: 't',
        content: [
          { type: 'text', text: thousand },
          { type: 'tool-reference', toolName: 'abcd' },
        ],
      },
      1001,
    ],
    ['a text document', { type: 'document', source: { type: 'text', text: thousand } }, 1000],
    [
      'a document of blocks',
      { type: 'document', source: { type: 'blocks', blocks: [{ type: 'text', text: thousand }] } },
      1000,
    ],
    [
      'a PDF',
      { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: 'A'.repeat(100_000) } },
      1000,
    ],
    [
      'an image',
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'A'.repeat(100_000) } },
      1000,
    ],
    [
      'a search result',
      { type: 'search-result', source: 's', title: 't', content: [{ type: 'text', text: thousand }] },
      1000,
    ],
    ['an opaque block', { type: 'opaque', opaque: { vendor: 'anthropic', value: { a: 'xx' } } }, 3],
  ])('counts %s', (_, block, expected) => {
    expect(ofBlock(block)).toBe(expected);
  });

  it('counts the system prompt and the tools', () => {
    const system = estimateInputTokens(modelRequest({ system: [{ type: 'text', text: thousand }] }));
    expect(system).toBe(1001);
    const tool = { type: 'function', name: 'f', description: thousand, inputSchema: {} } as const;
    expect(estimateInputTokens(modelRequest({ tools: [tool] }))).toBeGreaterThan(1000);
  });
});
