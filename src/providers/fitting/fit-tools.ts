import { isDeepStrictEqual } from 'node:util';
import type { ModelRequest } from '../../core/conversation/request.js';
import {
  allowedBy,
  isRunByCaller,
  typeOf,
  withAllowedNames,
  type FunctionTool,
  type NamedTool,
  type RequestedServiceTool,
  type Tool,
  type VendorTool,
} from '../../core/conversation/tools.js';
import { definedOnly } from '../../core/defined.js';
import { isJsonObject, type Json, type JsonObject, type Vendor } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import { endpointBeside } from '../../core/money/advisors.js';
import { matchesToolName, kindOf, indexByName } from '../../core/tool.js';
import { canHold } from './vendor-domains.js';

type SearchTarget = Pick<Target, 'endpoint' | 'definition'>;

/**
 * Whether a target's vendor runs a tool by itself. `unpriced`: it does, but no price shows it, so any other party that
 * can run the tool has priority. `lacks`: the caller requires the vendor's tool, which does not have this parameter.
 * `clash`: the vendor would run it, but another tool of the request has its name there.
 */
export type ToolRun = boolean | 'unpriced' | { readonly lacks: string } | { readonly clash: string };

interface NativeForm {
  /** Parameters that the vendor's tool has. */
  readonly parameters: readonly string[];
  /** The first of these parameters whose value the vendor's tool cannot take. */
  readonly refuses?: (parameters: JsonObject) => string | undefined;
  print(parameters: JsonObject): JsonObject;
}

const WEB_SEARCH = 'openrouter:web_search';
const ADVISOR = /^advisor_\d{8}$/;
const DATE = /_\d{8}$/;

/** The form of each vendor's own web search. */
const NATIVE_SEARCH: Partial<Record<Vendor, NativeForm>> = {
  anthropic: {
    parameters: ['max_uses', 'allowed_domains', 'excluded_domains', 'user_location'],
    refuses: ({ max_uses: uses, allowed_domains: allowed, excluded_domains: excluded }) => {
      if (uses === 0) return 'max_uses';
      return hasValue(allowed) && hasValue(excluded) ? 'excluded_domains' : undefined;
    },
    print: ({ max_uses, allowed_domains, excluded_domains, user_location }) => ({
      type: 'web_search_20250305',
      name: 'web_search',
      ...definedOnly({
        max_uses,
        allowed_domains: listOrNone(allowed_domains),
        blocked_domains: listOrNone(excluded_domains),
        user_location,
      }),
    }),
  },
  'openai-responses': {
    parameters: ['allowed_domains', 'user_location', 'search_context_size', 'search_content_types'],
    print: ({ allowed_domains, user_location, search_context_size, search_content_types }) => ({
      type: 'web_search',
      ...(hasValue(allowed_domains) && { filters: { allowed_domains } }),
      ...definedOnly({ user_location, search_context_size, search_content_types }),
    }),
  },
};

/** Whether a parameter requests anything. */
const hasValue = (value: Json | undefined): value is Json =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const listOrNone = (value: Json | undefined): Json | undefined => (hasValue(value) ? value : undefined);

/**
 * A request with its tools in the form that one target takes. A tool that the gateway serves is left to the target's
 * vendor where that has the tool, and is a function elsewhere. A choice of such a tool is rewritten to match. Returns
 * the same object where there are only functions.
 */
export function withFittingTools(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  if (request.tools.every(({ type }) => type === 'function')) return request;
  const fitted = fitTools(request.tools, target, vendor);
  const fields = request.tools.filter((_, index) => !fitted[index]!.sent);
  // Tools that request the same of the vendor are sent once.
  const tools = [...new Set(fitted.flatMap(({ sent }) => sent ?? []))];
  const fitting = { ...withFittingChoice(request, fitted), tools };
  if (fields.length === 0) return fitting;
  const value = Object.assign({}, request.extras?.value, ...fields.map(printField)) as JsonObject;
  return { ...fitting, extras: { vendor, value } };
}

/** Whether, and how, the target's vendor runs each of the tools by itself, in order. */
export const toolRuns = (tools: readonly Tool[], target: SearchTarget, vendor: Vendor): readonly ToolRun[] =>
  fitTools(tools, target, vendor).map(({ run }) => run);

/** The form in which a tool reaches a target. */
interface FittedTool {
  readonly run: ToolRun;
  /** Absent: sent as a field beside the tools. */
  readonly sent?: Tool;
}

