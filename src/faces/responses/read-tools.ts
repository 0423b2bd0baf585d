import type { FunctionTool, Tool } from '../../core/conversation/tools.js';
import { readCacheMarker, type WireCacheControl } from '../../core/conversation/read-cache-marker.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import { readShorthand, SHORTHANDS, WEB_SEARCH } from '../common/search-shorthand.js';
import { assertObjectSchema, assertServiceForm, NO_ARGUMENTS } from '../common/tool-forms.js';
import type { WireChoice } from '../common/read-tool-choice.js';
import type { ClientToolOf, WireMemberTool, WireOneTool, WireTool, WireToolChoice } from './schemas/tools.js';
import { CLIENT_TOOLS, flatName, NO_FORMS, TEXT_ARGUMENT, type CallForm, type CallForms } from './tool-calls.js';

const OWN = 'openai-responses';

/** The tools of a request, and how their calls appear. */
export interface ReadTools {
  readonly tools: readonly Tool[];
  readonly forms: CallForms;
}

/** @throws GatewayError for a misspelt tool of the gateway, and for a schema of no object */
export function readTools(wire: readonly WireTool[]): ReadTools {
  const tools: Tool[] = [];
  let forms: Map<string, CallForm> | undefined;
  const add = (tool: FunctionTool, form: CallForm | undefined): void => {
    tools.push(tool);
    if (form) (forms ??= new Map()).set(tool.name, form);
  };
  for (const [place, tool] of wire.entries()) {
    const path = `tools.${place}`;
    if (isClientTool(tool, 'namespace')) {
      for (const [index, member] of tool.tools.entries())
        addMember(member, { namespace: tool.name, path: `${path}.tools.${index}` }, add);
    } else if (isClientTool(tool, 'function') || isClientTool(tool, 'custom')) {
      addMember(tool, { path }, add);
    } else if (Object.hasOwn(CLIENT_TOOLS, tool.type)) {
      const name = tool.type as keyof typeof CLIENT_TOOLS;
      const { call, description, parameters } = CLIENT_TOOLS[name];
      add({ type: 'function', name, description, inputSchema: parameters, ...ownForm(tool) }, call);
    } else if (!isOffline(tool)) tools.push(readOther(tool, path));
  }
  return { tools, forms: forms ?? NO_FORMS };
}

/** A search that may reach nothing outside, as agents send it by default: engines have no such search. */
const isOffline = (tool: WireTool): boolean =>
  SHORTHANDS.has(tool.type) && (tool as JsonObject)['external_web_access'] === false;

const isClientTool = <Kind extends 'function' | 'custom' | 'namespace'>(
  tool: WireTool,
  kind: Kind,
): tool is WireTool & ClientToolOf<Kind> => tool.type === kind;

function addMember(
  tool: WireMemberTool,
  { namespace, path }: { readonly namespace?: string; readonly path: string },
  add: (tool: FunctionTool, form: CallForm | undefined) => void,
): void {
  const name = flatName(namespace, tool.name);
  const named = { name: tool.name, ...(namespace !== undefined && { namespace }) };
  if (tool.type === 'custom') {
    add(
      { ...readCustom(tool), name, ...(namespace === undefined && ownForm(tool)) },
      { type: 'custom_tool_call', ...named },
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
  );
}

/** A tool whose input is a text, as a function of one text, with the grammar of the text in its description. */
function readCustom({ name, description, format }: ClientToolOf<'custom'>): FunctionTool {
  const grammar = isJsonObject(format) && format['type'] === 'grammar' ? grammarOf(format) : '';
  return {
    type: 'function',
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
function readOther(tool: WireTool, path: string): Tool {
  const { cache_control, ...value } = tool as JsonObject & { readonly type: string };
  const { type, ...options } = value;
  const marker = markerOf(cache_control as WireCacheControl | undefined);
  if (SHORTHANDS.has(type)) return { type: 'service', id: WEB_SEARCH, parameters: readShorthand(options), ...marker };
  if (!type.startsWith(SERVICE_TOOL_PREFIX)) return { type: 'vendor', opaque: { vendor: OWN, value } };
  assertServiceForm(tool as JsonObject, type, path);
  const { parameters } = options;
  return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...marker };
}

/** The choice with the names that models have for the tools. */
export function flatChoice(choice: WireToolChoice): WireChoice {
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'allowed_tools' || !('tools' in choice)) return flatOne(choice);
  return { ...choice, type: 'allowed_tools', tools: choice.tools.map(flatOne) };
}

function flatOne(choice: WireOneTool): { readonly type: string; readonly name?: string } {
  if (!('name' in choice)) return choice;
  return { type: choice.type, name: flatName(choice.namespace, choice.name) };
}
