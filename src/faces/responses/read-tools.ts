import type { FunctionTool, NamedTool, Tool } from '../../core/conversation/tools.js';
import type { GatewayError } from '../../core/errors.js';
import { readCacheMarker, type WireCacheControl } from '../../core/conversation/read-cache-marker.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import { invalidField } from '../common/invalid-field.js';
import { TOOLS_MAX } from '../../shared/http/maxima.js';
import { readShorthand, SHORTHANDS } from '../common/search-shorthand.js';
import { assertObjectSchema, assertServiceForm, NO_ARGUMENTS } from '../common/tool-forms.js';
import type { WireChoice } from '../common/read-tool-choice.js';
import type { ClientToolOf, WireMemberTool, WireOneTool, WireTool, WireToolChoice } from './schemas/tools.js';
import { TEXT_ARGUMENT } from './text-input.js';
import { CLIENT_TOOLS, flatName, NO_FORMS, type CallForm, type CallForms } from './tool-calls.js';

const OWN = 'openai-responses';
/** Whether a search may reach the web, as it may by default. Agents that offer one by themselves state it. */
const ACCESS = 'external_web_access';

/** Tools of a body, and where they are in it. */
export interface ToolList {
  readonly path: string;
  readonly tools: readonly WireTool[];
}

/** The tools of a request, and how their calls appear. */
export interface ReadTools {
  readonly tools: readonly Tool[];
  readonly forms: CallForms;
}

/**
 * @throws GatewayError for a misspelt tool of the gateway, for a schema of something else than an object, for too many
 *   tools, and for two of one name whose calls have different forms
 * @param added those of items
 */
export function readTools(lists: readonly ToolList[]): ReadTools {
  const tools: Tool[] = [];
  let forms: Map<string, CallForm> | undefined;
  let earlier = NO_INDEXES;
  const add = (tool: FunctionTool, form: CallForm | undefined, path: string): void => {
    const index = earlier.get(tool.name) ?? tools.length;
    if (index < tools.length) {
      if (hasOtherForm(tools[index]!, tool)) throw nameTaken(tool.name);
      forms?.delete(tool.name);
    }
    tools[index] = placed(tool, path, index);
    if (form) (forms ??= new Map()).set(tool.name, form);
  };
  for (const [position, list] of lists.entries()) {
    if (position > 0) earlier = functionIndexes(tools);
    for (const [toolIndex, tool] of list.tools.entries()) {
      assertCount(tools);
      const path = `${list.path}.${toolIndex}`;
      if (isClientTool(tool, 'namespace')) {
        for (const [index, member] of tool.tools.entries())
          addMember(member, { namespace: tool.name, path: `${path}.tools.${index}` }, add);
      } else if (isClientTool(tool, 'function') || isClientTool(tool, 'custom')) {
        addMember(tool, { path }, add);
      } else if (Object.hasOwn(CLIENT_TOOLS, tool.type)) {
        const name = tool.type as keyof typeof CLIENT_TOOLS;
        const { call, description, parameters } = CLIENT_TOOLS[name];
        add({ type: 'function', name, description, inputSchema: parameters, ...ownForm(tool) }, call, path);
      } else if (!isOffline(tool)) tools.push(placed(readOther(tool, path), path, tools.length));
    }
  }
  assertCount(tools);
  if (forms) assertOneForm(tools, forms);
  return { tools, forms: forms ?? NO_FORMS };
}

/** The tool with its path where errors could not derive that from its index: after a namespace, and among items. */
const placed = <Listed extends Tool>(tool: Listed, path: string, index: number): Listed =>
  path === `tools.${index}` ? tool : { ...tool, path };

function assertCount({ length }: readonly Tool[]): void {
  if (length > TOOLS_MAX)
    throw invalidField('tools', `must be at most ${TOOLS_MAX}, with those of namespaces and of input`);
}

const NO_INDEXES: ReadonlyMap<string, number> = new Map();

/** Indexes of functions by name. Agents send a tool with each item that adds it: the latest definition is valid. */
const functionIndexes = (tools: readonly Tool[]): ReadonlyMap<string, number> =>
  new Map(tools.flatMap((tool, index) => (tool.type === 'function' ? [[tool.name, index] as const] : [])));

/** A call names its tool alone. */
function assertOneForm(tools: readonly Tool[], forms: CallForms): void {
  const types = new Map<string, CallForm['type']>();
  for (const tool of tools) {
    if (tool.type !== 'function') continue;
    const { name } = tool;
    const form = forms.get(name);
    const type = callTypeOf(tool);
    const known = types.get(name);
    if (form && known !== undefined && known !== type) throw nameTaken(name);
    types.set(name, type);
  }
}

const nameTaken = (name: string): GatewayError => invalidField('tools', `two tools have the name ${name}`);

