import { isDeepStrictEqual } from 'node:util';
import type { ModelRequest } from '../core/conversation/request.js';
import {
  isRunByCaller,
  typeOf,
  type FunctionTool,
  type NamedTool,
  type RequestedServiceTool,
  type Tool,
  type VendorTool,
} from '../core/conversation/tools.js';
import { definedOnly } from '../core/defined.js';
import { isJsonObject, type Json, type JsonObject, type Vendor } from '../core/json/json.js';
import type { Target } from '../core/provider.js';
import { endpointBeside } from '../core/money/advisors.js';
import { kindOf, ownName } from '../core/tool.js';
import { canHold } from './vendor-domains.js';

type SearchTarget = Pick<Target, 'endpoint' | 'definition'>;

/**
 * Whether a target's vendor runs a tool by itself. `unsaid`: it is to be had there, though nothing says at what price:
 * whoever else runs it is asked first. `lacks`: it is to be the vendor's, whose own has no word for this parameter.
 * `clash`: it would be the vendor's, if no other tool of the request had this name there.
 */
export type ToolRun = boolean | 'unsaid' | { readonly lacks: string } | { readonly clash: string };

interface NativeForm {
  /** Parameters that it has a word for. */
  readonly parameters: readonly string[];
  /** What of them it cannot be told all the same. */
  readonly refuses?: (parameters: JsonObject) => string | undefined;
  print(parameters: JsonObject): JsonObject;
}

const WEB_SEARCH = 'openrouter:web_search';
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
 * them, and are functions elsewhere. A choice of one of them means it in the form that it has there. The same request
 * where there are functions only.
 */
export function withFittingTools(request: ModelRequest, target: Target, vendor: Vendor): ModelRequest {
  if (request.tools.every(({ type }) => type === 'function')) return request;
  const fitted = fitTools(request.tools, target, vendor);
  const fields = request.tools.filter((_, place) => !fitted[place]!.sent);
  // Those that ask for the same of the vendor are one.
  const tools = [...new Set(fitted.flatMap(({ sent }) => sent ?? []))];
  const fitting = { ...withFittingChoice(request, fitted), tools };
  if (fields.length === 0) return fitting;
  const value = Object.assign({}, request.extras?.value, ...fields.map(printField)) as JsonObject;
  return { ...fitting, extras: { vendor, value } };
}

/** Whether, and how, the target's vendor runs each of the tools by itself, in their order. */
export const toolRuns = (tools: readonly Tool[], target: SearchTarget, vendor: Vendor): readonly ToolRun[] =>
  fitTools(tools, target, vendor).map(({ run }) => run);

/** How a tool reaches a target. */
interface FittedTool {
  readonly run: ToolRun;
  /** Absent: as a field beside the tools. */
  readonly sent?: Tool;
}

/**
 * A name is one tool's alone. Functions have theirs: the caller's stay what they are, and the gateway gives no name to
 * one that a vendor's tool has. Then come what vendors define, which the caller asked for by its name, and what the
 * gateway would leave to them.
 */
function fitTools(tools: readonly Tool[], target: SearchTarget, vendor: Vendor): readonly FittedTool[] {
  const forms = tools.map((tool) => (tool.type === 'function' ? undefined : vendorsForm(tool, target, vendor)));
  const functions = new Set(tools.flatMap((tool, place) => (forms[place] ? [] : (functionOf(tool)?.name ?? []))));
  const holders = new Map<string, VendorTool>();
  for (const type of ['vendor', 'service']) {
    for (const [place, tool] of tools.entries()) {
      const form = forms[place]?.tool;
      if (tool.type !== type || form?.name === undefined || holders.has(form.name)) continue;
      // Vendors whose own tools have no name on the wire tell them from functions by their type.
      if (form.opaque.value['name'] === undefined || !functions.has(form.name)) holders.set(form.name, form);
    }
  }
  return tools.map((tool, place): FittedTool => {
    if (tool.type === 'function') return { run: false, sent: tool };
    if (goesAsField(tool, target, vendor)) return { run: true };
    const form = forms[place];
    if (!form) return { run: lackingNative(tool, target, vendor), sent: unrunTool(tool, vendor) };
    const { name } = form.tool;
    if (name === undefined) return { run: form.run, sent: form.tool };
    const holder = holders.get(name);
    if (holder && isSame(holder, form.tool)) return { run: form.run, sent: holder };
    return { run: { clash: name }, sent: unrunTool(tool, vendor) };
  });
}

