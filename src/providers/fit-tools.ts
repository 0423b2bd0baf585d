import type { ModelRequest } from '../core/conversation/request.js';
import type { RequestedServiceTool, Tool, VendorTool } from '../core/conversation/tools.js';
import { definedOnly } from '../core/defined.js';
import type { JsonObject, Vendor } from '../core/json/json.js';
import type { Target } from '../core/provider.js';
import { endpointBeside } from '../core/money/advisors.js';
import { canHold } from './vendor-domains.js';

type NamedTool = VendorTool | RequestedServiceTool;

interface NativeForm {
  /** Parameters that it has a word for. */
  readonly parameters: readonly string[];
  print(parameters: JsonObject): JsonObject;
}

const WEB_SEARCH = 'openrouter:web_search';
const VENDORS_SEARCH = /^web_search(_|$)/;
const ADVISOR = /^advisor_\d{8}$/;

/** How each vendor's own web search is asked for. */
const NATIVE_SEARCH: Partial<Record<Vendor, NativeForm>> = {
  anthropic: {
    parameters: ['engine', 'max_uses', 'allowed_domains', 'excluded_domains', 'user_location'],
    print: ({ max_uses, allowed_domains, excluded_domains: blocked_domains, user_location }) => ({
      type: 'web_search_20250305',
      name: 'web_search',
      ...definedOnly({ max_uses, allowed_domains, blocked_domains, user_location }),
    }),
  },
  'openai-responses': {
    parameters: ['engine', 'allowed_domains', 'user_location', 'search_context_size'],
    print: ({ allowed_domains, user_location, search_context_size }) => ({
      type: 'web_search',
      ...(allowed_domains !== undefined && { filters: { allowed_domains } }),
      ...definedOnly({ user_location, search_context_size }),
    }),
  },
};

/**
 * A request as its tools reach one target: those that the gateway serves are left to the target's vendor where that has
 * them, and are functions elsewhere. The same request where there are functions only.
 */
export function withFittingTools(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  if (request.tools.every(({ type }) => type === 'function')) return request;
  return { ...request, tools: request.tools.map((tool) => fittingTool(tool, target, vendor)) };
}

/** Whether the target's vendor runs the tool by itself. */
export const isNative = (tool: Tool, target: Pick<Target, 'endpoint'>, vendor: Vendor): boolean =>
  tool.type !== 'function' && nativeTool(tool, target, vendor) !== undefined;

/** Whether the tool is of the vendor's own format, and would go to the target if nobody served it. */
export const isOwn = (tool: Tool, vendor: Vendor): boolean =>
  tool.type === 'vendor' && tool.opaque.vendor === vendor && heldTool(tool) !== undefined;

function fittingTool(tool: Tool, target: Target, vendor: Vendor): Tool {
  if (tool.type === 'function') return tool;
  const native = nativeTool(tool, target, vendor) ?? tool.served;
  if (native || tool.type === 'service') return native ?? tool;
  return heldTool(tool) ?? unheldTool(tool);
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

/** What dialects refuse by its name: the tool would go further than it may. */
const unheldTool = ({ opaque, name = '' }: VendorTool): RequestedServiceTool => {
  const { type } = opaque.value;
  return { type: 'service', id: typeof type === 'string' ? type : name, parameters: {} };
};

function nativeTool(tool: NamedTool, { endpoint }: Pick<Target, 'endpoint'>, vendor: Vendor): VendorTool | undefined {
  // Who does not charge for searches has none: the price says that the vendor runs them there.
  const searches = endpoint.pricing?.webSearch !== undefined;
  if (tool.type === 'vendor') {
    const { type } = tool.opaque.value;
    if (tool.opaque.vendor !== vendor || typeof type !== 'string') return undefined;
    if (VENDORS_SEARCH.test(type)) return searches ? heldTool(tool) : undefined;
    if (ADVISOR.test(type)) return tool.advisor && endpointBeside(tool.advisor, endpoint) ? tool : undefined;
    return heldTool(tool);
  }
  const form = NATIVE_SEARCH[vendor];
  if (!searches || !form || tool.id !== WEB_SEARCH) return undefined;
  const parameters = boundParameters(tool);
  if (!leavesToVendor(parameters, form) || (tool.bound && !canHold(vendor, tool.bound))) return undefined;
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

/** Where the engine is left open, another is better than what the vendor has no word for. */
function leavesToVendor(parameters: JsonObject, form: NativeForm): boolean {
  const { engine = 'auto' } = parameters;
  return (
    engine === 'native' || (engine === 'auto' && Object.keys(parameters).every((key) => form.parameters.includes(key)))
  );
}
