import type { ModelRequest } from '../../core/conversation/request.js';
import type {
  FunctionTool,
  PluginsTool,
  RequestedServiceTool,
  Tool,
  ToolChoice,
  VendorTool,
} from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import type { AskedTool, HandedTool, ServedTool, ServiceTool, ToolSetup } from '../../core/tool.js';
import { UniqueNames } from './unique-names.js';

/** A tool that this gateway runs for one generation. */
export interface OfferedTool {
  /** As it was asked for. */
  readonly type: string;
  /** Its own name, which the caller is told. */
  readonly name: string;
  readonly service: ServiceTool;
  readonly tool: ServedTool;
}

/** By the name that the model knows it by. */
export type OfferedTools = ReadonlyMap<string, OfferedTool>;

/** Who runs a tool of a request that is no function of the caller's, as far as its target's vendor does not. */
export interface ToolOffer {
  readonly tool: NamedTool;
  readonly type: string;
  /** Absent where every target's vendor runs it, and where this gateway does not know to serve it. */
  readonly offer?: ServedTool | HandedTool;
}

/** A request with the tools that this gateway serves as models are shown them. */
export interface OfferedRequest {
  readonly request: ModelRequest;
  readonly offered: OfferedTools;
  /** In the order of the request. */
  readonly offers: readonly ToolOffer[];
}

/**
 * Of those that may be called, which vendors run a tool by themselves. `lacks`: none does, though one was asked for
 * that has no word for this parameter.
 */
export type NativeTargets = (tool: Tool) => 'all' | 'some' | 'perhaps' | 'none' | { readonly lacks: string };

type NamedTool = VendorTool | RequestedServiceTool;

/**
 * Has the tools of a request ready that this gateway knows to serve. What no target's vendor runs by itself is a
 * function from here on, or left to the plugin that asked for it; the others are fitted to each target
 * (`providers/fit-tools.ts`). The same request where there is no such tool.
 * @throws GatewayError `invalid-request` naming the setting that a tool lacks which nobody else runs, or the parameter
 *   that keeps the vendor from running what only he was asked for
 */
export function offerTools(
  request: ModelRequest,
  services: ReadonlyMap<string, ServiceTool>,
  setup: ToolSetup,
  nativeTargets: NativeTargets,
): OfferedRequest {
  const isKnown = (tool: Tool): boolean => tool.type !== 'function' && services.has(typeOf(tool));
  if (!request.tools.some(isKnown))
    return { request, offered: NO_TOOLS, offers: request.tools.flatMap((tool) => offersOf(tool)) };
  const entries = request.tools.flatMap((tool, index): Entry | Entry[] => {
    const service = tool.type === 'function' ? undefined : services.get(typeOf(tool));
    if (!service || tool.type === 'function') return { tool };
    const native = nativeTargets(tool);
    const { bound } = tool;
    const asked: AskedTool = {
      type: typeOf(tool),
      parameters: parametersOf(tool),
      path: pathOf(tool, index),
      ...(bound && { bound }),
    };
    const plugin = tool.type === 'service' ? tool.byPlugin : undefined;
    if (typeof native === 'object') throw withoutWord(fieldOf(asked, native.lacks, plugin));
    if (plugin && native !== 'all') return [];
    const offer = native === 'all' ? undefined : offerOf(service, asked, setup, native);
    return { tool, known: { named: tool, service, native, ...(offer && { offer }) } };
  });
  const names = callersNames(entries);
  const callers = new Set(names);
  const free = new UniqueNames(names);
  const offered = new Map<string, OfferedTool>();
  const called = new Map<string, string>();
  const tools = entries.map(({ tool, known }): Tool => {
    if (!known?.offer) return tool;
    const { named, service, native, offer } = known;
    const type = typeOf(named);
    // The caller answers by the name he knows.
    const name = offer.runsAt === 'caller' ? offer.shown.name : free.of(offer.shown.name);
    names.add(name);
    called.set(type, name);
    // What the caller has of this name himself is what he means by it.
    if (!callers.has(offer.shown.name)) called.set(offer.shown.name, name);
    if (offer.runsAt === 'gateway') offered.set(name, { type, name: offer.shown.name, service, tool: offer });
    const served = functionOf(offer, name, named);
    return native === 'some' ? { ...named, served } : served;
  });
  const offers = entries.flatMap(({ tool, known }) => offersOf(tool, known?.offer));
  const { toolChoice } = request;
  const choice = toolChoice && { toolChoice: withName(toolChoice, called) };
  return { request: { ...request, tools, ...choice }, offered, offers };
}

