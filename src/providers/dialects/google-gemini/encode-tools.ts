import type { FunctionTool, ToolChoice } from '../../../core/conversation/tools.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { sentChoice, sentTools } from '../sent-tools.js';
import { withObjectType } from '../tool-schema.js';
import type { GeminiContext } from './encode-context.js';
import { reduceSchema } from './reduce-schema.js';

/** Its schema is written anew. */
const TOOL_STEPS = 20;

export interface ToolFields {
  readonly tools?: readonly JsonObject[];
  readonly toolConfig?: JsonObject;
}

/**
 * The tool fields of a body; none without tools: a choice among nothing says nothing.
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: GeminiContext): Steps<ToolFields> {
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === 'google');
  if (tools.length === 0) return {};
  const choice = sentChoice(context);
  const functions: JsonObject[] = [];
  const own: JsonObject[] = [];
  for (const tool of tools) {
    if (context.steps.isOver(TOOL_STEPS)) yield;
    if (tool.type === 'vendor') own.push(tool.opaque.value);
    else functions.push(functionDeclaration(tool, context));
  }
  return {
    tools: [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...own],
    ...(choice !== undefined && { toolConfig: { functionCallingConfig: callingConfig(choice, context) } }),
  };
}

function functionDeclaration({ name, description, inputSchema }: FunctionTool, context: GeminiContext): JsonObject {
  const schema = reduceSchema(inputSchema);
  return {
    name: context.names.toWire(name),
    ...(description !== undefined && { description }),
    // The schema's type is `object` unless said otherwise, and is wanted to be said; one without properties is none.
    ...(takesArguments(schema) && { parametersJsonSchema: withObjectType(schema) }),
  };
}

function takesArguments(schema: JsonObject): boolean {
  const { type: _type, properties, description: _description, title: _title, required: _required, ...rest } = schema;
  const isEmpty = properties === undefined || Object.keys(properties as JsonObject).length === 0;
  return !isEmpty || Object.keys(rest).length > 0;
}

function callingConfig(choice: ToolChoice, context: GeminiContext): Json {
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'any':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [context.names.toWire(choice.name)] };
  }
}
