// The search, offered for targets of each kind: a requirement that nothing can meet is refused by the name of its
// field, and what runs the tool is decided once.
import { modelRequest } from '../../../test/support/model-request.js';
import { engines, setupWith } from '../../../test/support/search-tool.js';
import type { Tool } from '../../core/conversation/tools.js';
import { webSearch } from '../../tools/web-search/web-search.js';
import { offerTools, type NativeRuns } from './offered-tools.js';

const SERVICES = new Map(webSearch.types.map((type) => [type, webSearch]));
const OWN: Tool = { type: 'service', id: 'openrouter:web_search', parameters: { engine: 'native', max_results: 2 } };
const FIELD: Tool = { type: 'service', id: 'openrouter:web_search', parameters: {}, field: 'web_search_options' };
const deferred: Tool = {
  type: 'vendor',
  opaque: { vendor: 'anthropic', value: { type: 'web_search_20250305', defer_loading: true } },
};
const UNKNOWN: Tool = { type: 'vendor', opaque: { vendor: 'anthropic', value: { type: 'memory_20250818' } } };

const offer = (tool: Tool, native: NativeRuns, tools = engines({ simulated: {} })) =>
  offerTools(modelRequest({ tools: [tool] }), SERVICES, setupWith(tools), () => [native]);

it.each<[string, () => unknown, string]>([
  [
    'the parameter that the vendor does not have',
    () => offer(OWN, { lacks: 'max_results' }),
    'tools.0.parameters.max_results: no vendor whose search could be used accepts it',
  ],
  [
    'the field that requests a search without an engine',
    () => offer(FIELD, 'none', {}),
    'web_search_options: no engine of web searches is set up',
  ],
  [
    'a feature that the loop does not support',
    () => offer(deferred, 'none'),
    'tools.0.defer_loading: must not be true',
  ],
  [
    'the name that another tool has at its vendor, and why it has no other here',
    () => offer(FIELD, { clash: 'web_search' }, {}),
    'web_search_options: another tool is called web_search, as openrouter:web_search is, and it cannot be served under another name: web_search_options: no engine of web searches is set up',
  ],
  [
    'the name of a tool that nothing else runs',
    () => offer(UNKNOWN, { clash: 'memory' }),
    'tools.0: another tool is called memory, as memory_20250818 is',
  ],
])('names %s', (_, offering, message) => {
  expect(offering).toThrow(
    expect.objectContaining({ kind: 'invalid-request', message: expect.stringContaining(message) as string }),
  );
});

it('leaves tools that vendors run, or may run, unchanged where nothing else can', () => {
  expect(offer(deferred, 'all').request.tools).toEqual([deferred]);
  expect(offer(deferred, 'some').request.tools).toEqual([deferred]);
  expect(offer(deferred, 'perhaps').request.tools).toEqual([deferred]);
  expect(offer(FIELD, 'some', {}).request.tools).toEqual([FIELD]);
});

it('becomes a function where no vendor runs it, and has one beside it where some do', () => {
  expect(offer(FIELD, 'none').request.tools).toMatchObject([{ type: 'function', name: 'web_search' }]);
  expect(offer(FIELD, { clash: 'web_search' }).request.tools).toMatchObject([{ type: 'function', name: 'web_search' }]);
  expect(offer(FIELD, 'some').request.tools).toMatchObject([{ ...FIELD, served: { name: 'web_search' } }]);
});
