import type { WebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { ToolFailure, ToolResult } from '../../core/tool.js';
import type { Page } from './page.js';
import { isOfType } from '../plain-failure.js';

const FAILURE = 'web_fetch_tool_result_error';

/** The message for the model of each failure, after `The page `. */
const FAILURES: Readonly<Partial<Record<ToolFailure, string>>> = {
  invalid_tool_input: 'was requested with invalid parameters',
  url_too_long: 'has too long an address',
  url_not_allowed: 'may not be fetched',
  url_not_accessible: 'could not be fetched',
  unsupported_content_type: 'is of a kind that cannot be read',
  too_many_requests: 'was not fetched: too much is under way; try again later',
  max_uses_exceeded: 'was not fetched: this tool may not be used again',
};
const OTHERWISE = 'could not be read';

/** The `content` of a `web_fetch_tool_result` block. */
export const viewPage = ({ url, title, text }: Page, retrievedAt: Date, hasCitations: boolean): JsonObject => ({
  type: 'web_fetch_result',
  url,
  content: {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: text },
    title: title === '' ? null : title,
    // The client `ai` expects an object and refuses null.
    citations: { enabled: hasCitations },
  },
  retrieved_at: retrievedAt.toISOString(),
});

/** @param why the message for the model, after `The page `, where the reason is known */
export function failed(failure: ToolFailure, why?: string): ToolResult {
  // Only codes of the format.
  const code = failure in FAILURES ? failure : 'unavailable';
  const content = {
    type: FAILURE,
    error_code: code,
    ...(why !== undefined && { message: `It ${why}.` }),
  };
  return { text: pageText(content), content, sources: [], isError: true };
}

/** The text of a page for the model, in the turn that fetched it and in later ones. */
export function pageText(content: JsonObject): string {
  if (content['type'] !== 'web_fetch_result') {
    const { error_code: code, message } = content;
    const why = typeof code === 'string' && Object.hasOwn(FAILURES, code) && FAILURES[code as ToolFailure];
    const sentence = `The page ${why || OTHERWISE}.`;
    return typeof message === 'string' ? `${sentence} ${message}` : sentence;
  }
  const { url, content: document } = content;
  const { source, title } = isJsonObject(document) ? document : {};
  const { data, type } = isJsonObject(source) ? source : {};
  // Results of a vendor's own tool hold a PDF as bytes.
  const text = type === 'text' && typeof data === 'string' ? data : '[A document that is not kept as text.]';
  const head = typeof title === 'string' ? `Title: ${title}\n` : '';
  return `${head}URL: ${typeof url === 'string' ? url : 'unknown'}\n\n${text}`;
}

export const isFailedPage = isOfType(FAILURE);

export const recallPage = (content: Json): string => pageText(isJsonObject(content) ? content : {});

/** The page itself, as an answer cites it. */
export function pageSources(content: Json): WebCitation[] {
  if (!isJsonObject(content) || typeof content['url'] !== 'string') return [];
  const { url, content: document } = content;
  const title = isJsonObject(document) ? document['title'] : undefined;
  return [{ url, ...(typeof title === 'string' && { title }) }];
}
