// Tables of usages and tools: `max_uses` of vendors' tools applies to the whole request; uses are counted from vendors'
// reports, and the remaining number is sent to them.
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { typeOf, type FunctionTool, type Tool } from '../../core/conversation/tools.js';
import type { Usage, UsageIteration } from '../../core/conversation/usage.js';
import type { JsonObject } from '../../core/json/json.js';
import { VendorUses, withUsesLeft } from './vendor-uses.js';

const vendor = (value: JsonObject): Tool => ({ type: 'vendor', opaque: { vendor: 'anthropic', value } });
const service = (id: string, parameters: JsonObject, served?: FunctionTool): Tool => ({
  type: 'service',
  id,
  parameters,
  ...(served && { served }),
});
const shown: FunctionTool = { type: 'function', name: 'web_search', inputSchema: {} };
const consulted = (kind: UsageIteration['kind']): UsageIteration => ({ kind, inputTokens: 1, outputTokens: 1 });

const USED: Usage = {
  webSearchRequests: 2,
  webFetchRequests: 1,
  iterations: [consulted('message'), consulted('advisor'), consulted('message')],
};

function uses(...usages: readonly Usage[]): VendorUses {
  const counted = new VendorUses();
  for (const usage of usages) counted.add(usage);
  return counted;
}

describe('the uses by vendors', () => {
  it.each([
    ['web_search_20250305', 4],
    ['openrouter:web_search', 4],
    ['web_fetch_20250910', 2],
    ['openrouter:web_fetch', 2],
    ['advisor_20260301', 2],
    ['openrouter:advisor', 2],
    ['openrouter:datetime', 0],
    ['computer_20250124', 0],
  ])('is counted for %s', (type, count) => {
    expect(uses(USED, { outputTokens: 5 }, USED).of(type)).toBe(count);
  });
});

describe('the request', () => {
  const left = (request: ReturnType<typeof modelRequest>, tools: readonly Tool[], usage: Usage) =>
    withUsesLeft(request, tools, (tool) => uses(usage).of(typeOf(tool)));

  it.each<[string, Tool, Tool[]]>([
    ['a search', vendor({ type: 'web_search_20250305', max_uses: 3 }), [vendor({ type: 'web_search_20250305', max_uses: 1 })]],
    ['a search that is used up', vendor({ type: 'web_search_20250305', max_uses: 2 }), []],
    ['a search without a bound', vendor({ type: 'web_search_20250305' }), [vendor({ type: 'web_search_20250305' })]],
    ['a fetch', vendor({ type: 'web_fetch_20250910', max_uses: 3 }), [vendor({ type: 'web_fetch_20250910', max_uses: 2 })]],
    ['an adviser', vendor({ type: 'advisor_20260301', max_uses: 3 }), [vendor({ type: 'advisor_20260301', max_uses: 2 })]],
    ['an adviser that is used up', vendor({ type: 'advisor_20260301', max_uses: 1 }), []],
    ['a search of the gateway', service('openrouter:web_search', { max_uses: 3 }, shown), [service('openrouter:web_search', { max_uses: 1 }, shown)]],
    ['one that is used up, and served elsewhere', service('openrouter:web_search', { max_uses: 2 }, shown), [shown]],
    ['another tool', vendor({ type: 'computer_20250124', max_uses: 1 }), [vendor({ type: 'computer_20250124', max_uses: 1 })]],
    ['a function of that name', shown, [shown]],
  ])('has the remaining uses of %s', (_, tool, expected) => {
    expect(left(modelRequest({ tools: [tool] }), [tool], USED).tools).toEqual(expected);
  }); // oxfmt-ignore

  it('is the same where nothing was used', () => {
    const tools = [shown, vendor({ type: 'web_search_20250305', max_uses: 3 })];
    const request = modelRequest({ tools });
    expect(left(request, tools, { outputTokens: 5 })).toBe(request);
  });

  const opaque = (value: JsonObject): ContentBlock => ({ type: 'opaque', opaque: { vendor: 'anthropic', value } });
  const call = opaque({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} });
  const search = opaque({ type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: {} });
  const advice = (content: JsonObject) => opaque({ type: 'advisor_tool_result', tool_use_id: 'srvtoolu_1', content });
  const turn = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });

  it.each<[string, JsonObject, string]>([
    ['that can be read', { type: 'advisor_result', text: 'Go.' }, 'Go.'],
    ['that failed', { type: 'advisor_tool_result_error', error_code: 'overloaded' }, 'Failed: overloaded'],
    ['that only the vendor reads', { encrypted_content: 'A' }, 'Its answer can no longer be shown.'],
  ])('has advice %s as text once the adviser is used up, at its position', (_, content, words) => {
    const tools = [vendor({ type: 'advisor_20260301', max_uses: 1 })];
    const advised = { ...turn(search, call, advice(content)), paths: ['a', 'b', 'c'] };
    const request = modelRequest({ tools, messages: [turn(search), advised] });
    const { messages } = left(request, tools, USED);
    const texts = ['[Consulted the adviser]', `[The adviser answered]\n${words}`].map((text) => ({
      type: 'text',
      text,
    }));
    expect(messages).toEqual([turn(search), { ...advised, content: [search, ...texts] }]);
    expect(messages[0]).toBe(request.messages[0]);
  });

  it('has advice in its own form as long as an adviser is left', () => {
    const tools = [vendor({ type: 'advisor_20260301', max_uses: 2 })];
    const request = modelRequest({ tools, messages: [turn(call, advice({ text: 'Go.' }))] });
    expect(left(request, tools, USED).messages).toBe(request.messages);
  });
});
