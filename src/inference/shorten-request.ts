import type { ContentBlock, TextBlock, ToolReferenceBlock, ToolResultBlock } from '../core/conversation/content.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { JsonObject } from '../core/json/json.js';
import { textTokens } from '../core/money/text-tokens.js';
import { SHORTENED_LEAST } from '../core/plugin.js';

/** A text that may be shortened. */
type Shortenable = TextBlock & { readonly keeps: NonNullable<TextBlock['keeps']> };

/** Tokens that remain of each text that may be shortened: the first number that fits. Chosen. */
const SHORTENED_TO = [16_000, 4_000, SHORTENED_LEAST];

/** A request with purchased content. */
export interface ReadableRequest {
  readonly request: ModelRequest;
  /** Tokens that remain of each purchased text; absent: all of them. */
  readonly tokens?: number;
}

/**
 * A request with less and less of its purchased content: whole, then shortened where it can be.
 * @param kept blocks that are not shortened
 */
export function* everShorter(
  request: ModelRequest,
  kept: ReadonlySet<ContentBlock> = NO_BLOCKS,
): Generator<ReadableRequest, void, undefined> {
  yield { request };
  if (!request.messages.some(({ content }) => content.some((block) => !kept.has(block) && isCut(block)))) return;
  for (const tokens of SHORTENED_TO) yield { request: shortened(request, tokens, kept), tokens };
}

const NO_BLOCKS: ReadonlySet<ContentBlock> = new Set();

/** For the routing metadata's `pipeline`: the model reads less than was bought. */
export const shortenedStage = (tokens: number): JsonObject => ({
  type: 'context_compression',
  name: 'purchases',
  summary: 'shortened',
  data: { tokens },
  cost_usd: 0,
});

/** The request with at most so many tokens of each text that may be cut, as `textTokens` counts them. */
export const shortened = (request: ModelRequest, tokensMax: number, kept = NO_BLOCKS): ModelRequest => ({
  ...request,
  messages: request.messages.map((message) =>
    message.content.some(isCut)
      ? { ...message, content: message.content.map((block) => (kept.has(block) ? block : cutBlock(block, tokensMax))) }
      : message,
  ),
});

const isShortenable = (block: ContentBlock | ToolReferenceBlock): block is Shortenable =>
  block.type === 'text' && block.keeps !== undefined;

/** Results of tools contain such texts as well. */
const isCut = (block: ContentBlock): boolean =>
  block.type === 'tool-result' ? block.content.some(isShortenable) : isShortenable(block);

function cutBlock(block: ContentBlock, tokensMax: number): ContentBlock {
  if (isShortenable(block)) return shorten(block, tokensMax);
  return block.type === 'tool-result' && isCut(block) ? cutResult(block, tokensMax) : block;
}

const cutResult = (block: ToolResultBlock, tokensMax: number): ToolResultBlock => ({
  ...block,
  content: block.content.map((part) => (isShortenable(part) ? shorten(part, tokensMax) : part)),
});

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
