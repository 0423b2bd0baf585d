import { allowedBy, type Tool, type ToolChoice } from '../../core/conversation/tools.js';
import type { JsonObject } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';
import { matchesOneToolName, hasTool, indexByName } from '../../core/tool.js';
import { invalidField } from './invalid-field.js';
import { SHORTHANDS, WEB_SEARCH } from './search-shorthand.js';

/** A choice of one tool, in OpenAI's formats or the Messages format. */
type WireNamedChoice =
  | { readonly type: string }
  | { readonly type: string; readonly name: string }
  | { readonly type: string; readonly function: { readonly name: string } };

interface WireAllowed {
  readonly mode: 'auto' | 'required';
  readonly tools: readonly WireNamedChoice[];
}

type WireAllowedChoice = { readonly type: 'allowed_tools' } & (WireAllowed | { readonly allowed_tools: WireAllowed });

export type WireChoice = keyof typeof CHOICES | WireNamedChoice | WireAllowedChoice;

/**
 * The tool that must be called, and whether several calls at once are allowed.
 * @throws GatewayError `invalid-request` for a name that is no tool of the request: the vendor would refuse it
 */
export function readToolChoice(
  choice: WireChoice,
  tools: readonly Tool[],
): { toolChoice: ToolChoice; parallelToolCalls?: false } {
  if (typeof choice === 'string') return { toolChoice: { type: CHOICES[choice] } };
  const onlyOne = (choice as JsonObject)['disable_parallel_tool_use'] === true && { parallelToolCalls: false as const };
  switch (choice.type) {
    case 'none':
    case 'auto':
    case 'required':
    case 'any':
      return { toolChoice: { type: CHOICES[choice.type] }, ...onlyOne };
    case 'allowed_tools':
      return { toolChoice: readAllowed(choice as WireAllowedChoice, tools) };
    default: {
      const name = nameOf(choice);
      if (!hasTool(tools, name))
        throw invalidField('tool_choice', `chooses ${shortened(name)}, which is no tool of this request`);
      return { toolChoice: { type: 'tool', name }, ...onlyOne };
    }
  }
}

const CHOICES = { none: 'none', auto: 'auto', required: 'any', any: 'any' } as const;

/** The name in a choice: the name of a function, else the type of the tool. */
function nameOf(choice: WireNamedChoice): string {
  if ('function' in choice) return choice.function.name;
  if ('name' in choice) return choice.name;
  return SHORTHANDS.has(choice.type) ? WEB_SEARCH : choice.type;
}

/** @throws GatewayError `invalid-request` for what is no tool of the request: the vendor would refuse it */
function readAllowed(choice: WireAllowedChoice, tools: readonly Tool[]): ToolChoice {
  const isNested = 'allowed_tools' in choice;
  const { mode, tools: listed } = isNested ? choice.allowed_tools : choice;
  const path = isNested ? 'tool_choice.allowed_tools.tools' : 'tool_choice.tools';
  if (listed.length === 0) throw invalidField(path, 'names no tool');
  const allowed = listed.map((tool) => nameOf(tool));
  const known = indexByName(tools);
  const strange = allowed.findIndex((name) => !known.has(name));
  if (strange !== -1) throw invalidField(`${path}.${strange}`, 'is no tool of this request');
  return { type: CHOICES[mode], allowed };
}

/** The tools without those that a choice leaves out. Functions stay: the caller runs them. */
export function withAllowed(tools: readonly Tool[], choice: ToolChoice): readonly Tool[] {
  const allowed = allowedBy(choice);
  if (!allowed) return tools;
  const names = new Set(allowed);
  return tools.filter((tool) => tool.type === 'function' || matchesOneToolName(tool, names));
}
