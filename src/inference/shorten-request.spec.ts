// Texts with characters of each width: a text is cut to its reservation, and stays whole where it fits.
import { modelRequest } from '../../test/support/model-request.js';
import type { TextBlock } from '../core/conversation/content.js';
import { textTokens } from '../core/money/text-tokens.js';
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

it('shortens the texts that may be shortened, between their ends, and no other', () => {
  const block = (keeps?: TextBlock['keeps']): TextBlock => ({
    type: 'text',
    text: `Begin. ${'a'.repeat(1_000)} The end.`,
    ...(keeps && { keeps }),
  });
  const content = [block(), block({ start: 0, end: 0 }), block({ start: 7, end: 8 }), block({ start: 7, end: 9_999 })];
  const texts = shortened(modelRequest({ messages: [{ role: 'user', content }] }), 100).messages[0]!.content;
  expect(texts.map((one) => (one as TextBlock).text)).toEqual([
    block().text,
    expect.stringMatching(/^Begin\. a{190,193}$/),
    expect.stringMatching(/^Begin\. a{198,200}The end\.$/),
    block().text,
  ]);
});
