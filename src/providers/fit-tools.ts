import type { ModelRequest } from '../core/conversation/request.js';
import type { RequestedServiceTool, Tool, VendorTool } from '../core/conversation/tools.js';
import { definedOnly } from '../core/defined.js';
import { isJsonObject, type Json, type JsonObject, type Vendor } from '../core/json/json.js';
import type { Target } from '../core/provider.js';
import { endpointBeside } from '../core/money/advisors.js';
import { canHold } from './vendor-domains.js';

type NamedTool = VendorTool | RequestedServiceTool;
type SearchTarget = Pick<Target, 'endpoint' | 'definition'>;

/**
 * Whether a target's vendor runs a tool by itself. `unsaid`: it is to be had there, though nothing says at what price:
 * whoever else runs it is asked first. `lacks`: it is to be the vendor's, whose own has no word for this parameter.
 */
export type ToolRun = boolean | 'unsaid' | { readonly lacks: string };

interface NativeForm {
  /** Parameters that it has a word for. */
  readonly parameters: readonly string[];
  /** What of them it cannot be told all the same. */
  readonly refuses?: (parameters: JsonObject) => string | undefined;
  print(parameters: JsonObject): JsonObject;
}

const WEB_SEARCH = 'openrouter:web_search';
const VENDORS_SEARCH = /^web_search(_|$)/;
const ADVISOR = /^advisor_\d{8}$/;
const DATE = /_\d{8}$/;

/** How each vendor's own web search is asked for. */
const NATIVE_SEARCH: Partial<Record<Vendor, NativeForm>> = {
  anthropic: {
    parameters: ['max_uses', 'allowed_domains', 'excluded_domains', 'user_location'],
    refuses: ({ max_uses: uses, allowed_domains: allowed, excluded_domains: excluded }) => {
      if (uses === 0) return 'max_uses';
      return asks(allowed) && asks(excluded) ? 'excluded_domains' : undefined;
    },
    print: ({ max_uses, allowed_domains, excluded_domains, user_location }) => ({
      type: 'web_search_20250305',
      name: 'web_search',
      ...definedOnly({
        max_uses,
        allowed_domains: saidList(allowed_domains),
        blocked_domains: saidList(excluded_domains),
        user_location,
      }),
    }),
  },
  'openai-responses': {
    parameters: ['allowed_domains', 'user_location', 'search_context_size'],
    print: ({ allowed_domains, user_location, search_context_size }) => ({
      type: 'web_search',
      ...(asks(allowed_domains) && { filters: { allowed_domains } }),
      ...definedOnly({ user_location, search_context_size }),
    }),
  },
};

/** Whether a parameter says anything. */
const asks = (value: Json | undefined): value is Json =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const saidList = (value: Json | undefined): Json | undefined => (asks(value) ? value : undefined);

/**
 * A request as its tools reach one target: those that the gateway serves are left to the target's vendor where that has
 * them, and are functions elsewhere. The same request where there are functions only.
 */
export function withFittingTools(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  if (request.tools.every(({ type }) => type === 'function')) return request;
  const fields = request.tools.filter((tool) => goesAsField(tool, target, vendor));
  const tools = request.tools.filter((tool) => !fields.includes(tool)).map((tool) => fittingTool(tool, target, vendor));
  if (fields.length === 0) return { ...request, tools };
  const value = Object.assign({}, request.extras?.value, ...fields.map(printField)) as JsonObject;
  return { ...request, tools, extras: { vendor, value } };
}

/** Whether, and how, the target's vendor runs the tool by itself. */
export function toolRun(tool: Tool, target: SearchTarget, vendor: Vendor): ToolRun {
  if (tool.type === 'function') return false;
  if (goesAsField(tool, target, vendor) || nativeTool(tool, target, vendor)) return true;
  if (tool.type === 'vendor') return hasTool(tool, target, vendor) && heldTool(tool) !== undefined && 'unsaid';
  const lacks = lackingNative(tool, target, vendor);
  return lacks !== undefined && { lacks };
}

function fittingTool(tool: Tool, target: Target, vendor: Vendor): Tool {
  if (tool.type === 'function') return tool;
  const native = nativeTool(tool, target, vendor) ?? tool.served;
  if (native || tool.type === 'service') return native ?? tool;
  // Dialects refuse by name what another vendor defines.
  if (tool.opaque.vendor !== vendor) return tool;
  return (hasTool(tool, target, vendor) ? heldTool(tool) : undefined) ?? refusedTool(tool);
}

