import type { Json, JsonObject } from '../../../core/json/json.js';
import type { FunctionTool, ToolChoice } from '../../../core/conversation/tools.js';
import type { Steps } from '../../../core/steps.js';
import { sentChoice, sentFunctions } from '../sent-tools.js';
import { withObjectType } from '../tool-schema.js';
import type { ConverseContext } from './encode-context.js';
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
 * @throws Untranslatable as `sentTools` does
 */
export function* encodeTools(context: ConverseContext): Steps<ToolFields> {
  const { request, family } = context;
  const named = yield* namesInHistory(context);
  const defined = yield* definitions(context);
  if (defined.length === 0 && named.size === 0) return NONE;
  const choice = sentChoice(context);
  const isForbidden = choice?.type === 'none' || defined.length === 0;
  const tools = defined.length === 0 ? [...named].map(standIn) : defined;
  if (isForbidden) {
    if (family.takesOwnToolChoice) return { toolConfig: { tools }, ownChoice: { type: 'none' } };
    return named.size > 0 ? { toolConfig: { tools } } : NONE;
  }
  const isFree = choice === undefined || choice.type === 'auto';
  if (isFree && request.parallelToolCalls === false) {
    return { toolConfig: { tools }, ownChoice: { type: 'auto', disable_parallel_tool_use: true } };
  }
  const toolChoice = choiceOf(choice, context);
  return { toolConfig: { tools, ...(toolChoice !== undefined && { toolChoice }) } };
}

function* definitions(context: ConverseContext): Steps<ToolPart[]> {
  const functions = yield* sentFunctions(context, 'amazon');
  return functions.flatMap((tool): ToolPart[] => {
    const point = context.cachePoint(tool.cacheMarker);
    return point === undefined ? [definition(tool, context)] : [definition(tool, context), point];
  });
}

function definition({ name, description, inputSchema, strict }: FunctionTool, { names }: ConverseContext): ToolPart {
  return {
    toolSpec: {
      name: names.toWire(name),
      // An empty one is refused.
      ...(description !== undefined && description !== '' && { description }),
      inputSchema: { json: withObjectType(inputSchema) },
      ...(strict === true && { strict }),
    },
  };
}

/** Of a tool of which only calls are known. */
const standIn = (name: string): ToolPart => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });

/** The tools that calls of the history name, as the target knows them; results alone name none. */
function* namesInHistory(context: ConverseContext): Steps<ReadonlySet<string>> {
  const { request, names } = context;
  const found = new Set<string>();
  for (const { content } of request.messages) {
    if (context.steps.isOver(content.length)) yield;
    for (const block of content) if (block.type === 'tool-use') found.add(names.toWire(block.name));
  }
  return found;
}

function choiceOf(choice: ToolChoice | undefined, { names }: ConverseContext): Json | undefined {
  switch (choice?.type) {
    case 'auto':
      return { auto: {} };
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: names.toWire(choice.name) } };
    case 'none':
    case undefined:
      return undefined;
  }
}
