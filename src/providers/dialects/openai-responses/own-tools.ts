import type { Origin } from '../../../core/conversation/content.js';
import type { FunctionTool, Tool } from '../../../core/conversation/tools.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { nonEmpty, printed } from '../read-json.js';

/*
 * The caller's tools that this format has in a separate form: a custom tool, whose input is a text, and the shells
 * and the patch tool, whose arguments are documented. Models of other formats have them as functions, and so has
 * the neutral request; for a provider of this format they are what they were.
 */

/** The wire object of this format that a value was read from. */
export const ownValue = (origin: Origin | undefined): JsonObject | undefined =>
  origin?.vendor === 'openai-responses' ? origin.value : undefined;

export const ownTool = ({ origin }: FunctionTool): JsonObject | undefined => ownValue(origin);

/** Types of tools by the types of their calls. */
const TOOL_OF_CALL: ReadonlyMap<string, string> = new Map([
  ['custom_tool_call', 'custom'],
  ['shell_call', 'shell'],
  ['local_shell_call', 'local_shell'],
  ['apply_patch_call', 'apply_patch'],
]);

/** Types of custom tools' calls and outputs: their input is a text, their output is that of a function. */
export const CUSTOM_CALL = 'custom_tool_call';
export const CUSTOM_OUTPUT = 'custom_tool_call_output';

/** Whether items of this type are calls of such tools. */
export const isOwnCall = (type: string): boolean => TOOL_OF_CALL.has(type);

/** The names of such tools of a request, by what identifies them in calls. */
export function ownToolNames(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const tool of tools) {
    const type = tool.type === 'function' ? ownTool(tool)?.['type'] : undefined;
    if (tool.type === 'function' && typeof type === 'string') names.set(keyOf(type, tool.name), tool.name);
  }
  return names;
}

/**
 * @param names from `ownToolNames`
 * @param type of the call
 * @param name of a custom tool, in the caller's request
 * @returns undefined: the request has no such tool
 */
export function ownToolName(
  names: ReadonlyMap<string, string>,
  type: string,
  name: string | undefined,
): string | undefined {
  return names.get(keyOf(TOOL_OF_CALL.get(type) ?? '', name ?? ''));
}

/** Key of a tool: a request has at most one tool of each type except `custom`. */
const keyOf = (type: string, name: string): string => (type === 'custom' ? `custom ${name}` : type);

/** The arguments of a call, as text: JSON, but for a custom tool. */
export function argumentsIn(item: JsonObject): string {
  switch (item['type']) {
    case CUSTOM_CALL:
      return nonEmpty(item['input']) ?? '';
    case 'shell_call':
    case 'local_shell_call':
      return printedAction(item['action']);
    case 'apply_patch_call':
      return isJsonObject(item['operation']) ? printed({ operation: item['operation'] }) : '';
    default: {
      const { arguments: value } = item;
      // Some providers send the object itself.
      return typeof value === 'string' ? value : isJsonObject(value) ? printed(value) : '';
    }
  }
}

function printedAction(action: Json | undefined): string {
  if (!isJsonObject(action)) return '';
  const { type: _type, ...rest } = action;
  return printed(rest);
}