/**
 * Gives each name to one tool. Functions come first: the caller's keep their names, and no function of the gateway
 * takes the name of a vendor's tool. Then come tools that a vendor defines and the caller requests by name, and last
 * the gateway's tools that are left to a vendor.
 */
function fitTools(tools: readonly Tool[], target: SearchTarget, vendor: Vendor): readonly FittedTool[] {
  const forms = tools.map((tool) => (tool.type === 'function' ? undefined : vendorsForm(tool, target, vendor)));
  const functions = new Set(tools.flatMap((tool, index) => (forms[index] ? [] : (functionOf(tool)?.name ?? []))));
  const holders = new Map<string, VendorTool>();
  for (const type of ['vendor', 'service']) {
    for (const [index, tool] of tools.entries()) {
      const form = forms[index]?.tool;
      if (tool.type !== type || form?.name === undefined || holders.has(form.name)) continue;
      // Vendors whose own tools have no name on the wire distinguish them from functions by type.
      if (form.opaque.value['name'] === undefined || !functions.has(form.name)) holders.set(form.name, form);
    }
  }
  return tools.map((tool, index): FittedTool => {
    if (tool.type === 'function') return { run: false, sent: tool };
    if (goesAsField(tool, target, vendor)) return { run: true };
    const form = forms[index];
    if (!form) return { run: lackingNative(tool, target, vendor), sent: unrunTool(tool, vendor) };
    const { name } = form.tool;
    if (name === undefined) return { run: form.run, sent: form.tool };
    const holder = holders.get(name);
    if (holder && isSame(holder, form.tool)) return { run: form.run, sent: holder };
    return { run: { clash: name }, sent: unrunTool(tool, vendor) };
  });
}

const functionOf = (tool: Tool): FunctionTool | undefined => (tool.type === 'function' ? tool : tool.served);

/**
 * Whether two tools of one name are the same tool. Tools that the caller runs never are: the caller must distinguish
 * their calls.
 */
const isSame = (one: VendorTool, other: VendorTool): boolean =>
  one === other || (!isRunByCaller(other) && isDeepStrictEqual(one.opaque.value, other.opaque.value));

/**
 * The tool in the form of the target's vendor, and whether a price shows that the vendor has it; undefined where it has
 * none.
 */
function vendorsForm(
  tool: NamedTool,
  target: SearchTarget,
  vendor: Vendor,
): { readonly tool: VendorTool; readonly run: true | 'unpriced' } | undefined {
  const native = nativeTool(tool, target, vendor);
  if (native) return { tool: native, run: true };
  if (tool.type === 'service' || tool.served || !hasTool(tool, target, vendor)) return undefined;
  const held = heldTool(tool);
  return held && { tool: held, run: 'unpriced' };
}

/** A tool that the target's vendor does not run: the gateway's function, or a tool that its dialect refuses by name. */
function unrunTool(tool: NamedTool, vendor: Vendor): Tool {
  if (tool.served || tool.type === 'service') return tool.served ?? tool;
  // Dialects refuse by name what another vendor defines.
  return tool.opaque.vendor === vendor ? refusedTool(tool) : tool;
}

/** A choice of a tool that is not a function in the request, in the form in which the target receives the tool. */
function withFittingChoice(request: ModelRequest, fitted: readonly FittedTool[]): ModelRequest {
  const { toolChoice: choice, ...rest } = request;
  if (choice && allowedBy(choice)) {
    return { ...rest, toolChoice: withAllowedNames(choice, (names) => namesAt(names, request, fitted)) };
  }
  if (choice?.type !== 'tool') return request;
  const { name } = choice;
  if (request.tools.some((tool) => tool.type === 'function' && tool.name === name)) return request;
  const index = request.tools.findIndex((tool) => tool.type !== 'function' && matchesToolName(tool, name));
  if (index === -1) return request;
  const { sent } = fitted[index]!;
  // The vendor searches by itself, and its choices have no value for the search.
  if (!sent) return rest;
  if (sent.type === 'function') return { ...rest, toolChoice: { type: 'tool', name: sent.name } };
  if (sent.type === 'service') return request;
  return { ...rest, toolChoice: { ...choice, name: sent.name ?? name, vendorTool: sent } };
}

/** The names of these tools at the target. */
function namesAt(names: readonly string[], { tools }: ModelRequest, fitted: readonly FittedTool[]): readonly string[] {
  const indexes = indexByName(tools);
  return names.flatMap((name) => {
    const known = indexes.get(name);
    const sent = known === undefined ? undefined : fitted[known]!.sent;
    if (!sent) return [];
    return sent.type === 'service' ? name : (sent.name ?? typeOf(sent as NamedTool));
  });
}

