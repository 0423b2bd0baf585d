// Goal: a text is cut to what is reserved for it, and stays whole where it fits. Method: texts of each width.
import { modelRequest } from '../../../test/support/model-request.js';
import type { TextBlock } from '../../core/conversation/content.js';
import { textTokens } from '../../core/money/measure-prompt.js';
import { cutToTokens, shortened } from './shorten-request.js';

it.each(['plain words ', 'größer ', '会社 ', '🌊'])('cuts %j to its tokens, never half a character', (part) => {
  const text = part.repeat(1_000);
  expect(cutToTokens(text, Infinity)).toBe(text);
  expect(cutToTokens(text, textTokens(text))).toBe(text);
  for (const tokens of [0, 1, 7, 1_000]) {
    const words = cutToTokens(text, tokens);
    expect(textTokens(words)).toBeLessThanOrEqual(tokens);
    expect(text.startsWith(words)).toBe(true);
    expect(words.isWellFormed()).toBe(true);
  }
  expect(textTokens(cutToTokens(text, 1_000))).toBeGreaterThan(900);
});

it('shortens the texts that may lose something, before their ends, and no other', () => {
  const block = (keepsEnd?: number): TextBlock => ({
    type: 'text',
    text: `${'a'.repeat(1_000)} The end.`,
    ...(keepsEnd !== undefined && { keepsEnd }),
  });
  const request = modelRequest({ messages: [{ role: 'user', content: [block(), block(0), block(8)] }] });
  const texts = shortened(request, 100).messages[0]!.content.map((one) => (one as TextBlock).text);
  expect(texts).toEqual([
    block().text,
    expect.stringMatching(/^a{198,200}$/),
    expect.stringMatching(/^a{190,192}The end\.$/),
  ]);
});
