import type { ModelRequest } from '../../core/conversation/request.js';
import type {
  FunctionTool,
  RequestedServiceTool,
  Tool,
  ToolChoice,
  VendorTool,
} from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import type { AskedTool, HandedTool, ServedTool, ServiceTool, ToolFunction, ToolSetup } from '../../core/tool.js';

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

/** Who runs a tool of a request that this gateway knows to serve, as far as its target's vendor does not. */
export interface ToolOffer {
  readonly tool: NamedTool;
  readonly type: string;
  /** Absent where every target's vendor runs it. */
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
 * function from here on; the others are fitted to each target (`providers/fit-tools.ts`). The same request where there
 * is no such tool.
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
  if (!request.tools.some(isKnown)) return { request, offered: NO_TOOLS, offers: NO_OFFERS };
  const names = new Set(request.tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])));
  const offered = new Map<string, OfferedTool>();
  const offers: ToolOffer[] = [];
  const called = new Map<string, string>();
  const tools = request.tools.map((tool, index): Tool => {
    const service = tool.type === 'function' ? undefined : services.get(typeOf(tool));
    if (!service || tool.type === 'function') return tool;
    const type = typeOf(tool);
    const native = nativeTargets(tool);
    const asked: AskedTool = { type, parameters: parametersOf(tool), path: pathOf(tool, index) };
    if (typeof native === 'object') throw withoutWord(asked, native.lacks);
    const offer = native === 'all' ? undefined : offerOf(service, asked, setup, native);
    offers.push({ tool, type, ...(offer && { offer }) });
    if (!offer) return tool;
    // The caller answers by the name he knows.
    const name = offer.runsAt === 'caller' ? offer.shown.name : uniqueName(offer.shown.name, names);
    names.add(name);
    called.set(type, name).set(offer.shown.name, name);
    if (offer.runsAt === 'gateway') offered.set(name, { type, name: offer.shown.name, service, tool: offer });
    const served = functionOf(offer.shown, name, tool);
    return native === 'some' ? { ...tool, served } : served;
  });
  const { toolChoice } = request;
  const choice = toolChoice && { toolChoice: withName(toolChoice, called) };
  return { request: { ...request, tools, ...choice }, offered, offers };
}

const NO_TOOLS: OfferedTools = new Map();
const NO_OFFERS: readonly ToolOffer[] = [];

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

const typeOf = (tool: NamedTool): string => {
  const type = tool.type === 'service' ? tool.id : tool.opaque.value['type'];
  return typeof type === 'string' ? type : '';
};

function parametersOf(tool: NamedTool): AskedTool['parameters'] {
  if (tool.type === 'service') return tool.parameters;
  const { type: _type, name: _name, cache_control: _marker, ...parameters } = tool.opaque.value;
  return parameters;
}

const pathOf = (tool: NamedTool, index: number): string =>
  (tool.type === 'service' ? tool.field : undefined) ?? `tools.${index}`;

const withoutWord = ({ path }: AskedTool, parameter: string): GatewayError =>
  new GatewayError(
    'invalid-request',
    `${path}.parameters.${parameter}: no search of a vendor that could answer can be told it; leave it out, or do not ask for the engine native`,
  );

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
  return unique;
}

const functionOf = ({ description, inputSchema }: ToolFunction, name: string, tool: NamedTool): FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema,
  ...(tool.type === 'vendor' && tool.cacheMarker && { cacheMarker: tool.cacheMarker }),
});

/** A choice of a served tool, by its type or its own name. */
function withName(choice: ToolChoice, called: ReadonlyMap<string, string>): ToolChoice {
  const name = choice.type === 'tool' ? called.get(choice.name) : undefined;
  return name === undefined ? choice : { type: 'tool', name };
}