/** Whether this target has a tool that a vendor defines: other providers of the vendor's format lack it. */
function hasTool({ opaque }: VendorTool, { definition }: SearchTarget, vendor: Vendor): boolean {
  const { type } = opaque.value;
  if (opaque.vendor !== vendor || typeof type !== 'string') return false;
  const { vendorTools = [] } = definition.quirks;
  return vendorTools === 'all' || (vendorTools as readonly string[]).includes(type.replace(DATE, ''));
}

/** A vendor's own tool with its domain rules in the vendor's form; undefined where the vendor has no form for them. */
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

/** A tool that dialects refuse by name: the target lacks it, or would not keep to its domain rules. */
const refusedTool = (tool: VendorTool): RequestedServiceTool => ({
  type: 'service',
  id: typeOf(tool) || (tool.name ?? ''),
  parameters: {},
});

/** Whether a tool that the caller requested by a field is sent as that field. */
const goesAsField = (tool: Tool, { endpoint, definition }: SearchTarget, vendor: Vendor): boolean =>
  tool.type === 'service' &&
  tool.field !== undefined &&
  tool.bound === undefined &&
  vendor === 'openai' &&
  endpoint.pricing?.webSearch !== undefined &&
  definition.quirks.omit?.includes(tool.field) !== true;

/** The field in the form of OpenAI's chat, where a location is nested one level deeper. */
function printField(tool: Tool): JsonObject {
  if (tool.type !== 'service' || tool.field === undefined) return {};
  const { user_location: known, ...options } = tool.parameters;
  if (known === undefined) return { [tool.field]: options };
  if (!isJsonObject(known) || known['type'] !== 'approximate') return { [tool.field]: tool.parameters };
  const { type, ...approximate } = known;
  return { [tool.field]: { ...options, user_location: { type, approximate } } };
}

function nativeTool(tool: NamedTool, target: SearchTarget, vendor: Vendor): VendorTool | undefined {
  const { endpoint } = target;
  // A provider with a price for searches runs them itself; any other has none.
  const searches = endpoint.pricing?.webSearch !== undefined;
  if (tool.type === 'vendor') {
    const { type } = tool.opaque.value;
    if (tool.opaque.vendor !== vendor || typeof type !== 'string') return undefined;
    if (kindOf(type) === 'web_search') return searches ? heldTool(tool) : undefined;
    if (!hasTool(tool, target, vendor)) return undefined;
    if (ADVISOR.test(type)) return tool.advisor && endpointBeside(tool.advisor, endpoint) ? tool : undefined;
    return heldTool(tool);
  }
  const form = tool.id === WEB_SEARCH && searches ? NATIVE_SEARCH[vendor] : undefined;
  const parameters = boundParameters(tool);
  if (!form || !leavesToVendor(parameters) || lackingWord(parameters, form) !== undefined) return undefined;
  if (tool.bound && !canHold(vendor, tool.bound)) return undefined;
  const { cacheMarker } = tool;
  const value = form.print(parameters);
  return { type: 'vendor', opaque: { vendor, value }, name: 'web_search', ...(cacheMarker && { cacheMarker }) };
}

/** The parameters of a search, with its domain rules. */
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

/** The parameter that this target's own search lacks, where the caller requires the vendor's search. */
function lackingNative(tool: NamedTool, { endpoint }: SearchTarget, vendor: Vendor): false | { lacks: string } {
  if (tool.type === 'vendor' || tool.id !== WEB_SEARCH || tool.parameters['engine'] !== 'native') return false;
  const form = endpoint.pricing?.webSearch === undefined ? undefined : NATIVE_SEARCH[vendor];
  const lacks = form && lackingWord(tool.parameters, form);
  return lacks !== undefined && { lacks };
}

const leavesToVendor = ({ engine = 'auto' }: JsonObject): boolean => engine === 'native' || engine === 'auto';

/** The first parameter that a vendor's search cannot take: another engine, which takes it, is better. */
function lackingWord(parameters: JsonObject, { parameters: words, refuses }: NativeForm): string | undefined {
  const lacking = Object.keys(parameters).find(
    (name) => name !== 'engine' && hasValue(parameters[name]) && !words.includes(name),
  );
  return lacking ?? refuses?.(parameters);
}
