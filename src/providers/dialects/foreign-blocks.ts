import type { ContentBlock, OpaqueBlock } from '../../core/conversation/content.js';
import { printJson, isJsonObject, type Json, type JsonObject, type Opaque } from '../../core/json/json.js';
import type { BlockForm } from '../../core/translation.js';
import type { EncodeContext } from './encode-context.js';

const RESULT_ENDING = '_tool_result';
/**
 * Prefix of results that are accepted when a history contains them, and unknown to every vendor
 * (docs/use/content-blocks.md#results-of-tools-that-a-gateway-ran).
 */
const GATEWAY_PREFIX = 'openrouter_';

const FORM_OF_TYPE: ReadonlyMap<Json | undefined, BlockForm> = new Map<Json | undefined, BlockForm>([
  ['server_tool_use', 'server_tool_use'],
  ['mcp_tool_use', 'server_tool_use'],
  ['web_search_tool_result', 'web_search_tool_result'],
  ['web_fetch_tool_result', 'web_fetch_tool_result'],
  ['compaction', 'compaction'],
]);

/** The tables' row for a block that only its own vendor understands. */
export function foreignForm({ vendor, value }: Opaque): BlockForm {
  const { type } = value;
  if (vendor !== 'anthropic') return 'foreign_item';
  const form = FORM_OF_TYPE.get(type);
  if (form !== undefined) return form;
  if (typeof type !== 'string' || !type.endsWith(RESULT_ENDING)) return 'other';
  return type.startsWith(GATEWAY_PREFIX) ? 'gateway_tool_result' : 'server_tool_result';
}

/**
 * A block of Anthropic's as text, where the format has no part for it, without what only that vendor can read. Empty
 * where it is dropped.
 * @throws Untranslatable where the table refuses it
 */
export function foreignText(block: OpaqueBlock, path: string, context: EncodeContext): string {
  const form = foreignForm(block.opaque);
  const { value } = block.opaque;
  return context.admits(form, path, textOf(value['type'])) ? wordsOf(form, value) : '';
}

/** The text for a block that is the result of its call. */
export const foreignWords = (value: JsonObject): string => wordsOf(foreignForm({ vendor: 'anthropic', value }), value);

/** The ids of server calls whose results are dropped: without its result, a call would look unanswered. */
export function findDroppedCalls(
  content: readonly ContentBlock[],
  context: EncodeContext,
): ReadonlySet<Json | undefined> {
  const ids = new Set<Json | undefined>();
  for (const block of content) {
    if (block.type !== 'opaque') continue;
    const id = block.opaque.value['tool_use_id'];
    if (id !== undefined && context.treatmentOf(foreignForm(block.opaque)).type === 'dropped') ids.add(id);
  }
  return ids;
}

function wordsOf(form: BlockForm, value: JsonObject): string {
  const { content } = value;
  switch (form) {
    case 'server_tool_use':
      return callText(value);
    case 'web_search_tool_result':
      return searchText(content);
    case 'web_fetch_tool_result':
      return fetchText(content);
    case 'compaction':
      return typeof content === 'string' ? content : '';
    default:
      return resultText(textOf(value['type']), content);
  }
}

function callText(value: JsonObject): string {
  return `[Called tool ${textOf(value['name'])} with ${printJson(value['input'] ?? {})}]`;
}

function searchText(content: Json | undefined): string {
  if (!Array.isArray(content)) return failureText('Web search', content);
  const lines = ['[Web search results]'];
  for (const result of content as readonly Json[]) {
    if (!isJsonObject(result)) continue;
    lines.push(`- ${textOf(result['title'])} (${textOf(result['url'])})`);
  }
  return lines.join('\n');
}

function fetchText(content: Json | undefined): string {
  if (!isJsonObject(content) || content['type'] !== 'web_fetch_result') return failureText('Web fetch', content);
  const document = content['content'];
  const source = isJsonObject(document) ? document['source'] : undefined;
  // A fetched PDF is left out: its bytes would count as text. The address identifies it.
  const text = isJsonObject(source) && source['type'] === 'text' ? `\n${textOf(source['data'])}` : '';
  return `[Web page ${textOf(content['url'])}]${text}`;
}

function failureText(what: string, content: Json | undefined): string {
  return `[${what} failed: ${isJsonObject(content) ? textOf(content['error_code']) : 'unknown'}]`;
}

function resultText(type: string, content: Json | undefined): string {
  const title = `[Result of ${type.slice(0, -RESULT_ENDING.length)}]`;
  if (typeof content === 'string') return `${title}\n${content}`;
  const text = isJsonObject(content) ? content['text'] : undefined;
  return `${title}\n${typeof text === 'string' ? text : printJson(content ?? null)}`;
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : 'unknown');
