import type { ModelRequest } from '../../core/conversation/request.js';
import {
  typeOf,
  type FunctionTool,
  type NamedTool,
  type PluginsTool,
  type Tool,
} from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import {
  ownName,
  type AskedTool,
  type HandedTool,
  type ServedTool,
  type ServiceTool,
  type ToolSetup,
} from '../../core/tool.js';
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
  /** Where it stands among the tools of the request as models are shown it. */
  readonly place: number;
  /** Absent where every target's vendor runs it, and where this gateway does not know to serve it. */
  readonly offer?: ServedTool | HandedTool;
  /** What models know it by where it is shown as a function. */
  readonly name?: string;
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
 * that has no word for this parameter. `clash`: none does, for another tool of the request has this name there.
 */
export type NativeRuns = 'all' | 'some' | 'perhaps' | 'none' | { readonly lacks: string } | { readonly clash: string };

/** Of each tool of a request, in its order. */
export type NativeTargets = (tools: readonly Tool[]) => readonly NativeRuns[];

/** What a request's tools are offered by. */
interface Offering {
  readonly services: ReadonlyMap<string, ServiceTool>;
  readonly setup: ToolSetup;
}

/**
 * Has the tools of a request ready that this gateway knows to serve. What no target's vendor runs by itself is a
 * function from here on, or left to the plugin that asked for it; the others are fitted to each target
 * (`providers/fit-tools.ts`).
 * @throws GatewayError `invalid-request` naming the setting that a tool lacks which nobody else runs, the parameter
 *   that keeps the vendor from running what only he was asked for, or the name that two tools would have
 */
export function offerTools(
  request: ModelRequest,
  services: ReadonlyMap<string, ServiceTool>,
  setup: ToolSetup,
  nativeTargets: NativeTargets,
): OfferedRequest {
  const natives = nativeTargets(request.tools);
  const entries = request.tools.flatMap((tool, index) => entriesOf(tool, index, natives[index]!, { services, setup }));
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
      offered.set(name, { type: typeOf(tool), name: offer.shown.name, service, tool: offer });
    const served = functionOf(offer, name, tool);
    return native === 'some' ? { ...tool, served } : served;
  });
  const offers = entries.flatMap((entry, place) => offersOf(entry, place, names.get(entry)));
  const { toolChoice } = request;
  const chosen = toolChoice?.type === 'tool' ? chosenBy(toolChoice.name, inTurn, callers) : undefined;
  const name = chosen && names.get(chosen);
  // What has no name of ours is found again by the caller's word for it, at each target.
  const choice = name !== undefined && { toolChoice: { type: 'tool', name } as const };
  return { request: { ...request, tools, ...choice }, offered, offers };
}

/** A tool of the request, and what is known of it where this gateway could serve it. */
interface Entry {
  readonly tool: Tool;
  readonly native: NativeRuns;
  readonly known?: {
    readonly service: ServiceTool;
    /** Absent where every target's vendor runs it. */
    readonly offer?: ServedTool | HandedTool;
  };
}

/** @returns nothing for what is left to the plugin that asked for it */
function entriesOf(tool: Tool, index: number, native: NativeRuns, { services, setup }: Offering): readonly Entry[] {
  if (tool.type === 'function') return [{ tool, native }];
  const { bound } = tool;
  const asked: AskedTool = {
    type: typeOf(tool),
    parameters: parametersOf(tool),
    path: pathOf(tool, index),
    ...(bound && { bound }),
  };
  const service = services.get(asked.type);
  if (!service) {
    if (typeof native === 'object' && 'clash' in native) throw nameTaken(asked, native.clash);
    return [{ tool, native }];
  }
  const plugin = tool.type === 'service' ? tool.byPlugin : undefined;
  if (typeof native === 'object' && 'lacks' in native) throw withoutWord(fieldOf(asked, native.lacks, plugin));
  if (plugin && native !== 'all') return [];
  const offer = native === 'all' ? undefined : offerOf(service, asked, setup, native);
  return [{ tool, native, known: { service, ...(offer && { offer }) } }];
}

