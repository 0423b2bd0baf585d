import { modelText, name, toolList, word } from '../../shared/http/bounds.js';
import { marked } from '../../inference/schemas/cache-control.js';
import { isServiceTool, otherServiceTool, serviceTools } from '../../inference/schemas/service-tools.js';
import {
  either,
  flag,
  freeForm,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  text,
  variant,
  when,
  type Static,
} from '../../shared/http/schema.js';

/** Longest name of a tool, in characters (docs/wire/chat.md#tools). */
export const TOOL_NAME_MAX = 64;

const functionFields = {
  function: object({
    name: text({ max: TOOL_NAME_MAX }),
    description: optional(nullable(modelText())),
    // The caller's own JSON Schema is never looked at.
    parameters: optional(nullable(freeForm())),
    strict: optional(nullable(flag())),
  }),
  ...marked,
};

/** Other vendors' names of the gateway's own web search. */
export const WEB_SEARCH_SHORTHANDS = [
  'web_search',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'web_search_2025_08_26',
] as const;

const typedTools = {
  function: functionFields,
  web_search: {},
  web_search_preview: {},
  web_search_preview_2025_03_11: {},
  web_search_2025_08_26: {},
  ...serviceTools,
};

const typedTool = variant('type', typedTools);
const hasKnownType = object({ type: oneOf(Object.keys(typedTools)) });

const tool = when(hasKnownType, typedTool, when(isServiceTool, otherServiceTool, typedTool));

export const tools = toolList(tool);

const namedFunction = object({ type: literal('function'), function: object({ name: name() }) });

export const toolChoice = either(
  oneOf(['none', 'auto', 'required']),
  when(object({ type: oneOf(['function']) }), namedFunction, object({ type: word() })),
);

export type WireTool = Static<typeof tool>;
export type WireFunctionTool = Extract<Static<typeof typedTool>, { type: 'function' }>;
export type WireToolChoice = Static<typeof toolChoice>;