const hasOtherForm = (before: Tool, tool: FunctionTool): boolean =>
  before.type === 'function' && callTypeOf(before) !== callTypeOf(tool);

const callTypeOf = (tool: FunctionTool): CallForm['type'] =>
  tool.takesText ? 'custom_tool_call' : (ownTypeOf(tool) ?? 'function_call');

const ownTypeOf = ({ origin }: FunctionTool): CallForm['type'] | undefined => {
  const type = origin?.value['type'] as string | undefined;
  return type !== undefined && Object.hasOwn(CLIENT_TOOLS, type)
    ? CLIENT_TOOLS[type as keyof typeof CLIENT_TOOLS].call.type
    : undefined;
};

/** A search without access to the web, as agents send it by default. It is dropped: no engine has such a search. */
export const isOffline = (tool: WireTool): boolean =>
  SHORTHANDS.has(tool.type) && (tool as JsonObject)[ACCESS] === false;

export const isClientTool = <Kind extends 'function' | 'custom' | 'namespace'>(
  tool: WireTool,
  kind: Kind,
): tool is WireTool & ClientToolOf<Kind> => tool.type === kind;

function addMember(
  tool: WireMemberTool,
  { namespace, path }: { readonly namespace?: string; readonly path: string },
  add: (tool: FunctionTool, form: CallForm | undefined, path: string) => void,
): void {
  const name = flatName(namespace, tool.name);
  const named = { name: tool.name, ...(namespace !== undefined && { namespace }) };
  if (tool.type === 'custom') {
    add(
      { ...readCustom(tool), name, ...(namespace === undefined && ownForm(tool)) },
      { type: 'custom_tool_call', ...named },
      path,
    );
    return;
  }
  const form = namespace === undefined ? undefined : ({ type: 'function_call', ...named } as const);
  const { description, parameters, strict, cache_control: marker } = tool;
  if (parameters && parameters['type'] !== 'object') assertObjectSchema(parameters, `${path}.parameters`);
  add(
    {
      type: 'function',
      name,
      ...(typeof description === 'string' && { description }),
      inputSchema: parameters ?? NO_ARGUMENTS,
      ...(typeof strict === 'boolean' && { strict }),
      ...markerOf(marker),
    },
    form,
    path,
  );
}

/** A tool whose input is a text becomes a function with one argument; its description has the grammar of the text. */
function readCustom({ name, description, format }: ClientToolOf<'custom'>): FunctionTool {
  const grammar = isJsonObject(format) && format['type'] === 'grammar' ? grammarOf(format) : '';
  return {
    type: 'function',
    takesText: true,
    name,
    description: `${description ?? ''}${grammar}`,
    inputSchema: {
      type: 'object',
      properties: { [TEXT_ARGUMENT]: { type: 'string', description: 'The whole input of the tool.' } },
      required: [TEXT_ARGUMENT],
      additionalProperties: false,
    },
  };
}

function grammarOf(format: JsonObject): string {
  const { syntax, definition } = isJsonObject(format['grammar']) ? format['grammar'] : format;
  if (typeof definition !== 'string') return '';
  return `\n\nThe input must match this ${typeof syntax === 'string' ? syntax : 'grammar'} grammar:\n${definition}`;
}

/** The tool itself, for providers of this format. */
const ownForm = (tool: object): Pick<FunctionTool, 'origin'> => ({
  origin: { vendor: OWN, value: tool as JsonObject },
});

const markerOf = (marker: WireCacheControl | null | undefined): Pick<Tool, 'cacheMarker'> =>
  marker ? { cacheMarker: readCacheMarker(marker) } : {};

/** A tool that the gateway or the vendor runs. */
function readOther(tool: WireTool, path: string): NamedTool {
  const { cache_control, ...value } = tool as JsonObject & { readonly type: string };
  const { type, ...options } = value;
  const marker = markerOf(cache_control as WireCacheControl | undefined);
  if (SHORTHANDS.has(type)) {
    const { [ACCESS]: access, ...words } = options;
    const byDefault = access === true && ({ isByDefault: true } as const);
    return { ...readShorthand(words), ...byDefault, ...marker };
  }
  if (!type.startsWith(SERVICE_TOOL_PREFIX)) return { type: 'vendor', opaque: { vendor: OWN, value } };
  assertServiceForm(tool as JsonObject, type, path);
  const { parameters } = options;
  return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...marker };
}

/** The choice with the names by which models know the tools. */
export function flatChoice(choice: WireToolChoice): WireChoice {
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'allowed_tools' || !('tools' in choice)) return flatOne(choice);
  return { ...choice, type: 'allowed_tools', tools: choice.tools.map(flatOne) };
}

function flatOne(choice: WireOneTool): { readonly type: string; readonly name?: string } {
  if (!('name' in choice)) return choice;
  return { type: choice.type, name: flatName(choice.namespace, choice.name) };
}