/** A tool of the request, and what is known of it where this gateway could serve it. */
interface Entry {
  readonly tool: Tool;
  readonly known?: {
    readonly named: NamedTool;
    readonly service: ServiceTool;
    readonly native: ReturnType<NativeTargets>;
    /** Absent where every target's vendor runs it. */
    readonly offer?: ServedTool | HandedTool;
  };
}

/**
 * What the caller's own tools are called, and vendors': the gateway's give way.
 * @throws GatewayError `invalid-request` where two of the caller's have one name
 */
function callersNames(entries: readonly Entry[]): Set<string> {
  const names = new Set(entries.flatMap(({ tool }) => (tool.type === 'function' ? [tool.name] : [])));
  for (const [index, { tool, known }] of entries.entries()) {
    if (known?.offer?.runsAt === 'gateway') continue;
    const name = known?.offer ? known.offer.shown.name : tool.type === 'vendor' ? tool.name : undefined;
    if (name === undefined) continue;
    if (known?.offer && names.has(name))
      throw new GatewayError('invalid-request', `tools.${index}: another tool is called ${name}`);
    names.add(name);
  }
  return names;
}

const NO_TOOLS: OfferedTools = new Map();
const NO_OFFERS: readonly ToolOffer[] = [];

const offersOf = (tool: Tool, offer?: ServedTool | HandedTool): readonly ToolOffer[] =>
  tool.type === 'function' ? NO_OFFERS : [{ tool, type: typeOf(tool), ...(offer && { offer }) }];

/** What vendors run by themselves, or may, needs no setting of ours: it goes to them as it came. */
function offerOf(
  service: ServiceTool,
  asked: AskedTool,
  setup: ToolSetup,
  native: 'some' | 'perhaps' | 'none',
): ServedTool | HandedTool | undefined {
  try {
    return service.offer(asked, setup);
  } catch (error) {
    if (native !== 'none' && error instanceof GatewayError && error.kind === 'invalid-request') return undefined;
    throw error;
  }
}

/** As it was asked for. */
export const typeOf = (tool: NamedTool): string => {
  const type = tool.type === 'service' ? tool.id : tool.opaque.value['type'];
  return typeof type === 'string' ? type : '';
};

function parametersOf(tool: NamedTool): AskedTool['parameters'] {
  if (tool.type === 'service') return tool.parameters;
  const { type: _type, name: _name, cache_control: _marker, ...parameters } = tool.opaque.value;
  return parameters;
}

const pathOf = (tool: NamedTool, index: number): string =>
  (tool.type === 'service' ? (tool.path ?? tool.field) : undefined) ?? `tools.${index}`;

const fieldOf = ({ path }: AskedTool, parameter: string, plugin: PluginsTool | undefined): string =>
  plugin ? `${plugin.path}.${plugin.options[parameter] ?? parameter}` : `${path}.parameters.${parameter}`;

const withoutWord = (field: string): GatewayError =>
  new GatewayError(
    'invalid-request',
    `${field}: no search of a vendor that could answer can be told it; leave it out, or do not ask for the engine native`,
  );

const functionOf = ({ shown, runsAt }: ServedTool | HandedTool, name: string, tool: NamedTool): FunctionTool => ({
  type: 'function',
  name,
  description: shown.description,
  inputSchema: shown.inputSchema,
  ...(runsAt === 'gateway' && { isServed: true }),
  ...(tool.cacheMarker && { cacheMarker: tool.cacheMarker }),
});

/** A choice of a served tool, by its type or its own name. */
function withName(choice: ToolChoice, called: ReadonlyMap<string, string>): ToolChoice {
  const name = choice.type === 'tool' ? called.get(choice.name) : undefined;
  return name === undefined ? choice : { type: 'tool', name };
}
