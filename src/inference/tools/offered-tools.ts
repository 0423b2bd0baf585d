import type { ModelRequest } from '../../core/conversation/request.js';
import {
  allowedBy,
  typeOf,
  withAllowedNames,
  type FunctionTool,
  type NamedTool,
  type PluginsTool,
  type Tool,
  type ToolChoice,
} from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import {
  ownName,
  parameterPath,
  type RequestedTool,
  type CallerRunTool,
  type GatewayRunTool,
  type ServiceTool,
  type ToolSetup,
} from '../../core/tool.js';
import type { Warning } from '../../core/warning.js';
import { NumberedNames } from './numbered-names.js';

/** A tool that this gateway runs for one generation. */
export interface OfferedTool {
  /** The type that the caller named. */
  readonly type: string;
  /** Name of the tool as the caller sees it. */
  readonly name: string;
  readonly service: ServiceTool;
  readonly tool: GatewayRunTool;
}

/** The tools, by the names that the model knows. */
export type OfferedTools = ReadonlyMap<string, OfferedTool>;

/** The party that runs a tool, other than a function of the caller, if the vendor of its target does not. */
export interface ToolOffer {
  readonly tool: NamedTool;
  readonly type: string;
  /** Index of the tool among the request's tools, as models receive them. */
  readonly toolIndex: number;
  /** Absent where every target's vendor runs it, and where this gateway cannot serve it. */
  readonly offer?: GatewayRunTool | CallerRunTool;
  /** The name that models have for it where it is shown as a function. */
  readonly name?: string;
}

/** A request with the tools that this gateway serves, as models see them. */
export interface OfferedRequest {
  readonly request: ModelRequest;
  readonly offered: OfferedTools;
  /** Offers in the order of the request. */
  readonly offers: readonly ToolOffer[];
  /** Warnings about tools that are left out. */
  readonly warnings: readonly Warning[];
}

/**
 * Whether vendors among the possible targets run a tool by themselves. `lacks`: none does, though the caller demands a
 * vendor's, which has no field for this parameter. `clash`: none does, because another tool of the request has this
 * name there.
 */
export type NativeRuns = 'all' | 'some' | 'perhaps' | 'none' | { readonly lacks: string } | { readonly clash: string };

/** Returns one entry for each tool of a request, in the same order. */
export type NativeTargets = (tools: readonly Tool[]) => readonly NativeRuns[];

/** The dependencies of offering a request's tools. */
interface Offering {
  readonly services: ReadonlyMap<string, ServiceTool>;
  readonly setup: ToolSetup;
  /** The caller leaves it to the model whether it calls a tool, and which. */
  readonly mayLeaveOut: boolean;
}

/**
 * Prepares the tools of a request that this gateway can serve. A tool that no target's vendor runs becomes a function,
 * or is left to the plugin that requested it; the others are fitted to each target (`providers/fitting/fit-tools.ts`).
 * @throws GatewayError `invalid-request` naming the missing setting of a tool that no vendor runs, the parameter that
 *   keeps the vendor from running a tool that only it may run, or the name that two tools would have
 */
export function offerTools(
  request: ModelRequest,
  services: ReadonlyMap<string, ServiceTool>,
  setup: ToolSetup,
  nativeTargets: NativeTargets,
): OfferedRequest {
  const natives = nativeTargets(request.tools);
  const offering = { services, setup, mayLeaveOut: isFree(request.toolChoice) };
  const warnings: Warning[] = [];
  const entries = request.tools.flatMap((tool, index) => {
    const { entry, warning } = entryOf(tool, index, natives[index]!, offering);
    if (warning) warnings.push(warning);
    return entry ? [entry] : [];
  });
  const inTurn = entries.toSorted((one, other) => turnOf(one) - turnOf(other));
  const callers = callersNames(entries);
  const names = namesOf(inTurn, callers);
  const offered = new Map<string, OfferedTool>();
  const tools = entries.map((entry): Tool => {
    const { tool, native, known } = entry;
    if (tool.type === 'function' || !known?.offer) return tool;
    const { service, offer } = known;
    const name = names.get(entry)!;
    if (offer.runsAt === 'gateway')
      offered.set(name, { type: typeOf(tool), name: offer.asFunction.name, service, tool: offer });
    const served = functionOf(offer, name, tool);
    return native === 'some' ? { ...tool, served } : served;
  });
  const offers = entries.flatMap((entry, toolIndex) => offersOf(entry, toolIndex, names.get(entry)));
  // A tool to which the gateway gives no name is found by the caller's name for it, at each target.
  const shown = (word: string): string | undefined => {
    const chosen = chosenBy(word, inTurn, callers);
    return chosen && names.get(chosen);
  };
  return { request: { ...request, tools, ...shownChoice(request.toolChoice, shown) }, offered, offers, warnings };
}

