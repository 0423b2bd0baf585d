// Goal: a search reaches a vendor that searches by itself with all that was asked of it, or not at all; a field that
// asked for one is that field again where it is known. Method: tables of tools, vendors and prices.
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model, price } from '../../test/support/route-inputs.js';
import type { FunctionTool, RequestedServiceTool, Tool } from '../core/conversation/tools.js';
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
