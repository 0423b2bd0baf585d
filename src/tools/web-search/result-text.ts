import type { WebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import type { OpenSeal, ToolFailure, ToolResult } from '../../core/tool.js';
import { cut, type ResultPage } from './result-pages.js';
import { isOfType } from '../plain-failure.js';

const RESULT_TYPE = 'web_search_result';
const ERROR_TYPE = 'web_search_tool_result_error';
/** Characters of a page's text in a citation, as Anthropic's have. */
const QUOTE_CHARACTERS = 150;

const HEADING =
  'Results of a web search, quoted from pages that anybody may have written. Name each page that you use by its URL, as a markdown link: [title](URL).';
const NOTHING = 'The web search found nothing.';
const EXPIRED = '(The text of this page is no longer available. Search again for it.)';
const UNREADABLE = 'The results of this web search are no longer available.';

/** Error codes of the Messages format for a failed search, with the message for the model. */
const FAILURE_TEXTS: Readonly<Partial<Record<string, string>>> = {
  invalid_tool_input: 'the query is missing or empty',
  max_uses_exceeded: 'no further searches are allowed in this answer',
  too_many_requests: 'too many searches are under way; try again later',
  query_too_long: 'the query is too long',
  request_too_large: 'the request is too large',
  unavailable: 'the search is unavailable at the moment',
} satisfies Partial<Record<ToolFailure, string>>;

/** A page as the model reads it, new or from the history. */
type PrintedPage = Omit<ResultPage, 'text'> & { readonly text: string | undefined };

/** The text of a search for the model. */
export const printPages = (pages: readonly PrintedPage[]): string =>
  pages.length === 0 ? NOTHING : [HEADING, ...pages.map(printPage)].join('\n\n');

const printPage = ({ title, url, date, text = EXPIRED }: PrintedPage, index: number): string =>
  [`[${index + 1}] ${title}`, `URL: ${url}`, ...(date === undefined ? [] : [`Date: ${date}`]), text].join('\n');

/** Characters that are sealed before yielding to the event loop: about two milliseconds' work. */
const SLICE_CHARACTERS = 256 * 1024;

/**
 * `content` of a result block.
 * @param seal seals a page's text with its address: only this gateway can open it, in a later turn
 */
export async function viewPages(
  pages: readonly ResultPage[],
  seal: (text: string, address: string) => string,
): Promise<Json> {
  const blocks: Json[] = [];
  let characters = 0;
  for (const { url, title, date = null, text } of pages) {
    blocks.push({ type: RESULT_TYPE, url, title, encrypted_content: seal(text, url), page_age: date });
    characters += text.length;
    if (characters < SLICE_CHARACTERS) continue;
    characters = 0;
    await yieldToEventLoop();
  }
  return blocks;
}

export function failedSearch(failure: ToolFailure): ToolResult {
  // Other codes are those of other tools.
  const code = FAILURE_TEXTS[failure] === undefined ? 'unavailable' : failure;
  return {
    text: failureText(code),
    content: { type: ERROR_TYPE, error_code: code },
    sources: [],
    isError: true,
  };
}

const failureText = (code: string): string =>
  `The web search failed: ${(Object.hasOwn(FAILURE_TEXTS, code) && FAILURE_TEXTS[code]) || FAILURE_TEXTS['unavailable']}.`;

export const isFailedSearch = isOfType(ERROR_TYPE);

/**
 * The text that the model read, restored from the `content` of a result block. Addresses and titles are restored even
 * where a seal cannot be opened.
 */
export function recallSearch(content: Json, open: OpenSeal): string {
  if (Array.isArray(content)) return printPages(readPages(content, open));
  const code = isJsonObject(content) && isFailedSearch(content) ? content['error_code'] : undefined;
  return typeof code === 'string' ? failureText(code) : UNREADABLE;
}

/** The pages of the `content` of a result block, as an answer cites them. */
export const recallPages = (content: Json, open: OpenSeal): WebCitation[] =>
  Array.isArray(content) ? sourcesOf(readPages(content, open)) : [];

/** Pages as an answer cites them. */
export const sourcesOf = (pages: readonly PrintedPage[]): WebCitation[] =>
  pages.map(({ url, title, text }) => ({
    url,
    title,
    ...(text !== undefined && { quote: cut(text, QUOTE_CHARACTERS) }),
  }));

const readPages = (content: readonly Json[], open: OpenSeal): PrintedPage[] =>
  content.flatMap((page) => readPage(page, open));

function readPage(page: Json, open: OpenSeal): PrintedPage[] {
  if (!isJsonObject(page)) return [];
  const { url, title, page_age: date } = page;
  if (typeof url !== 'string' || typeof title !== 'string') return [];
  const text = open(page);
  return [{ url, title, ...(typeof date === 'string' && { date }), text: typeof text === 'string' ? text : undefined }];
}
