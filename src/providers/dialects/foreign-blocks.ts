import type { ContentBlock } from '../../core/conversation/content.js';
import { printJson, isJsonObject, type Json, type JsonObject, type Opaque } from '../../core/json/json.js';

/** What becomes of a block that only its own vendor understands. */
export type ForeignRule =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'drop' }
  | { readonly type: 'refuse'; readonly blockType: string };

const DROP: ForeignRule = { type: 'drop' };

/**
 * Results of tools that a gateway ran: accepted on replay and not sent on
 * (docs/wire/content-blocks.md#results-of-tools-that-a-gateway-ran).
 */
const DROPPED_RESULTS: ReadonlySet<Json | undefined> = new Set([
  'openrouter_shell_tool_result',
  'openrouter_bash_tool_result',
]);

/**
 * The written rule for an Anthropic block in the history of a chat upstream (docs/translation.md): calls and
 * results of server tools and compaction summaries are told in words, without what only the vendor can read;
 * anything else is refused.
 */
export function ruleForForeign(opaque: Opaque): ForeignRule {
  const { vendor, value } = opaque;
  const type = value['type'];
  if (vendor !== 'anthropic' || typeof type !== 'string') return { type: 'refuse', blockType: textOf(type) };
  if (DROPPED_RESULTS.has(type)) return DROP;
  if (type === 'server_tool_use' || type === 'mcp_tool_use') return asText(callText(value));
  if (type === 'web_search_tool_result') return asText(searchText(value['content']));
  if (type === 'web_fetch_tool_result') return asText(fetchText(value['content']));
  if (type.endsWith('_tool_result')) return asText(resultText(type, value['content']));
  if (type === 'compaction') {
    const { content } = value;
    return typeof content === 'string' && content !== '' ? asText(content) : DROP;
  }
  return { type: 'refuse', blockType: type };
}

/** The ids of server calls whose results are dropped: a call told without its result would look unanswered. */
export function findDroppedCalls(content: readonly ContentBlock[]): ReadonlySet<Json | undefined> {
  const ids = new Set<Json | undefined>();
  for (const block of content) {
    if (block.type !== 'opaque') continue;
    const id = block.opaque.value['tool_use_id'];
    if (id !== undefined && ruleForForeign(block.opaque).type === 'drop') ids.add(id);
  }
  return ids;
}

const asText = (text: string): ForeignRule => ({ type: 'text', text });

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
  // A fetched PDF stays out: its bytes would count as text. The address tells what was read.
  const text = isJsonObject(source) && source['type'] === 'text' ? `\n${textOf(source['data'])}` : '';
  return `[Web page ${textOf(content['url'])}]${text}`;
}

function failureText(what: string, content: Json | undefined): string {
  return `[${what} failed: ${isJsonObject(content) ? textOf(content['error_code']) : 'unknown'}]`;
}

function resultText(type: string, content: Json | undefined): string {
  const title = `[Result of ${type.slice(0, -'_tool_result'.length)}]`;
  if (typeof content === 'string') return `${title}\n${content}`;
  const text = isJsonObject(content) ? content['text'] : undefined;
  return `${title}\n${typeof text === 'string' ? text : printJson(content ?? null)}`;
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : 'unknown');
