import type { ModelRequest } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import type { Usage } from '../../core/conversation/usage.js';

/**
 * The request with what is left of `max_uses` of the tools that the vendor runs: it counts them in each call anew, and
 * the caller means his whole request. One of which nothing is left is not offered any more.
 * @param usage of the call before
 */
export function withUsesLeft(request: ModelRequest, usage: Usage): ModelRequest {
  const { webSearchRequests = 0, webFetchRequests = 0 } = usage;
  if (webSearchRequests === 0 && webFetchRequests === 0) return request;
  return {
    ...request,
    tools: request.tools.flatMap((tool) => {
      const used = SEARCH.test(nameOf(tool)) ? webSearchRequests : FETCH.test(nameOf(tool)) ? webFetchRequests : 0;
      return used === 0 ? tool : lessened(tool, used);
    }),
  };
}

const SEARCH = /^(openrouter:)?web_search(_|$)/;
const FETCH = /^(openrouter:)?web_fetch(_|$)/;

function nameOf(tool: Tool): string {
  if (tool.type === 'function') return '';
  const type = tool.type === 'service' ? tool.id : tool.opaque.value['type'];
  return typeof type === 'string' ? type : '';
}

/** @returns nothing where nothing is left, but for what this gateway serves in its place, which counts by itself */
function lessened(tool: Tool, used: number): readonly Tool[] {
  if (tool.type === 'function') return [tool];
  const { max_uses: most } = tool.type === 'service' ? tool.parameters : tool.opaque.value;
  if (typeof most !== 'number') return [tool];
  if (most <= used) return tool.served ? [tool.served] : [];
  const fields = { max_uses: most - used };
  if (tool.type === 'service') return [{ ...tool, parameters: { ...tool.parameters, ...fields } }];
  return [{ ...tool, opaque: { ...tool.opaque, value: { ...tool.opaque.value, ...fields } } }];
}