/**
 * Who takes his name first of those that the gateway serves: what a vendor has by that name as well, and of these what
 * the caller asked for by a name, as he does for a vendor's tool. So targets give the names away, too.
 */
const turnOf = ({ tool, native }: Entry): number => (native === 'some' ? 0 : 2) + (tool.type === 'vendor' ? 0 : 1);

/**
 * What the caller's own tools are called, and those that vendors run at every target: the gateway's give way.
 * @throws GatewayError `invalid-request` where two of the caller's have one name
 */
function callersNames(entries: readonly Entry[]): Set<string> {
  const names = new Set(entries.flatMap(({ tool }) => (tool.type === 'function' ? [tool.name] : [])));
  const handed = new Set<string>();
  for (const [index, { tool, known }] of entries.entries()) {
    if (tool.type === 'function' || known?.offer?.runsAt === 'gateway') continue;
    const name = known?.offer ? known.offer.shown.name : ownName(tool);
    if (name === undefined) continue;
    // What two vendors' own are called is judged where their targets are known.
    if ((known?.offer ? names : handed).has(name))
      throw nameTaken({ type: typeOf(tool), path: `tools.${index}` }, name);
    names.add(name);
    if (known?.offer) handed.add(name);
  }
  return names;
}

/** What models know the tools by that they are shown as functions. */
function namesOf(inTurn: readonly Entry[], callers: ReadonlySet<string>): ReadonlyMap<Entry, string> {
  const taken = new Set(callers);
  const free = new UniqueNames(taken);
  const names = new Map<Entry, string>();
  for (const entry of inTurn) {
    const offer = entry.known?.offer;
    if (!offer) continue;
    // The caller answers by the name he knows.
    const name = offer.runsAt === 'caller' ? offer.shown.name : free.of(offer.shown.name);
    taken.add(name);
    names.set(entry, name);
  }
  return names;
}

/** The tool that a choice means by its type, or by its own name, unless the caller has something of that name. */
function chosenBy(name: string, inTurn: readonly Entry[], callers: ReadonlySet<string>): Entry | undefined {
  const byType = inTurn.find(({ tool }) => tool.type !== 'function' && typeOf(tool) === name);
  if (byType || callers.has(name)) return byType;
  return inTurn.find(({ known }) => known?.offer?.shown.name === name);
}

/** Of a request that names none of the gateway's. */
export const NO_TOOLS: OfferedTools = new Map();
export const NO_OFFERS: readonly ToolOffer[] = [];

const offersOf = ({ tool, known }: Entry, place: number, name: string | undefined): readonly ToolOffer[] =>
  tool.type === 'function'
    ? NO_OFFERS
    : [
        {
          tool,
          type: typeOf(tool),
          place,
          ...(known?.offer && { offer: known.offer }),
          ...(name !== undefined && { name }),
        },
      ];

/** What vendors run by themselves, or may, needs no setting of ours: it goes to them as it came. */
function offerOf(
  service: ServiceTool,
  asked: AskedTool,
  setup: ToolSetup,
  native: Exclude<NativeRuns, 'all'>,
): ServedTool | HandedTool | undefined {
  try {
    return service.offer(asked, setup);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.kind !== 'invalid-request') throw error;
    if (native === 'some' || native === 'perhaps') return undefined;
    if (typeof native === 'object' && 'clash' in native) throw nameTaken(asked, native.clash, error.message);
    throw error;
  }
}

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

/** @param why this gateway cannot serve it under another name */
const nameTaken = ({ type, path }: Pick<AskedTool, 'type' | 'path'>, name: string, why?: string): GatewayError => {
  const clash = `${path}: another tool is called ${name}, as ${type} is`;
  const message = why === undefined ? clash : `${clash}, and it cannot be served under another name: ${why}`;
  return new GatewayError('invalid-request', message);
};

const functionOf = ({ shown, runsAt }: ServedTool | HandedTool, name: string, tool: NamedTool): FunctionTool => ({
  type: 'function',
  name,
  description: shown.description,
  inputSchema: shown.inputSchema,
  ...(runsAt === 'gateway' && { isServed: true }),
  ...(tool.cacheMarker && { cacheMarker: tool.cacheMarker }),
});
