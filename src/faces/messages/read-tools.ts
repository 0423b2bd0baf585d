import type { Tool, ToolChoice } from '../../core/conversation/tools.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { originOf } from './read-blocks.js';
import { shortened } from '../../core/shortened.js';
import { hasTool, SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import { assertObjectSchema, assertServiceForm, assertVendorType } from '../common/tool-forms.js';
import { nearestName } from '../../shared/http/nearest-name.js';
import { CHAT_TOOL, VENDOR_TYPES, type WireCustomTool, type WireTool, type WireToolChoice } from './schemas/tools.js';

const FUNCTION = ['function'] as const;

/** A tool that the caller or the gateway runs, or one of the vendor's, which is passed on unchanged. */
export function readTool(tool: WireTool, index: number): Tool {
  if (isCustom(tool)) return readCustom(tool, index);
  const value: JsonObject = tool;
  const { type, name, parameters, cache_control: marker } = value;
  const cacheMarker = isJsonObject(marker) && {
    cacheMarker: readCacheMarker({
      ...ttlOf(marker),
      ...(marker['scope'] !== undefined && { scope: marker['scope'] }),
    }),
  };
  const path = `tools.${index}`;
  if (typeof type === 'string' && type.startsWith(SERVICE_TOOL_PREFIX)) {
    assertServiceForm(value, type, path);
    return { type: 'service', id: type, parameters: isJsonObject(parameters) ? parameters : {}, ...cacheMarker };
  }
  if (isMistypedFunction(value)) throw new GatewayError('invalid-request', `${path}: ${CHAT_TOOL}`);
  if (typeof type === 'string') assertVendorType(type, VENDOR_TYPES, path);
  return {
    type: 'vendor',
    opaque: { vendor: 'anthropic', value },
    ...(typeof name === 'string' && { name }),
    ...cacheMarker,
  };
}

/** `functon`, or a function under any other type: no vendor's tool has one. */
const isMistypedFunction = ({ type, function: called }: JsonObject): boolean =>
  isJsonObject(called) ||
  (typeof type === 'string' && !VENDOR_TYPES.includes(type) && nearestName(type, FUNCTION) !== undefined);

/**
 * The tool that must be called, and whether parallel calls are allowed.
 * @throws GatewayError `invalid-request` for a name that is no tool of the request: the vendor would refuse it
 */
export function readToolChoice(
  choice: WireToolChoice,
  tools: readonly Tool[],
): { toolChoice: ToolChoice; parallelToolCalls?: boolean } {
  const origin = originOf(choice);
  if (choice.type === 'none') return { toolChoice: { type: 'none', origin } };
  if (choice.type === 'tool' && !hasTool(tools, choice.name)) {
    const name = shortened(choice.name);
    throw new GatewayError('invalid-request', `tool_choice.name: ${name} is no tool of this request`);
  }
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

function readCustom(tool: WireCustomTool, index: number): Tool {
  if (tool.input_schema.type !== 'object') assertObjectSchema(tool.input_schema, `tools.${index}.input_schema`);
  // docs/use/messages.md#tools: the schema's `type` defaults to `object`, and vendors require it to be present.
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

/** The marker of an unknown vendor tool was not validated. */
function ttlOf(marker: JsonObject): { ttl?: '5m' | '1h' } {
  const { ttl } = marker;
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}
