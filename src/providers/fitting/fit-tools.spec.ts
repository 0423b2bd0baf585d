// Goal: a search reaches a vendor that searches by itself with all of its parameters, or not at all. A search requested
// by a field is that field again where the target has it. A vendor's tool goes to targets that have it, and is a
// function or refused by name elsewhere. Each name belongs to one tool, and a choice means its tool by that name.
// Method: tables of tools, vendors, prices and vendors' tools.
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model, price } from '../../../test/support/route-inputs.js';
import type { FunctionTool, RequestedServiceTool, Tool, VendorTool } from '../../core/conversation/tools.js';
import type { JsonObject, Vendor } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { toolRuns, withFittingTools, type ToolRun } from './fit-tools.js';

const SERVED: FunctionTool = { type: 'function', name: 'web_search', inputSchema: {} };
const search = (parameters: JsonObject, parts: Partial<RequestedServiceTool> = {}): RequestedServiceTool => ({
  type: 'service',
  id: 'openrouter:web_search',
  parameters,
  served: SERVED,
  ...parts,
});

function target(isSelling: boolean, quirks: Target['definition']['quirks'] = {}): Target {
  const one = endpoint('p', { pricing: { ...price(1), ...(isSelling && { webSearch: 10n }) } });
  return {
    model: model('a/b', [one]),
    endpoint: one,
    tier: 'standard',
    definition: { slug: 'p', credential: 'bearer', quirks },
  };
}
const SELLS = target(true);
const NOT = target(false);

const toolRun = (tool: Tool, to: Target, vendor: Vendor): ToolRun => toolRuns([tool], to, vendor)[0]!;
const sent = (tool: Tool, vendor: Vendor, to = SELLS): readonly Tool[] =>
  withFittingTools(modelRequest({ tools: [tool] }), to, vendor).tools;
const sentToVendor = (tool: Tool, vendor: Vendor): JsonObject | undefined => {
  const [only] = sent(tool, vendor);
  return only?.type === 'vendor' ? only.opaque.value : undefined;
};

const PLACE = { type: 'approximate', city: 'Kiel' };
const DOMAINS = ['a.example'];

describe.each(['auto', 'native', undefined])('the engine %s', (engine) => {
  const parameters = (more: JsonObject): JsonObject => ({ ...(engine !== undefined && { engine }), ...more });

  it.each<[Vendor, JsonObject, JsonObject]>([
    ['anthropic', {}, {}],
    ['anthropic', { max_uses: 2, user_location: PLACE }, { max_uses: 2, user_location: PLACE }],
    ['anthropic', { allowed_domains: DOMAINS, excluded_domains: [] }, { allowed_domains: DOMAINS }],
    ['anthropic', { excluded_domains: DOMAINS }, { blocked_domains: DOMAINS }],
    [
      'openai-responses',
      { allowed_domains: DOMAINS, search_context_size: 'low', user_location: PLACE },
      { filters: { allowed_domains: DOMAINS }, search_context_size: 'low', user_location: PLACE },
    ],
    ['openai-responses', { search_content_types: ['image'] }, { search_content_types: ['image'] }],
    ['openai-responses', { excluded_domains: [], user_location: null }, {}],
  ])('is %s itself for %j', (vendor, given, printed) => {
    const { type: _type, name: _name, ...value } = sentToVendor(search(parameters(given)), vendor) ?? { missing: true };
    expect(value).toEqual(printed);
    expect(toolRun(search(parameters(given)), SELLS, vendor)).toBe(true);
  });

  it.each<[Vendor, string, JsonObject]>([
    ['anthropic', 'max_results', { max_results: 3 }],
    ['anthropic', 'max_total_results', { max_uses: 1, max_total_results: 3 }],
    ['anthropic', 'max_characters', { max_characters: 100 }],
    ['anthropic', 'search_context_size', { search_context_size: 'low' }],
    ['anthropic', 'search_content_types', { search_content_types: ['image'] }],
    ['anthropic', 'excluded_domains', { allowed_domains: DOMAINS, excluded_domains: DOMAINS }],
    ['anthropic', 'max_uses', { max_uses: 0 }],
    ['openai-responses', 'excluded_domains', { excluded_domains: DOMAINS }],
    ['openai-responses', 'max_uses', { max_uses: 1 }],
    ['openai-responses', 'max_results', { max_results: 3 }],
  ])('is never %s without %s', (vendor, lacks, given) => {
    expect(sent(search(parameters(given)), vendor)).toEqual([SERVED]);
    expect(toolRun(search(parameters(given)), SELLS, vendor)).toEqual(engine === 'native' ? { lacks } : false);
  });

  it('is no vendor that does not sell searches, or is not known to', () => {
    for (const [vendor, to] of [
      ['anthropic', NOT],
      ['google', SELLS],
    ] as const) {
      expect(sent(search(parameters({ max_results: 3 })), vendor, to)).toEqual([SERVED]);
      expect(toolRun(search(parameters({ max_results: 3 })), to, vendor)).toBe(false);
    }
  });
});

