import type { Tool, ToolChoice } from '../core/conversation/tools.js';
import { isJsonObject, type JsonObject } from '../core/json/json.js';
import { readCacheMarker } from '../inference/read-cache-marker.js';
import { originOf } from './read-blocks.js';
import { SERVICE_TOOL_PREFIX } from '../core/tool.js';
import { assertServiceForm, assertVendorType } from '../inference/tool-forms.js';
import { VENDOR_TYPES, type WireCustomTool, type WireTool, type WireToolChoice } from './schemas/tools.js';

/** A tool the caller runs, one the gateway runs, or one of the vendor's, which is carried as it came. */
export function readTool(tool: WireTool, place: number): Tool {
  if (isCustom(tool)) return readCustom(tool);
  const value: JsonObject = tool;
  const { type, name, parameters, cache_control: marker } = value;
  const cacheMarker = isJsonObject(marker) && {
    cacheMarker: readCacheMarker({ type: 'ephemeral', ...ttlOf(marker) }),
  };
  const path = `tools.${place}`;
  if (typeof type === 'string' && type.startsWith(SERVICE_TOOL_PREFIX)) {
    assertServiceForm(value, type, path);
    return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...cacheMarker };
  }
  if (typeof type === 'string') assertVendorType(type, VENDOR_TYPES, path);
  return {
    type: 'vendor',
    opaque: { vendor: 'anthropic', value },
    ...(typeof name === 'string' && { name }),
    ...cacheMarker,
  };
}

/** Which tool must be called, and whether several may be at once. */
export function readToolChoice(choice: WireToolChoice): { toolChoice: ToolChoice; parallelToolCalls?: boolean } {
  const origin = originOf(choice);
  if (choice.type === 'none') return { toolChoice: { type: 'none', origin } };
  const { disable_parallel_tool_use: onlyOne } = choice;
  return {
    toolChoice: choice.type === 'tool' ? { type: 'tool', name: choice.name, origin } : { type: choice.type, origin },
    ...(onlyOne !== undefined && { parallelToolCalls: !onlyOne }),
  };
}

function isCustom(tool: WireTool): tool is WireCustomTool {
  const { type }: JsonObject = tool;
  return type === undefined || type === 'custom';
}

function readCustom(tool: WireCustomTool): Tool {
  // docs/wire/messages.md#tools: the schema's `type` defaults to `object`, and vendors demand that it stands there.
  const isComplete = tool.input_schema.type !== undefined;
  const inputSchema: JsonObject = isComplete ? tool.input_schema : { type: 'object', ...tool.input_schema };
  return {
    type: 'function',
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    inputSchema,
    ...(tool.strict !== undefined && { strict: tool.strict }),
    ...(tool.cache_control && { cacheMarker: readCacheMarker(tool.cache_control) }),
    origin: originOf(isComplete ? tool : { ...tool, input_schema: inputSchema }),
  };
}

/** The marker of a vendor tool that is not known here was not checked. */
function ttlOf(marker: JsonObject): { ttl?: '5m' | '1h' } {
  const { ttl } = marker;
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}
