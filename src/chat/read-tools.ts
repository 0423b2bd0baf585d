import type { Tool, ToolChoice } from '../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../core/json/json.js';
import { readCacheMarker, type WireCacheControl } from '../inference/read-cache-marker.js';
import { assertServiceForm } from '../inference/tool-forms.js';
import { WEB_SEARCH_SHORTHANDS, type WireFunctionTool, type WireTool, type WireToolChoice } from './schemas/tools.js';

const SHORTHANDS: ReadonlySet<string> = new Set(WEB_SEARCH_SHORTHANDS);
const WEB_SEARCH = 'openrouter:web_search';
/** A tool without a schema takes no arguments. */
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** A tool the caller runs, or one the gateway runs. */
export function readTool(tool: WireTool, place: number): Tool {
  if (tool.type === 'function') return readFunction(tool as WireFunctionTool);
  const { type, cache_control, ...rest }: JsonObject & { type: string } = tool;
  const marker = markerOf(cache_control as WireCacheControl | undefined);
  if (SHORTHANDS.has(type)) return { type: 'service', id: WEB_SEARCH, parameters: readShorthand(rest), ...marker };
  assertServiceForm(tool, type, `tools.${place}`);
  const { parameters } = rest;
  return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...marker };
}

const markerOf = (marker: WireCacheControl | undefined): Pick<Tool, 'cacheMarker'> =>
  marker ? { cacheMarker: readCacheMarker(marker) } : {};

/** Options beside the type, before those in `parameters`, before OpenAI's `filters`. */
function readShorthand({ filters, parameters, ...options }: JsonObject): JsonObject {
  const { allowed_domains, blocked_domains, ...others }: JsonObject = isJsonObject(filters) ? filters : {};
  const told = { allowed_domains, excluded_domains: blocked_domains, ...others };
  return {
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined && value !== null)),
    ...(isJsonObject(parameters) && parameters),
    ...options,
  };
}

/** A search that is asked for beside the tools; a place stands one level deeper than elsewhere. */
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

function readFunction({ function: called, cache_control: marker }: WireFunctionTool): Tool {
  const { name, description, parameters, strict } = called;
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: parameters ?? NO_ARGUMENTS,
    ...(typeof strict === 'boolean' && { strict }),
    ...markerOf(marker),
  };
}

/** Which tool must be called. */
export function readToolChoice(choice: WireToolChoice): ToolChoice {
  if (typeof choice !== 'string') {
    if ('function' in choice) return { type: 'tool', name: choice.function.name };
    return { type: 'tool', name: SHORTHANDS.has(choice.type) ? WEB_SEARCH : choice.type };
  }
  switch (choice) {
    case 'auto':
    case 'none':
      return { type: choice };
    case 'required':
      return { type: 'any' };
  }
}
