/**
 * For any tools and any targets, no target is sent two tools of one name, and a choice names a tool that is sent;
 * offered tools arrive. Requests and targets are random, and are offered and fitted as in a generation.
 */
import fc from 'fast-check';
import { typeOf, type Tool } from '../../src/core/conversation/tools.js';
import { GatewayError } from '../../src/core/errors.js';
import type { JsonObject, Vendor } from '../../src/core/json/json.js';
import type { Target } from '../../src/core/provider.js';
import { ownName } from '../../src/core/tool.js';
import type { OfferedRequest } from '../../src/inference/tools/offered-tools.js';
import { ToolOfferPlanner } from '../../src/inference/tools/tool-offer-planner.js';
import { toolRuns, withFittingTools } from '../../src/providers/fitting/fit-tools.js';
import type { RouteResult } from '../../src/routing/route-planner.js';
import { ALL_SERVICE_TOOLS } from '../../src/tools/service-tools.js';
import type { ToolContexts } from '../../src/tools/tool-contexts.js';
import { modelRequest } from '../support/model-request.js';
import { catalogOf, endpoint, model, price } from '../support/route-inputs.js';
import { engines } from '../support/search-tool.js';

interface TestTarget {
  readonly vendor: Vendor;
  readonly target: Target;
}

function testTargetOf(vendor: Vendor, sells: boolean, vendorTools?: 'all'): TestTarget {
  const one = endpoint('p', { pricing: price(1, sells ? { webSearch: 10n } : {}) });
  const definition = { slug: 'p', credential: 'bearer', quirks: vendorTools ? { vendorTools } : {} } as const;
  return { vendor, target: { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition } };
}
const PLACES: readonly TestTarget[] = [
  testTargetOf('anthropic', true, 'all'),
  testTargetOf('anthropic', false, 'all'),
  testTargetOf('anthropic', true),
  testTargetOf('anthropic', false),
  testTargetOf('openai-responses', true),
  testTargetOf('openai', true),
  testTargetOf('google', true),
];

const service = (id: string, parameters: JsonObject = {}): Tool => ({ type: 'service', id: `openrouter:${id}`, parameters }); // oxfmt-ignore
const vendors = (type: string, name: string, more: JsonObject = {}): Tool => ({
  type: 'vendor',
  name,
  opaque: { vendor: 'anthropic', value: { type, name, ...more } },
});
const TOOLS: readonly Tool[] = [
  service('web_search'),
  service('web_search', { max_uses: 2 }),
  service('web_search', { search_context_size: 'low' }),
  service('web_search', { max_results: 3 }),
  { type: 'service', id: 'openrouter:web_search', parameters: {}, field: 'web_search_options' },
  { type: 'service', id: 'openrouter:web_search', parameters: {}, byPlugin: { path: 'plugins.0', options: {} } },
  service('datetime'),
  service('bash'),
  service('bash', { engine: 'openrouter' }),
  service('web_fetch'),
  vendors('web_search_20250305', 'web_search'),
  vendors('web_search_20250305', 'web_search', { max_uses: 2 }),
  vendors('web_search_20260209', 'web_search'),
  vendors('web_search_20991231', 'web_search'),
  vendors('web_fetch_20250910', 'web_fetch'),
  vendors('bash_20250124', 'bash'),
  vendors('memory_20250818', 'memory'),
];
const FUNCTIONS = ['web_search', 'web_search_2', 'bash', 'memory', 'datetime', 'mine'];