it('is no vendor where another engine is named', () => {
  expect(sent(search({ engine: 'exa' }), 'anthropic')).toEqual([SERVED]);
});

describe('a field that requests a search', () => {
  const byField = search({ search_context_size: 'low', user_location: PLACE }, { field: 'web_search_options' });
  const PRINTED = {
    web_search_options: {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Kiel' } },
    },
  };

  it('is the field again where searches are sold in its format, beside what else is sent', () => {
    const request = modelRequest({ tools: [byField, SERVED], extras: { vendor: 'openai', value: { mine: 1 } } });
    expect(withFittingTools(request, SELLS, 'openai')).toMatchObject({
      tools: [SERVED],
      extras: { vendor: 'openai', value: { mine: 1, ...PRINTED } },
    });
    expect(toolRun(byField, SELLS, 'openai')).toBe(true);
    for (const parameters of [{}, { user_location: { latitude: 1 } }]) {
      const plain = search(parameters, { field: 'web_search_options' });
      expect(withFittingTools(modelRequest({ tools: [plain] }), SELLS, 'openai').extras?.value).toEqual({
        web_search_options: parameters,
      });
    }
  });

  it.each<[string, Vendor, Target]>([
    ['no searches are sold', 'openai', NOT],
    ['the provider refuses it', 'openai', target(true, { omit: ['web_search_options'] })],
    ['the format has no search', 'google', SELLS],
  ])('is the gateway’s own function where %s', (_, vendor, to) => {
    expect(withFittingTools(modelRequest({ tools: [byField] }), to, vendor)).toEqual(modelRequest({ tools: [SERVED] }));
    expect(toolRun(byField, to, vendor)).toBe(false);
  });

  it('is the vendor’s own tool where that carries it', () => {
    expect(sentToVendor(byField, 'openai-responses')).toMatchObject({
      search_context_size: 'low',
      user_location: PLACE,
    });
  });
});

describe('a tool that a vendor defines', () => {
  const defined = (type: string, parts: Partial<VendorTool> = {}): VendorTool => ({
    type: 'vendor',
    opaque: { vendor: 'anthropic', value: { type, name: 'it' } },
    ...parts,
  });
  const refused = (type: string) => [{ type: 'service', id: type, parameters: {} }];
  const having = (vendorTools: Target['definition']['quirks']['vendorTools']) =>
    target(false, vendorTools && { vendorTools });

  it.each(['bash_20250124', 'tool_search_tool_regex_20251119', 'mcp_toolset', 'nobody_heard_of_20300101'])(
    '%s is a tool of a vendor that has all of them',
    (type) => {
      expect(toolRun(defined(type), having('all'), 'anthropic')).toBe(true);
      expect(sent(defined(type, { served: SERVED }), 'anthropic', having('all'))).toEqual([
        defined(type, { served: SERVED }),
      ]);
    },
  );

  it('is the vendor’s in each of its versions where it is listed, and of no other name', () => {
    const has = having(['web_fetch', 'computer']);
    for (const type of ['web_fetch_20250910', 'web_fetch_20300101', 'computer_20251124']) {
      expect(toolRun(defined(type), has, 'anthropic')).toBe(true);
    }
    for (const type of ['computer_toolset_20260801', 'webfetch_20250910', 'bash_20250124']) {
      expect(toolRun(defined(type), has, 'anthropic')).toBe(false);
    }
  });

  it.each([[undefined], [[]], [['memory'] as const]])(
    'is a function, or refused by its name, where there is %j',
    (has) => {
      const to = having(has);
      expect(toolRun(defined('bash_20250124'), to, 'anthropic')).toBe(false);
      expect(sent(defined('bash_20250124', { served: SERVED }), 'anthropic', to)).toEqual([SERVED]);
      expect(sent(defined('code_execution_20250825'), 'anthropic', to)).toEqual(refused('code_execution_20250825'));
    },
  );

  it('is left to the dialect of another format to refuse', () => {
    expect(sent(defined('bash_20250124'), 'openai', having('all'))).toEqual([defined('bash_20250124')]);
    expect(toolRun(defined('bash_20250124'), having('all'), 'openai')).toBe(false);
  });

  it('searches where there is a price, and may where the vendor has the tool without one', () => {
    const search250305 = defined('web_search_20250305');
    expect(toolRun(search250305, SELLS, 'anthropic')).toBe(true);
    expect(toolRun(search250305, having('all'), 'anthropic')).toBe('unpriced');
    expect(toolRun(search250305, having(['bash']), 'anthropic')).toBe(false);
    expect(sent(search250305, 'anthropic', having(['bash']))).toEqual(refused('web_search_20250305'));
  });

  it('is refused by its name where it cannot be held to the domains that bind it', () => {
    const bound = { allowedDomains: DOMAINS, blockedDomains: ['b.example'], isExact: true };
    expect(sent(defined('web_fetch_20250910', { bound }), 'anthropic', having('all'))).toEqual(
      refused('web_fetch_20250910'),
    );
  });
});

