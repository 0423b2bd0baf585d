import type { Json, JsonObject } from '../../../core/json/json.js';
import type { FunctionTool } from '../../../core/conversation/tools.js';
import { vendorToolName } from '../refuse.js';
import type { EncodeContext } from './encode-context.js';
import { carriesParameter } from './parameters.js';
import type { ToolConfig, ToolPart } from './wire.js';

/** What a body says of tools. */
export interface ToolFields {
  readonly toolConfig?: ToolConfig;
  /** Anthropic's own word, where the format has none; beside `toolConfig.toolChoice` it would be refused. */
  readonly ownChoice?: JsonObject;
}

const NONE: ToolFields = {};

/**
 * The tools, and how they may be called. The format has no word for `none`: Claude is told in its own; of others the
 * tools are left out, unless the history holds calls, which the format refuses without tools: then they stay, and may
 * be called. For the same reason a history with calls defines them where the request has no tools.
 * @throws Untranslatable for tools that another vendor, or the gateway, runs
 */
export function encodeTools(context: EncodeContext): ToolFields {
  const { request, family } = context;
  const named = namesInHistory(context);
  const isForbidden = request.toolChoice?.type === 'none' || request.tools.length === 0;
  if (request.tools.length === 0 && named.size === 0) return NONE;
  const tools = request.tools.length === 0 ? [...named].map(standIn) : definitions(context);
  if (isForbidden) {
    if (family.takesOwnToolChoice) return { toolConfig: { tools }, ownChoice: { type: 'none' } };
    return named.size > 0 ? { toolConfig: { tools } } : NONE;
  }
  const isFree = request.toolChoice === undefined || request.toolChoice.type === 'auto';
  if (isFree && request.parallelToolCalls === false && carriesParameter('parallel_tool_calls', context.target)) {
    return { toolConfig: { tools }, ownChoice: { type: 'auto', disable_parallel_tool_use: true } };
  }
  const toolChoice = choiceOf(context);
  return { toolConfig: { tools, ...(toolChoice !== undefined && { toolChoice }) } };
}

function definitions(context: EncodeContext): ToolPart[] {
  const parts: ToolPart[] = [];
  for (const [index, tool] of context.request.tools.entries()) {
    switch (tool.type) {
      case 'function': {
        parts.push(definition(tool, context));
        const point = context.cachePoint(tool.cacheMarker, 'tools');
        if (point !== undefined) parts.push(point);
        break;
      }
      case 'vendor':
        return context.refuse(`tools.${index}`, vendorToolName(tool));
      case 'service':
        return context.refuse(`tools.${index}`, `the tool ${tool.id}`);
    }
  }
  return parts;
}

function definition({ name, description, inputSchema, strict }: FunctionTool, { names }: EncodeContext): ToolPart {
  return {
    toolSpec: {
      name: names.toWire(name),
      // An empty one is refused.
      ...(description !== undefined && description !== '' && { description }),
      inputSchema: {
        json: Object.hasOwn(inputSchema, 'type') ? inputSchema : { type: 'object', ...inputSchema },
      },
      ...(strict === true && { strict }),
    },
  };
}

/** Of a tool of which only calls are known. */
const standIn = (name: string): ToolPart => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });

/** The tools that calls of the history name, as the target knows them; results alone name none. */
function namesInHistory({ request, names }: EncodeContext): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { content } of request.messages) {
    for (const block of content) if (block.type === 'tool-use') found.add(names.toWire(block.name));
  }
  return found;
}

function choiceOf({ request, names }: EncodeContext): Json | undefined {
  const { toolChoice } = request;
  switch (toolChoice?.type) {
    case 'auto':
      return { auto: {} };
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: names.toWire(toolChoice.name) } };
    case 'none':
    case undefined:
      return undefined;
  }
}
