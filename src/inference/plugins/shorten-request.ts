import type { ContentBlock, TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { textTokens } from '../../core/money/measure-prompt.js';

/** A text that may be shortened. */
type Shortenable = TextBlock & { readonly keeps: NonNullable<TextBlock['keeps']> };

/** The request with so many tokens at most of what may be cut of each text, as `textTokens` counts them. */
export const shortened = (request: ModelRequest, tokensMax: number): ModelRequest => ({
  ...request,
  messages: request.messages.map((message) =>
    message.content.some(isShortenable)
      ? {
          ...message,
          content: message.content.map((block) => (isShortenable(block) ? shorten(block, tokensMax) : block)),
        }
      : message,
  ),
});

const isShortenable = (block: ContentBlock): block is Shortenable => block.type === 'text' && block.keeps !== undefined;

/** A filter may have shortened it before. */
function shorten(block: Shortenable, tokensMax: number): TextBlock {
  const { text, keeps } = block;
  const end = Math.max(0, text.length - keeps.end);
  const start = Math.min(keeps.start, end);
  return { ...block, text: text.slice(0, start) + cutToTokens(text.slice(start, end), tokensMax) + text.slice(end) };
}

/** The beginning of a text, never half of a surrogate pair. */
export function cutToTokens(text: string, tokensMax: number): string {
  let words = text;
  for (let tokens = textTokens(words); tokens > tokensMax; tokens = textTokens(words)) {
    words = words.slice(0, Math.floor((words.length * tokensMax) / tokens));
    if (/[\uD800-\uDBFF]$/.test(words)) words = words.slice(0, -1);
  }
  return words;
}