describe('a name that two tools would have', () => {
  const OWN: FunctionTool = { type: 'function', name: 'web_search', inputSchema: {} };
  const served = (name: string): FunctionTool => ({ ...OWN, name, isServed: true });
  const second = search({ max_uses: 1 }, { served: served('web_search_2') });
  const defined = (more: JsonObject = {}): VendorTool => ({
    type: 'vendor',
    name: 'web_search',
    opaque: { vendor: 'anthropic', value: { type: 'web_search_20250305', name: 'web_search', ...more } },
    served: served('web_search'),
  });
  const clash = { clash: 'web_search' };
  const fit = (tools: readonly Tool[], vendor: Vendor = 'anthropic', to = SELLS) => [
    withFittingTools(modelRequest({ tools }), to, vendor).tools.map((tool) =>
      tool.type === 'vendor' ? tool.opaque.value['type'] : tool.type === 'function' ? tool.name : tool.id,
    ),
    toolRuns(tools, to, vendor),
  ];

  it.each<[string, Tool[], string[], ToolRun[]]>([
    ['the caller’s, before', [OWN, second], ['web_search', 'web_search_2'], [false, clash]],
    ['the caller’s, behind', [second, OWN], ['web_search_2', 'web_search'], [clash, false]],
    ['the vendor’s own, before', [defined(), second], ['web_search_20250305', 'web_search_2'], [true, clash]],
    ['the vendor’s own, behind', [second, defined()], ['web_search_2', 'web_search_20250305'], [clash, true]],
    ['the first of two', [search({}), second], ['web_search_20250305', 'web_search_2'], [true, clash]],
    ['one for both', [search({}), search({}), defined()], ['web_search_20250305'], [true, true, true]],
    // The name is from a target whose vendor runs the tool.
    ['of a function here', [search({ max_results: 3 }), second], ['web_search', 'web_search_2'], [false, clash]],
  ])('is %s', (_, tools, sentTools, runs) => {
    expect(fit(tools)).toEqual([sentTools, runs]);
  });

  it('is none where the vendor’s own has no name', () => {
    const sized = search({ search_context_size: 'low' }, { served: served('web_search_2') });
    expect(fit([OWN, sized], 'openai-responses')).toEqual([
      ['web_search', 'web_search'],
      [false, true],
    ]);
    expect(fit([search({}), sized], 'openai-responses')).toEqual([
      ['web_search', 'web_search_2'],
      [true, clash],
    ]);
  });

  it('is refused by its type where no function can replace it', () => {
    const { served: _served, ...alone } = defined({ max_uses: 1 });
    expect(fit([OWN, alone])).toEqual([
      ['web_search', 'web_search_20250305'],
      [false, clash],
    ]);
    expect(withFittingTools(modelRequest({ tools: [OWN, alone] }), SELLS, 'anthropic').tools[1]?.type).toBe('service');
  });

  it('is no one’s that the caller runs twice', () => {
    const bash: VendorTool = {
      type: 'vendor',
      name: 'bash',
      opaque: { vendor: 'anthropic', value: { type: 'bash_20250124', name: 'bash' } },
    };
    const to = target(false, { vendorTools: 'all' });
    expect(toolRuns([bash, { ...bash }], to, 'anthropic')).toEqual([true, { clash: 'bash' }]);
  });
});

describe('a choice of a tool that is no function', () => {
  const OWN: FunctionTool = { type: 'function', name: 'mine', inputSchema: {} };
  const unserved = ((): RequestedServiceTool => {
    const { served: _served, ...tool } = search({});
    return tool;
  })();
  const chosen = (tools: readonly Tool[], name: string, vendor: Vendor, to = SELLS) =>
    withFittingTools(modelRequest({ tools, toolChoice: { type: 'tool', name } }), to, vendor).toolChoice;

  it.each(['openrouter:web_search', 'web_search'])('by %s is what the vendor has', (name) => {
    for (const vendor of ['anthropic', 'openai-responses'] as const) {
      expect(chosen([unserved, OWN], name, vendor)).toMatchObject({
        type: 'tool',
        name: 'web_search',
        vendorTool: { type: 'vendor', name: 'web_search' },
      });
    }
  });

  it('is what it is served as where the vendor has none, by the name of the function beside it', () => {
    const both = search({}, { served: { ...SERVED, name: 'web_search_2' } });
    expect(chosen([both, OWN], 'web_search_2', 'anthropic', NOT)).toEqual({ type: 'tool', name: 'web_search_2' });
    expect(chosen([both, OWN], 'web_search_2', 'anthropic')).toMatchObject({ name: 'web_search', vendorTool: {} });
  });

  it('is left out where a field requests it', () => {
    const field: Tool = { ...unserved, field: 'web_search_options' };
    expect(chosen([field, OWN], 'openrouter:web_search', 'openai')).toBeUndefined();
  });

  it.each(['mine', 'nobodys'])('is none by %s, which goes unchanged', (name) => {
    expect(chosen([unserved, OWN], name, 'anthropic')).toEqual({ type: 'tool', name });
  });
});
