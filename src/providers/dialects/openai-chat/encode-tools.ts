import type { FunctionTool } from '../../../core/conversation/tools.js';
import type { Steps } from '../../../core/steps.js';
import { modelRulesOf } from '../../model-rules/model-rules.js';
import { choiceFields, type ChoiceFormat } from '../openai-fields.js';
import { NAMES_ALLOWED_TOOLS } from '../rules.js';
import { openaiToolSchema, SCHEMA_STEPS } from '../schemas/fitted-schemas.js';
import { sentTools } from '../sent-tools.js';
import { isHeld } from '../schemas/strict-schema.js';
import { wireMarker, type ChatContext } from './encode-context.js';
import type { ChatFunctionTool, ChatTool, ChatToolFields } from './wire.js';

const CHOICES: ChoiceFormat = {
  named: (name) => ({ type: 'function', function: { name } }),
  among: (mode, tools) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } }),
};

/**
 * The tool fields of a chat body; none without tools, since the format forbids a choice then.
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: ChatContext): Steps<ChatToolFields> {
  const namesAllowed = NAMES_ALLOWED_TOOLS.holds(context.target);
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === 'openai', namesAllowed);
  if (tools.length === 0) return {};
  if (modelRulesOf(context.target).effortWithTools === 'never')
    context.refuse('tools', 'a function in chat completions');
  const encoded: ChatTool[] = [];
  for (const tool of tools) {
    if (context.steps.isOver(SCHEMA_STEPS)) yield;
    encoded.push(tool.type === 'vendor' ? tool.opaque.value : yield* functionTool(tool, context));
  }
  return {
    tools: encoded,
    ...choiceFields(context, tools, CHOICES),
  };
}

function* functionTool(tool: FunctionTool, context: ChatContext): Steps<ChatFunctionTool> {
  const { target } = context;
  const { schema } = yield* openaiToolSchema(tool.inputSchema, target);
  return {
    type: 'function',
    function: {
      name: context.names.toWire(tool.name),
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: schema,
      ...(tool.strict !== undefined && { strict: isHeld(schema, tool.strict, target) }),
    },
    ...(tool.cacheMarker && { cache_control: wireMarker(tool.cacheMarker) }),
  };
}
