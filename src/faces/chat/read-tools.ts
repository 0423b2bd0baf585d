import { allowedBy, type Tool, type ToolChoice } from '../../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';
import { answersToOneOf, hasTool, placesByName } from '../../core/tool.js';
import { readCacheMarker, type WireCacheControl } from '../../core/conversation/read-cache-marker.js';
import { assertObjectSchema, assertServiceForm } from '../common/tool-forms.js';
import { invalid } from './invalid.js';
import {
  WEB_SEARCH_SHORTHANDS,
  type WireAllowedChoice,
  type WireFunctionTool,
  type WireNamedChoice,
  type WireTool,
  type WireToolChoice,
} from './schemas/tools.js';

const SHORTHANDS: ReadonlySet<string> = new Set(WEB_SEARCH_SHORTHANDS);
const WEB_SEARCH = 'openrouter:web_search';
/** A tool without a schema takes no arguments. */
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** A tool that the caller or the gateway runs. */
export function readTool(tool: WireTool, place: number): Tool {
  if (tool.type === 'function') return readFunction(tool as WireFunctionTool, place);
  const { type, cache_control, ...rest }: JsonObject & { type: string } = tool;
  const marker = markerOf(cache_control as WireCacheControl | undefined);
  if (SHORTHANDS.has(type)) return { type: 'service', id: WEB_SEARCH, parameters: readShorthand(rest), ...marker };
  assertServiceForm(tool, type, `tools.${place}`);
  const { parameters } = rest;
  return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...marker };
}

const markerOf = (marker: WireCacheControl | null | undefined): Pick<Tool, 'cacheMarker'> =>
  marker ? { cacheMarker: readCacheMarker(marker) } : {};

/** Options beside the type precede those in `parameters`, and these OpenAI's `filters`. */
function readShorthand({ filters, parameters, ...options }: JsonObject): JsonObject {
  const { allowed_domains, blocked_domains, ...others }: JsonObject = isJsonObject(filters) ? filters : {};
  const given = { allowed_domains, excluded_domains: blocked_domains, ...others };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null)),
    ...(isJsonObject(parameters) && parameters),
    ...options,
  };
}

/** A search that is requested outside of the tools; a location is nested one level deeper than elsewhere. */
export function readWebSearchOptions(options: JsonObject): Tool {
  const { user_location: place, ...rest } = definedOptions(options);
  const approximate = isJsonObject(place) ? place['approximate'] : undefined;
  const parameters = isJsonObject(approximate)
    ? { ...rest, user_location: { ...approximate, type: 'approximate' } }
    : { ...rest, ...(place !== undefined && { user_location: place }) };
  return { type: 'service', id: WEB_SEARCH, parameters, field: 'web_search_options' };
}

const definedOptions = (options: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));

function readFunction({ function: called, cache_control: marker }: WireFunctionTool, place: number): Tool {
  const { name, description, parameters, strict, cache_control: inner } = called;
  if (parameters && parameters['type'] !== 'object')
    assertObjectSchema(parameters, `tools.${place}.function.parameters`);
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: parameters ?? NO_ARGUMENTS,
    ...(typeof strict === 'boolean' && { strict }),
    ...markerOf(marker ?? inner),
  };
}

/**
 * Which tool must be called, and whether several may be at once.
 * @throws GatewayError `invalid-request` for what is no tool of the request: the vendor would refuse it
 */
export function readToolChoice(
  choice: WireToolChoice,
  tools: readonly Tool[],
): { toolChoice: ToolChoice; parallelToolCalls?: false } {
  if (typeof choice === 'string') return { toolChoice: { type: CHOICES[choice] } };
  const onlyOne = (choice as JsonObject)['disable_parallel_tool_use'] === true && { parallelToolCalls: false as const };
  switch (choice.type) {
    case 'none':
    case 'auto':
    case 'required':
    case 'any':
      return { toolChoice: { type: CHOICES[choice.type] }, ...onlyOne };
    case 'allowed_tools':
      return { toolChoice: readAllowed(choice as WireAllowedChoice, tools) };
    default: {
      const name = nameOf(choice);
      if (!hasTool(tools, name))
        throw invalid('tool_choice', `chooses ${shortened(name)}, which is no tool of this request`);
      return { toolChoice: { type: 'tool', name }, ...onlyOne };
    }
  }
}

const CHOICES = { none: 'none', auto: 'auto', required: 'any', any: 'any' } as const;

/** What a choice calls a tool: the name of a function, or the type of another. */
function nameOf(choice: WireNamedChoice): string {
  if ('function' in choice) return choice.function.name;
  if ('name' in choice) return choice.name;
  return SHORTHANDS.has(choice.type) ? WEB_SEARCH : choice.type;
}

/** @throws GatewayError `invalid-request` for what is no tool of the request: the vendor would refuse it */
function readAllowed(choice: WireAllowedChoice, tools: readonly Tool[]): ToolChoice {
  const isNested = 'allowed_tools' in choice;
  const { mode, tools: listed } = isNested ? choice.allowed_tools : choice;
  const path = isNested ? 'tool_choice.allowed_tools.tools' : 'tool_choice.tools';
  if (listed.length === 0) throw invalid(path, 'names no tool');
  const allowed = listed.map((tool) => nameOf(tool));
  const known = placesByName(tools);
  const strange = allowed.findIndex((name) => !known.has(name));
  if (strange !== -1) throw invalid(`${path}.${strange}`, 'is no tool of this request');
  return { type: CHOICES[mode], allowed };
}

/** The tools without those that a choice leaves out. Functions stay: the caller runs them. */
export function withAllowed(tools: readonly Tool[], choice: ToolChoice): readonly Tool[] {
  const allowed = allowedBy(choice);
  if (!allowed) return tools;
  const names = new Set(allowed);
  return tools.filter((tool) => tool.type === 'function' || answersToOneOf(tool, names));
}
