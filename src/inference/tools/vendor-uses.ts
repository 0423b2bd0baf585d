import type { ContentBlock, Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { typeOf, type NamedTool, type Tool } from '../../core/conversation/tools.js';
import type { Usage } from '../../core/conversation/usage.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { kindOf } from '../../core/tool.js';

/**
 * Numbers of tool runs by vendors in the calls of one loop. Vendors report numbers by kind and not by tool: where a
 * request has several tools of a kind, each use counts for all of these, so that no limit is exceeded.
 */
export class VendorUses {
  private searches = 0;
  private fetches = 0;
  private consultations = 0;

  /** @param usage of one call */
  add({ webSearchRequests = 0, webFetchRequests = 0, iterations = [] }: Usage): void {
    this.searches += webSearchRequests;
    this.fetches += webFetchRequests;
    this.consultations += iterations.filter(({ kind }) => kind === 'advisor').length;
  }

  /** @param type of a tool, as the caller named it */
  of(type: string): number {
    const kind = kindOf(type);
    if (kind === 'web_search') return this.searches;
    if (kind === 'web_fetch') return this.fetches;
    return kind === 'advisor' ? this.consultations : 0;
  }
}

/**
 * The request with what is left of `max_uses` of the tools that a vendor may run: a vendor counts anew in each call,
 * but the limit is of the whole request. A tool with nothing left is not offered any more. The same request where no
 * tool was used.
 * @param requested the tools as the caller sent them
 * @param usedOf how often a tool was used so far, by vendors and by the gateway
 */
export function withUsesLeft(
  request: ModelRequest,
  requested: readonly Tool[],
  usedOf: (tool: NamedTool) => number,
): ModelRequest {
  const tools = requested.flatMap((tool) => (tool.type === 'function' ? tool : lessened(tool, usedOf(tool))));
  if (tools.length === requested.length && tools.every((tool, index) => tool === requested[index])) return request;
  const losesAdviser = request.tools.some(isVendorsAdviser) && !tools.some(isVendorsAdviser);
  return { ...request, tools, ...(losesAdviser && { messages: request.messages.map(withAdviceInWords) }) };
}

/**
 * @returns nothing where nothing is left, except for a tool that this gateway serves as well, which then refuses by
 *   itself
 */
function lessened(tool: NamedTool, used: number): readonly Tool[] {
  const { max_uses: most } = tool.type === 'service' ? tool.parameters : tool.opaque.value;
  if (used === 0 || typeof most !== 'number') return [tool];
  if (most <= used) return tool.served ? [tool.served] : [];
  const fields = { max_uses: most - used };
  if (tool.type === 'service') return [{ ...tool, parameters: { ...tool.parameters, ...fields } }];
  return [{ ...tool, opaque: { ...tool.opaque, value: { ...tool.opaque.value, ...fields } } }];
}

const isVendorsAdviser = (tool: Tool): boolean => tool.type === 'vendor' && kindOf(typeOf(tool)) === 'advisor';

/** The vendor refuses advice in its own form where the request has no adviser, so it is sent as text. */
function withAdviceInWords(message: Message): Message {
  const content = message.content.map(inWords);
  if (content.every((block, index) => block === message.content[index])) return message;
  const { origin: _origin, ...rest } = message;
  return { ...rest, content };
}

function inWords(block: ContentBlock): ContentBlock {
  if (block.type !== 'opaque' || block.opaque.vendor !== 'anthropic') return block;
  const text = wordsOf(block.opaque.value);
  return text === undefined ? block : { type: 'text', text };
}

/** @returns undefined for what is no adviser's */
function wordsOf({ type, name, content }: JsonObject): string | undefined {
  if (type === 'server_tool_use' && name === 'advisor') return '[Consulted the adviser]';
  return type === 'advisor_tool_result' ? `[The adviser answered]\n${adviceIn(content)}` : undefined;
}

function adviceIn(content: Json | undefined): string {
  const { text, error_code: failure } = isJsonObject(content) ? content : {};
  if (typeof text === 'string') return text;
  return typeof failure === 'string' ? `Failed: ${failure}` : 'Its answer can no longer be shown.';
}
