import type { FunctionTool, ToolChoice } from '../../../core/conversation/tools.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { geminiSchema, SCHEMA_STEPS } from '../schemas/fitted-schemas.js';
import { sentChoice, sentTools } from '../sent-tools.js';
import { withObjectType } from '../schemas/tool-schema.js';
import type { GeminiContext } from './encode-context.js';

export interface ToolFields {
  readonly tools?: readonly JsonObject[];
  readonly toolConfig?: JsonObject;
}

/**
 * The tool fields of a body; none without tools, when a choice has no meaning.
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: GeminiContext): Steps<ToolFields> {
  const tools = yield* sentTools(context, ({ opaque }) => opaque.vendor === 'google');
  if (tools.length === 0) return {};
  const choice = sentChoice(context);
  const functions: JsonObject[] = [];
  const own: JsonObject[] = [];
  for (const tool of tools) {
    if (context.steps.isOver(SCHEMA_STEPS)) yield;
    if (tool.type === 'vendor') own.push(tool.opaque.value);
    else functions.push(yield* functionDeclaration(tool, context));
  }
  return {
    tools: [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...own],
    ...(choice !== undefined && { toolConfig: { functionCallingConfig: callingConfig(choice, context) } }),
  };
}

function* functionDeclaration(
  { name, description, inputSchema }: FunctionTool,
  context: GeminiContext,
): Steps<JsonObject> {
  const { schema } = yield* geminiSchema(inputSchema);
  return {
    name: context.names.toWire(name),
    ...(description !== undefined && { description }),
    // The vendor requires the schema's type, which is `object` by default. A schema without properties is left out.
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
