import type { Json, JsonObject } from '../../../core/json/json.js';
import type { FunctionTool, ToolChoice } from '../../../core/conversation/tools.js';
import type { Steps } from '../../../core/steps.js';
import { converseToolSchema, SCHEMA_STEPS } from '../schemas/fitted-schemas.js';
import { sentChoice, sentFunctions } from '../sent-tools.js';
import { strictTools } from '../schemas/strict-limits.js';
import { withObjectType } from '../schemas/tool-schema.js';
import type { ConverseContext } from './encode-context.js';
import type { ToolConfig, ToolPart } from './wire.js';

/** The fields of a body that concern tools. */
export interface ToolFields {
  readonly toolConfig?: ToolConfig;
  /**
   * Anthropic's own `tool_choice`, for a choice that the format lacks. It is refused beside `toolConfig.toolChoice`.
   */
  readonly ownChoice?: JsonObject;
}

const NONE: ToolFields = {};

/**
 * The tools, and how they may be called. The format has no `none`. Claude gets Anthropic's own field for it. For other
 * models the tools are left out. But the format refuses calls in the history without tools: then the tools stay, and
 * may be called. For the same reason, calls in the history define their tools where the request has none.
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
  // The vendor documents one rule for all models for which it enforces schemas (`schema-restrictions.ts`).
  const held = yield* strictTools({ ...context.request, tools: functions });
  const parts: ToolPart[] = [];
  for (const tool of functions) {
    if (context.steps.isOver(SCHEMA_STEPS)) yield;
    parts.push(yield* definition(tool, held.has(tool), context));
    const point = context.cachePoint(tool.cacheMarker);
    if (point !== undefined) parts.push(point);
  }
  return parts;
}

/** @param isStrict whether the vendor enforces the schema */
function* definition(tool: FunctionTool, isStrict: boolean, { names, target }: ConverseContext): Steps<ToolPart> {
  const { name, description } = tool;
  const { schema } = yield* converseToolSchema(tool.inputSchema, target, isStrict);
  return {
    toolSpec: {
      name: names.toWire(name),
      // An empty one is refused.
      ...(description !== undefined && description !== '' && { description }),
      inputSchema: { json: withObjectType(schema) },
      ...(isStrict && { strict: true }),
    },
  };
}

/** A tool that is known only from its calls. */
const standIn = (name: string): ToolPart => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });

/** The tools that calls in the history name, by their names at the target; results alone name none. */
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
