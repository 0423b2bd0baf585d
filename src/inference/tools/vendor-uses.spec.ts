// Goal: `max_uses` of what the vendor runs holds for the whole request. Method: a table of tools.
import { modelRequest } from '../../../test/support/model-request.js';
import type { FunctionTool, Tool } from '../../core/conversation/tools.js';
import type { JsonObject } from '../../core/json/json.js';
import { withUsesLeft } from './vendor-uses.js';

const vendor = (value: JsonObject): Tool => ({ type: 'vendor', opaque: { vendor: 'anthropic', value } });
const service = (id: string, parameters: JsonObject, served?: FunctionTool): Tool => ({
  type: 'service',
  id,
  parameters,
  ...(served && { served }),
});
const shown: FunctionTool = { type: 'function', name: 'web_search', inputSchema: {} };
const usage = { webSearchRequests: 2, webFetchRequests: 1 };

it.each<[string, Tool, Tool[]]>([
  ['a search', vendor({ type: 'web_search_20250305', max_uses: 3 }), [vendor({ type: 'web_search_20250305', max_uses: 1 })]],
  ['a search that is used up', vendor({ type: 'web_search_20250305', max_uses: 2 }), []],
  ['a search without a bound', vendor({ type: 'web_search_20250305' }), [vendor({ type: 'web_search_20250305' })]],
  ['a fetch', vendor({ type: 'web_fetch_20250910', max_uses: 3 }), [vendor({ type: 'web_fetch_20250910', max_uses: 2 })]],
  ['a search of the gateway', service('openrouter:web_search', { max_uses: 3 }, shown), [service('openrouter:web_search', { max_uses: 1 }, shown)]],
  ['one that is used up, and served elsewhere', service('openrouter:web_search', { max_uses: 2 }, shown), [shown]],
  ['another tool', vendor({ type: 'computer_20250124', max_uses: 1 }), [vendor({ type: 'computer_20250124', max_uses: 1 })]],
  ['a function of that name', shown, [shown]],
])('lessens %s', (_, tool, left) => {
  expect(withUsesLeft(modelRequest({ tools: [tool] }), usage).tools).toEqual(left);
}); // prettier-ignore

it('is the same request where the vendor ran nothing', () => {
  const request = modelRequest({ tools: [shown] });
  expect(withUsesLeft(request, { outputTokens: 5 })).toBe(request);
});
