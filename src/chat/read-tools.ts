import type { Tool, ToolChoice } from '../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../core/json/json.js';
import { readCacheMarker } from '../inference/read-cache-marker.js';
import { WEB_SEARCH_SHORTHANDS, type WireFunctionTool, type WireTool, type WireToolChoice } from './schemas/tools.js';

const SHORTHANDS: ReadonlySet<string> = new Set(WEB_SEARCH_SHORTHANDS);
const WEB_SEARCH = 'openrouter:web_search';
/** A tool without a schema takes no arguments. */
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** A tool the caller runs, or one the gateway runs. */
export function readTool(tool: WireTool): Tool {
  if (tool.type === 'function') return readFunction(tool as WireFunctionTool);
  const { type, parameters, ...rest }: JsonObject & { type: string } = tool;
  // The shorthands have their options beside the type.
  if (SHORTHANDS.has(type)) return { type: 'service', id: WEB_SEARCH, parameters: rest };
  return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {} };
}

function readFunction({ function: called, cache_control: marker }: WireFunctionTool): Tool {
  const { name, description, parameters, strict } = called;
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: parameters ?? NO_ARGUMENTS,
    ...(typeof strict === 'boolean' && { strict }),
    ...(marker && { cacheMarker: readCacheMarker(marker) }),
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
