import type { FunctionTool, ToolChoice } from '../../../core/conversation/tools.js';
import type { Json } from '../../../core/json/json.js';
import { withObjectType } from '../openai-fields.js';
import { vendorToolName } from '../refuse.js';
import type { EncodeContext } from './encode-context.js';
import type { ChatFunctionTool, ChatTool, ChatToolFields } from './wire.js';

/**
 * The tool fields of a chat body; none without tools, since the format forbids a choice among nothing.
 * @throws Untranslatable for tools that another vendor, or the gateway, runs
 *   (docs/reasons/translation.md#tools-of-other-parties)
 */
export function encodeTools(context: EncodeContext): ChatToolFields {
  const { request } = context;
  if (request.tools.length === 0) return {};
  const tools = request.tools.map((tool, index): ChatTool => {
    switch (tool.type) {
      case 'function':
        return functionTool(tool, context);
      case 'vendor':
        if (tool.opaque.vendor === 'openai') return tool.opaque.value;
        return context.refuse(`tools.${index}`, vendorToolName(tool));
      case 'service':
        return context.refuse(`tools.${index}`, `the tool ${tool.id}`);
    }
  });
  return {
    tools,
    ...(request.toolChoice !== undefined && { tool_choice: toolChoice(request.toolChoice, context) }),
    ...(request.parallelToolCalls !== undefined && { parallel_tool_calls: request.parallelToolCalls }),
  };
}

function functionTool(tool: FunctionTool, context: EncodeContext): ChatFunctionTool {
  return {
    type: 'function',
    function: {
      name: context.names.toWire(tool.name),
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: withObjectType(tool.inputSchema),
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
    ...context.cacheControl(tool.cacheMarker),
  };
}

function toolChoice(choice: ToolChoice, context: EncodeContext): Json {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: context.names.toWire(choice.name) } };
  }
}