const functionOf = (tool: Tool): FunctionTool | undefined => (tool.type === 'function' ? tool : tool.served);

/** Whether two tools of one name are one: what the caller runs he would answer by it, and has to tell apart. */
const isSame = (one: VendorTool, other: VendorTool): boolean =>
  one === other || (!isRunByCaller(other) && isDeepStrictEqual(one.opaque.value, other.opaque.value));

/** The tool as the target's vendor has it by itself, and whether that is said by a price; undefined: it has none. */
function vendorsForm(
  tool: NamedTool,
  target: SearchTarget,
  vendor: Vendor,
): { readonly tool: VendorTool; readonly run: true | 'unsaid' } | undefined {
  const native = nativeTool(tool, target, vendor);
  if (native) return { tool: native, run: true };
  if (tool.type === 'service' || tool.served || !hasTool(tool, target, vendor)) return undefined;
  const held = heldTool(tool);
  return held && { tool: held, run: 'unsaid' };
}

/** A tool that the target's vendor does not run: the gateway's function, or what its dialect refuses by its name. */
function unrunTool(tool: NamedTool, vendor: Vendor): Tool {
  if (tool.served || tool.type === 'service') return tool.served ?? tool;
  // Dialects refuse by name what another vendor defines.
  return tool.opaque.vendor === vendor ? refusedTool(tool) : tool;
}

/** A choice of a tool that is no function in the request, as that one is sent to the target. */
function withFittingChoice(request: ModelRequest, fitted: readonly FittedTool[]): ModelRequest {
  const { toolChoice: choice, ...rest } = request;
  if (choice?.type !== 'tool') return request;
  const { name } = choice;
  if (request.tools.some((tool) => tool.type === 'function' && tool.name === name)) return request;
  const place = request.tools.findIndex((tool) => tool.type !== 'function' && answersTo(tool, name));
  if (place === -1) return request;
  const { sent } = fitted[place]!;
  // Who is asked by a field searches by himself, and has no word for it among the choices.
  if (!sent) return rest;
  if (sent.type === 'function') return { ...rest, toolChoice: { type: 'tool', name: sent.name } };
  if (sent.type === 'service') return request;
  return { ...rest, toolChoice: { ...choice, name: sent.name ?? name, vendorTool: sent } };
}

/** Those that have a function beside them are chosen by its name. */
const answersTo = (tool: NamedTool, name: string): boolean =>
  tool.served ? tool.served.name === name : typeOf(tool) === name || ownName(tool) === name;

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
const refusedTool = (tool: VendorTool): RequestedServiceTool => ({
  type: 'service',
  id: typeOf(tool) || (tool.name ?? ''),
  parameters: {},
});

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

/** What of a search that is to be the vendor's this target's own has no word for. */
function lackingNative(tool: NamedTool, { endpoint }: SearchTarget, vendor: Vendor): false | { lacks: string } {
  if (tool.type === 'vendor' || tool.id !== WEB_SEARCH || tool.parameters['engine'] !== 'native') return false;
  const form = endpoint.pricing?.webSearch === undefined ? undefined : NATIVE_SEARCH[vendor];
  const lacks = form && lackingWord(tool.parameters, form);
  return lacks !== undefined && { lacks };
}

const leavesToVendor = ({ engine = 'auto' }: JsonObject): boolean => engine === 'native' || engine === 'auto';

/** The first parameter that a vendor's search cannot be told: another search is better than one without it. */
function lackingWord(parameters: JsonObject, { parameters: words, refuses }: NativeForm): string | undefined {
  const lacking = Object.keys(parameters).find(
    (name) => name !== 'engine' && asks(parameters[name]) && !words.includes(name),
  );
  return lacking ?? refuses?.(parameters);
}
