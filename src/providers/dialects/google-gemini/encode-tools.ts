import type { FunctionTool, ToolChoice } from '../../../core/conversation/tools.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { vendorToolName } from '../refuse.js';
import type { EncodeContext } from './encode-context.js';
import { reduceSchema } from './reduce-schema.js';

export interface ToolFields {
  readonly tools?: readonly JsonObject[];
  readonly toolConfig?: JsonObject;
}

/**
 * The tool fields of a body; none without tools: a choice among nothing says nothing.
 * @throws Untranslatable for tools that another vendor, or the gateway, runs
 *   (docs/reasons/translation.md#tools-of-other-parties)
 */
export function encodeTools(context: EncodeContext): ToolFields {
  const { request } = context;
  if (request.tools.length === 0) return {};
  const functions: JsonObject[] = [];
  const own: JsonObject[] = [];
  for (const [index, tool] of request.tools.entries()) {
    switch (tool.type) {
      case 'function':
        functions.push(functionDeclaration(tool, context));
        break;
      case 'vendor':
        if (tool.opaque.vendor !== 'google') context.refuse(`tools.${index}`, vendorToolName(tool));
        own.push(tool.opaque.value);
        break;
      case 'service':
        context.refuse(`tools.${index}`, `the tool ${tool.id}`);
    }
  }
  return {
    tools: [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...own],
    ...(request.toolChoice !== undefined && {
      toolConfig: { functionCallingConfig: callingConfig(request.toolChoice, context) },
    }),
  };
}

function functionDeclaration({ name, description, inputSchema }: FunctionTool, context: EncodeContext): JsonObject {
  const schema = reduceSchema(inputSchema);
  return {
    name: context.names.toWire(name),
    ...(description !== undefined && { description }),
    // The schema's type is `object` unless said otherwise, and is wanted to be said; one without properties is none.
    ...(takesArguments(schema) && {
      parametersJsonSchema: Object.hasOwn(schema, 'type') ? schema : { type: 'object', ...schema },
    }),
  };
}

function takesArguments(schema: JsonObject): boolean {
  const { type: _type, properties, description: _description, title: _title, required: _required, ...rest } = schema;
  const isEmpty = properties === undefined || Object.keys(properties as JsonObject).length === 0;
  return !isEmpty || Object.keys(rest).length > 0;
}

function callingConfig(choice: ToolChoice, context: EncodeContext): Json {
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
