import type { FunctionTool } from '../../../core/conversation/tools.js';
import type { Steps } from '../../../core/steps.js';
import { choiceFields } from '../openai-fields.js';
import { sentTools } from '../sent-tools.js';
import { withObjectType } from '../tool-schema.js';
import { wireMarker, type ChatContext } from './encode-context.js';
import type { ChatFunctionTool, ChatToolFields } from './wire.js';

/**
 * The tool fields of a chat body; none without tools, since the format forbids a choice among nothing.
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: ChatContext): Steps<ChatToolFields> {
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === 'openai');
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => (tool.type === 'vendor' ? tool.opaque.value : functionTool(tool, context))),
    ...choiceFields(context, (name) => ({ type: 'function', function: { name } })),
  };
}

function functionTool(tool: FunctionTool, context: ChatContext): ChatFunctionTool {
  return {
    type: 'function',
    function: {
      name: context.names.toWire(tool.name),
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: withObjectType(tool.inputSchema),
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
    ...(tool.cacheMarker && { cache_control: wireMarker(tool.cacheMarker) }),
  };
}