/** Whether a tool that a vendor defines is to be had at this target: others speak its format without it. */
function hasTool({ opaque }: VendorTool, { definition }: SearchTarget, vendor: Vendor): boolean {
  const { type } = opaque.value;
  if (opaque.vendor !== vendor || typeof type !== 'string') return false;
  const { vendorTools = [] } = definition.quirks;
  return vendorTools === 'all' || (vendorTools as readonly string[]).includes(type.replace(DATE, ''));
}

/** A vendor's own tool with what it is held to in its own words; undefined where it has none for it. */
function heldTool(tool: VendorTool): VendorTool | undefined {
  const { bound, opaque } = tool;
  if (!bound) return tool;
  if (!canHold(opaque.vendor, bound)) return undefined;
  const { allowed_domains: _allowed, blocked_domains: _blocked, ...rest } = opaque.value;
  const { allowedDomains, blockedDomains } = bound;
  const value = {
    ...rest,
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
  };
  return { ...tool, opaque: { ...opaque, value } };
}

/** What dialects refuse by its name: the tool is not to be had there, or would go further than it may. */
const refusedTool = ({ opaque, name = '' }: VendorTool): RequestedServiceTool => {
  const { type } = opaque.value;
  return { type: 'service', id: typeof type === 'string' ? type : name, parameters: {} };
};

/** Whether a tool that a field of the request asked for is asked for by that field there too. */
const goesAsField = (tool: Tool, { endpoint, definition }: SearchTarget, vendor: Vendor): boolean =>
  tool.type === 'service' &&
  tool.field !== undefined &&
  tool.bound === undefined &&
  vendor === 'openai' &&
  endpoint.pricing?.webSearch !== undefined &&
  definition.quirks.omit?.includes(tool.field) !== true;

/** As OpenAI's chat has it: a place stands one level deeper. */
function printField(tool: Tool): JsonObject {
  if (tool.type !== 'service' || tool.field === undefined) return {};
  const { user_location: place, ...options } = tool.parameters;
  if (place === undefined) return { [tool.field]: options };
  if (!isJsonObject(place) || place['type'] !== 'approximate') return { [tool.field]: tool.parameters };
  const { type, ...approximate } = place;
  return { [tool.field]: { ...options, user_location: { type, approximate } } };
}

function nativeTool(tool: NamedTool, target: SearchTarget, vendor: Vendor): VendorTool | undefined {
  const { endpoint } = target;
  // Who does not charge for searches has none: the price says that the vendor runs them there.
  const searches = endpoint.pricing?.webSearch !== undefined;
  if (tool.type === 'vendor') {
    const { type } = tool.opaque.value;
    if (tool.opaque.vendor !== vendor || typeof type !== 'string') return undefined;
    if (VENDORS_SEARCH.test(type)) return searches ? heldTool(tool) : undefined;
    if (!hasTool(tool, target, vendor)) return undefined;
    if (ADVISOR.test(type)) return tool.advisor && endpointBeside(tool.advisor, endpoint) ? tool : undefined;
    return heldTool(tool);
  }
  const form = tool.id === WEB_SEARCH && searches ? NATIVE_SEARCH[vendor] : undefined;
  const parameters = boundParameters(tool);
  if (!form || !leavesToVendor(parameters) || lackingWord(parameters, form) !== undefined) return undefined;
  if (tool.bound && !canHold(vendor, tool.bound)) return undefined;
  return { type: 'vendor', opaque: { vendor, value: form.print(parameters) }, name: 'web_search' };
}

/** What is asked of a search, with the domains that it is held to. */
function boundParameters({ parameters, bound }: RequestedServiceTool): JsonObject {
  if (!bound) return parameters;
  const { allowed_domains: _allowed, excluded_domains: _excluded, ...rest } = parameters;
  const { allowedDomains, blockedDomains } = bound;
  return {
    ...rest,
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { excluded_domains: blockedDomains }),
  };
}

/**
 * What of a search that is to be the vendor's this target's own has no word for; undefined where it has none at all, or
 * would carry everything.
 */
function lackingNative(tool: RequestedServiceTool, { endpoint }: SearchTarget, vendor: Vendor): string | undefined {
  if (tool.id !== WEB_SEARCH || tool.parameters['engine'] !== 'native') return undefined;
  const form = endpoint.pricing?.webSearch === undefined ? undefined : NATIVE_SEARCH[vendor];
  return form && lackingWord(tool.parameters, form);
}

const leavesToVendor = ({ engine = 'auto' }: JsonObject): boolean => engine === 'native' || engine === 'auto';

/** The first parameter that a vendor's search cannot be told: another search is better than one without it. */
function lackingWord(parameters: JsonObject, { parameters: words, refuses }: NativeForm): string | undefined {
  const lacking = Object.keys(parameters).find(
    (name) => name !== 'engine' && asks(parameters[name]) && !words.includes(name),
  );
  return lacking ?? refuses?.(parameters);
}