const isFree = (choice: ToolChoice | undefined): boolean =>
  choice === undefined || ((choice.type === 'auto' || choice.type === 'none') && !allowedBy(choice));

/** A choice by the names that models know the tools by; nothing where it has them already. */
function shownChoice(
  choice: ToolChoice | undefined,
  shown: (word: string) => string | undefined,
): { readonly toolChoice?: ToolChoice } {
  if (choice && allowedBy(choice)) {
    return { toolChoice: withAllowedNames(choice, (words) => words.map((word) => shown(word) ?? word)) };
  }
  const name = choice?.type === 'tool' ? shown(choice.name) : undefined;
  return name === undefined ? {} : { toolChoice: { type: 'tool', name } };
}

/** A tool of the request, and its definition if this gateway could serve it. */
interface Entry {
  readonly tool: Tool;
  readonly native: NativeRuns;
  readonly known?: {
    readonly service: ServiceTool;
    /** Absent where every target's vendor runs it. */
    readonly offer?: GatewayRunTool | CallerRunTool;
  };
}

/**
 * The outcome for a tool. Without an entry, the plugin that requested it handles it, or it is left out with a warning.
 */
interface Outcome {
  readonly entry?: Entry;
  readonly warning?: Warning;
}

const LEFT_OUT = 'is left out: no vendor of this model runs it here, and this gateway lacks an engine for it';

function entryOf(tool: Tool, index: number, native: NativeRuns, offering: Offering): Outcome {
  const { services, setup, mayLeaveOut } = offering;
  if (tool.type === 'function') return { entry: { tool, native } };
  const { bound } = tool;
  const requested: RequestedTool = {
    type: typeOf(tool),
    parameters: parametersOf(tool),
    path: pathOf(tool, index),
    ...(bound && { bound }),
    ...(tool.type === 'service' && tool.parametersPath !== undefined && { parametersPath: tool.parametersPath }),
    ...(tool.type === 'service' && tool.parameterFields && { parameterFields: tool.parameterFields }),
  };
  const service = services.get(requested.type);
  if (!service) {
    if (typeof native === 'object' && 'clash' in native) throw nameTaken(requested, native.clash);
    return { entry: { tool, native } };
  }
  const plugin = tool.type === 'service' ? tool.byPlugin : undefined;
  if (typeof native === 'object' && 'lacks' in native) throw withoutWord(fieldOf(requested, native.lacks, plugin));
  if (plugin && native !== 'all') return {};
  try {
    const offer = native === 'all' ? undefined : offerOf(service, requested, setup, native);
    return { entry: { tool, native, known: { service, ...(offer && { offer }) } } };
  } catch (error) {
    if (!mayLeaveOut || tool.type !== 'service' || !tool.isByDefault || !(error instanceof GatewayError)) throw error;
    return { warning: { field: requested.path, message: LEFT_OUT } };
  }
}

/**
 * The order in which the gateway's tools take their names: first those that a vendor has by the same name, and of these
 * first the ones that the caller named, as for a vendor's tool. Targets resolve names in the same order.
 */
const turnOf = ({ tool, native }: Entry): number => (native === 'some' ? 0 : 2) + (tool.type === 'vendor' ? 0 : 1);

/**
 * The names of the caller's own tools, and of those that vendors run at every target: the gateway's tools give way.
 * @throws GatewayError `invalid-request` where two of the caller's have one name
 */