function offered(
  tools: readonly Tool[],
  choice: string | undefined,
  targets: readonly TestTarget[],
  hasEngine: boolean,
) {
  const attempts = {
    toolRuns: ({ vendor, target }: TestTarget, all: readonly Tool[]) => toolRuns(all, target, vendor),
  };
  const offers = new ToolOfferPlanner(ALL_SERVICE_TOOLS, attempts as never, {} as ToolContexts);
  const catalog = { ...catalogOf(), ...(hasEngine && { tools: engines({ simulated: {} }) }) };
  const legs = targets.map((one) => ({ ...one, endpoint: one.target.endpoint }));
  const routed = { inputs: { catalog }, plan: { legs } } as never as RouteResult;
  const request = modelRequest({ tools, ...(choice !== undefined && { toolChoice: { type: 'tool', name: choice } }) });
  try {
    return offers.offer(request, routed);
  } catch (error) {
    // A refusal that names the tool is a valid outcome.
    if (error instanceof GatewayError && /^(?:tools\.\d+|web_search_options)\b/.test(error.message)) return undefined;
    throw error;
  }
}

/** The identity of a tool in a body: vendor tools without a name by their type. */
const keyOf = (tool: Tool): string => {
  if (tool.type === 'function') return tool.name;
  const { name } = tool.type === 'vendor' ? tool.opaque.value : {};
  return typeof name === 'string' ? name : `the type ${typeOf(tool)}`;
};

function check({ request, offered: names, offers }: OfferedRequest, targets: readonly TestTarget[]): void {
  for (const { vendor, target } of targets) {
    const { tools, toolChoice } = withFittingTools(request, target, vendor);
    // The target's dialect refuses the remaining tools.
    if (tools.some((tool) => tool.type === 'service' || (tool.type === 'vendor' && tool.opaque.vendor !== vendor)))
      continue;
    const keys = tools.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    const served = tools.flatMap((tool) => (tool.type === 'function' && tool.isServed ? [tool.name] : []));
    expect([...names.keys()]).toEqual(expect.arrayContaining(served));
    if (toolChoice?.type !== 'tool') {
      const isField = request.tools.some((tool) => tool.type === 'service' && tool.field !== undefined);
      expect(request.toolChoice === undefined || (isField && vendor === 'openai')).toBe(true);
      continue;
    }
    const chosen = tools.filter((tool) =>
      toolChoice.vendorTool
        ? tool === toolChoice.vendorTool
        : tool.type === 'function' && tool.name === toolChoice.name,
    );
    expect(chosen).toHaveLength(1);
  }
  const shown = offers.filter(({ name }) => name !== undefined);
  expect(new Set(shown.map(({ name }) => name)).size).toBe(shown.length);
}

it('gives each tool a unique name, and each choice a tool', () => {
  const drawn = fc.record({
    named: fc.subarray([...TOOLS], { maxLength: 4 }),
    again: fc.subarray([...TOOLS], { maxLength: 1 }),
    functions: fc.uniqueArray(fc.constantFrom(...FUNCTIONS), { maxLength: 2 }),
    targets: fc.subarray([...PLACES], { minLength: 1, maxLength: 3 }),
    hasEngine: fc.boolean(),
    order: fc.infiniteStream(fc.nat()),
    choosing: fc.option(fc.nat(20)),
  });
  let answered = 0;
  const property = fc.property(drawn, ({ named, again, functions, targets, hasEngine, order, choosing }) => {
    const own = functions.map((name): Tool => ({ type: 'function', name, inputSchema: {} }));
    const ranked = [...named, ...again.map((tool) => ({ ...tool })), ...own].map((tool) => [order.next().value!, tool] as const); // oxfmt-ignore
    const tools = ranked.sort(([one], [other]) => one - other).map(([, tool]) => tool);
    // A plugin's tool is dropped unless all targets are vendors that run it.
    const choosable = tools.flatMap((tool) => {
      if (tool.type === 'function') return [tool.name];
      return tool.type === 'service' && tool.byPlugin ? [] : [typeOf(tool), ownName(tool)!];
    });
    const choice = choosing === null || choosable.length === 0 ? undefined : choosable[choosing % choosable.length];
    const made = offered(tools, choice, targets, hasEngine);
    if (!made) return;
    answered++;
    check(made, targets);
  });
  fc.assert(property, { numRuns: 1_500 });
  expect(answered).toBeGreaterThan(500);
});
