import type { Tool } from '../../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { readCacheMarker, type WireCacheControl } from '../../core/conversation/read-cache-marker.js';
import { readShorthand, SHORTHANDS, WEB_SEARCH } from '../common/search-shorthand.js';
import { assertObjectSchema, assertServiceForm, NO_ARGUMENTS } from '../common/tool-forms.js';
import type { WireFunctionTool, WireTool } from './schemas/tools.js';

/** A tool that the caller or the gateway runs. */
export function readTool(tool: WireTool, index: number): Tool {
  if (tool.type === 'function') return readFunction(tool as WireFunctionTool, index);
  const { type, cache_control, ...rest }: JsonObject & { type: string } = tool;
  const marker = markerOf(cache_control as WireCacheControl | undefined);
  if (SHORTHANDS.has(type)) return { ...readShorthand(rest), ...marker };
  assertServiceForm(tool, type, `tools.${index}`);
  const { parameters } = rest;
  return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...marker };
}

const markerOf = (marker: WireCacheControl | null | undefined): Pick<Tool, 'cacheMarker'> =>
  marker ? { cacheMarker: readCacheMarker(marker) } : {};

const FIELD = 'web_search_options';

/** A search that is requested outside of the tools; a location is nested one level deeper than elsewhere. */
export function readWebSearchOptions(options: JsonObject): Tool {
  const { user_location: location, ...rest } = definedOptions(options);
  const approximate = isJsonObject(location) ? location['approximate'] : undefined;
  const parameters = isJsonObject(approximate)
    ? { ...rest, user_location: { ...approximate, type: 'approximate' } }
    : { ...rest, ...(location !== undefined && { user_location: location }) };
  return { type: 'service', id: WEB_SEARCH, parameters, field: FIELD, parametersPath: FIELD };
}

const definedOptions = (options: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));

function readFunction({ function: called, cache_control: marker }: WireFunctionTool, index: number): Tool {
  const { name, description, parameters, strict, cache_control: inner } = called;
  if (parameters && parameters['type'] !== 'object')
    assertObjectSchema(parameters, `tools.${index}.function.parameters`);
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: parameters ?? NO_ARGUMENTS,
    ...(typeof strict === 'boolean' && { strict }),
    ...markerOf(marker ?? inner),
  };
}