function callersNames(entries: readonly Entry[]): Set<string> {
  const names = new Set(entries.flatMap(({ tool }) => (tool.type === 'function' ? [tool.name] : [])));
  const callerRunNames = new Set<string>();
  for (const [index, { tool, known }] of entries.entries()) {
    if (tool.type === 'function' || known?.offer?.runsAt === 'gateway') continue;
    const name = known?.offer ? known.offer.asFunction.name : ownName(tool);
    if (name === undefined) continue;
    // Names of two vendors' tools are checked where their targets are known.
    if ((known?.offer ? names : callerRunNames).has(name))
      throw nameTaken({ type: typeOf(tool), path: pathOf(tool, index) }, name);
    names.add(name);
    if (known?.offer) callerRunNames.add(name);
  }
  return names;
}

/** The names that models have for the tools that are shown as functions. */
function namesOf(inTurn: readonly Entry[], callers: ReadonlySet<string>): ReadonlyMap<Entry, string> {
  const taken = new Set(callers);
  const free = new NumberedNames(taken);
  const names = new Map<Entry, string>();
  for (const entry of inTurn) {
    const offer = entry.known?.offer;
    if (!offer) continue;
    // The caller answers by the name that it knows.
    const name = offer.runsAt === 'caller' ? offer.asFunction.name : free.of(offer.asFunction.name);
    taken.add(name);
    names.set(entry, name);
  }
  return names;
}

/** The tool that a choice means by its type, or by its own name, unless the caller has a tool of that name. */
function chosenBy(name: string, inTurn: readonly Entry[], callers: ReadonlySet<string>): Entry | undefined {
  const byType = inTurn.find(({ tool }) => tool.type !== 'function' && typeOf(tool) === name);
  if (byType || callers.has(name)) return byType;
  return inTurn.find(({ known }) => known?.offer?.asFunction.name === name);
}

/** For a request that names none of the gateway's tools. */
export const NO_TOOLS: OfferedTools = new Map();
export const NO_OFFERS: readonly ToolOffer[] = [];

const offersOf = ({ tool, known }: Entry, toolIndex: number, name: string | undefined): readonly ToolOffer[] =>
  tool.type === 'function'
    ? NO_OFFERS
    : [
        {
          tool,
          type: typeOf(tool),
          toolIndex,
          ...(known?.offer && { offer: known.offer }),
          ...(name !== undefined && { name }),
        },
      ];

/** A tool that vendors run, or may run, needs no setting of the gateway: they receive it unchanged. */
function offerOf(
  service: ServiceTool,
  requested: RequestedTool,
  setup: ToolSetup,
  native: Exclude<NativeRuns, 'all'>,
): GatewayRunTool | CallerRunTool | undefined {
  try {
    return service.offer(requested, setup);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.kind !== 'invalid-request') throw error;
    if (native === 'some' || native === 'perhaps') return undefined;
    if (typeof native === 'object' && 'clash' in native) throw nameTaken(requested, native.clash, error.message);
    throw error;
  }
}

function parametersOf(tool: NamedTool): RequestedTool['parameters'] {
  if (tool.type === 'service') return tool.parameters;
  const { type: _type, name: _name, cache_control: _marker, ...parameters } = tool.opaque.value;
  return parameters;
}

const pathOf = (tool: NamedTool, index: number): string =>
  tool.path ?? (tool.type === 'service' ? tool.field : undefined) ?? `tools.${index}`;

const fieldOf = (requested: RequestedTool, parameter: string, plugin: PluginsTool | undefined): string =>
  plugin ? `${plugin.path}.${plugin.options[parameter] ?? parameter}` : parameterPath(requested, parameter);

const withoutWord = (field: string): GatewayError =>
  new GatewayError(
    'invalid-request',
    `${field}: no vendor whose search could be used accepts it; leave it out, or choose another engine than native`,
  );

/** @param why this gateway cannot serve it under another name */
const nameTaken = ({ type, path }: Pick<RequestedTool, 'type' | 'path'>, name: string, why?: string): GatewayError => {
  const clash = `${path}: another tool is called ${name}, as ${type} is`;
  const message = why === undefined ? clash : `${clash}, and it cannot be served under another name: ${why}`;
  return new GatewayError('invalid-request', message);
};

const functionOf = (
  { asFunction, runsAt }: GatewayRunTool | CallerRunTool,
  name: string,
  tool: NamedTool,
): FunctionTool => ({
  type: 'function',
  name,
  description: asFunction.description,
  inputSchema: asFunction.inputSchema,
  ...(runsAt === 'gateway' && { isServed: true }),
  ...(tool.cacheMarker && { cacheMarker: tool.cacheMarker }),
});
