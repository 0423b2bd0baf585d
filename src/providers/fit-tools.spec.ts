// Goal: a search reaches a vendor that searches by itself with all that was asked of it, or not at all; a field that
// asked for one is that field again where it is known; a vendor's tool goes to who has it, and is a function or refused
// by its name elsewhere. Method: tables of tools, vendors, prices and what vendors have.
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model, price } from '../../test/support/route-inputs.js';
import type { FunctionTool, RequestedServiceTool, Tool, VendorTool } from '../core/conversation/tools.js';
import type { JsonObject, Vendor } from '../core/json/json.js';
import type { Target } from '../core/provider.js';
import { toolRun, withFittingTools } from './fit-tools.js';

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
    ['openai-responses', { excluded_domains: [], user_location: null }, {}],
  ])('is %s itself for %j', (vendor, said, printed) => {
    const { type: _type, name: _name, ...value } = sentToVendor(search(parameters(said)), vendor) ?? { missing: true };
    expect(value).toEqual(printed);
    expect(toolRun(search(parameters(said)), SELLS, vendor)).toBe(true);
  });

  it.each<[Vendor, string, JsonObject]>([
    ['anthropic', 'max_results', { max_results: 3 }],
    ['anthropic', 'max_total_results', { max_uses: 1, max_total_results: 3 }],
    ['anthropic', 'max_characters', { max_characters: 100 }],
    ['anthropic', 'search_context_size', { search_context_size: 'low' }],
    ['anthropic', 'excluded_domains', { allowed_domains: DOMAINS, excluded_domains: DOMAINS }],
    ['anthropic', 'max_uses', { max_uses: 0 }],
    ['openai-responses', 'excluded_domains', { excluded_domains: DOMAINS }],
    ['openai-responses', 'max_uses', { max_uses: 1 }],
    ['openai-responses', 'max_results', { max_results: 3 }],
  ])('is never %s without %s', (vendor, lacks, said) => {
    expect(sent(search(parameters(said)), vendor)).toEqual([SERVED]);
    expect(toolRun(search(parameters(said)), SELLS, vendor)).toEqual(engine === 'native' ? { lacks } : false);
  });

  it('is nobody who does not sell searches, or is not known to', () => {
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

describe('a field that asks for a search', () => {
  const asked = search({ search_context_size: 'low', user_location: PLACE }, { field: 'web_search_options' });
  const PRINTED = {
    web_search_options: {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Kiel' } },
    },
  };

  it('is the field again where searches are sold in its format, beside what else is sent', () => {
    const request = modelRequest({ tools: [asked, SERVED], extras: { vendor: 'openai', value: { mine: 1 } } });
    expect(withFittingTools(request, SELLS, 'openai')).toMatchObject({
      tools: [SERVED],
      extras: { vendor: 'openai', value: { mine: 1, ...PRINTED } },
    });
    expect(toolRun(asked, SELLS, 'openai')).toBe(true);
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
    expect(withFittingTools(modelRequest({ tools: [asked] }), to, vendor)).toEqual(modelRequest({ tools: [SERVED] }));
    expect(toolRun(asked, to, vendor)).toBe(false);
  });

  it('is the vendor’s own tool where that carries it', () => {
    expect(sentToVendor(asked, 'openai-responses')).toMatchObject({ search_context_size: 'low', user_location: PLACE });
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
    '%s is the vendor’s who has all of them',
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

  it('searches where a price says so, and may where it is to be had without one', () => {
    const search250305 = defined('web_search_20250305');
    expect(toolRun(search250305, SELLS, 'anthropic')).toBe(true);
    expect(toolRun(search250305, having('all'), 'anthropic')).toBe('unsaid');
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
