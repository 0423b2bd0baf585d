import type { ContentBlock, TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { textTokens } from '../../core/money/measure-prompt.js';

/** The request with each text that may be shortened (`keepsEnd`) at so many tokens at most, as `textTokens` counts. */
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

const isShortenable = (block: ContentBlock): block is TextBlock & { readonly keepsEnd: number } =>
  block.type === 'text' && block.keepsEnd !== undefined;

function shorten(block: TextBlock & { readonly keepsEnd: number }, tokensMax: number): TextBlock {
  const place = Math.max(0, block.text.length - block.keepsEnd);
  const end = block.text.slice(place);
  return { ...block, text: cutToTokens(block.text.slice(0, place), Math.max(0, tokensMax - textTokens(end))) + end };
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
