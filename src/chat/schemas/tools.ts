import { domainList, modelText, name, toolList, word } from '../../shared/http/bounds.js';
import { eachMarked, marked } from '../../inference/schemas/cache-control.js';
import {
  isServiceTool,
  otherServiceFields,
  searchFields,
  serviceTools,
  webSearchFields,
} from '../../shared/http/service-tools.js';
import { Type } from '@sinclair/typebox';
import {
  anything,
  either,
  flag,
  freeForm,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  refused,
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

const markedServiceTools = eachMarked(serviceTools);

const typedTools = {
  function: functionFields,
  web_search: {},
  web_search_preview: {},
  web_search_preview_2025_03_11: {},
  web_search_2025_08_26: {},
  ...markedServiceTools,
};

const filters = object({
  allowed_domains: optional(nullable(domainList())),
  blocked_domains: optional(nullable(domainList())),
  excluded_domains: optional(nullable(domainList())),
});

const isShorthand = object({ type: oneOf(WEB_SEARCH_SHORTHANDS) });

/** As the gateway's own search, its options beside the type or in `parameters`, and OpenAI's `filters`. */
const shorthand = webSearchFields({
  type: oneOf(WEB_SEARCH_SHORTHANDS),
  filters: optional(nullable(filters)),
  ...markedServiceTools['openrouter:web_search'],
});

/** OpenAI's way to let a model of a search by itself do so; what stands in a place is its vendor's affair. */
export const webSearchOptions = object({
  search_context_size: optional(nullable(searchFields.search_context_size)),
  user_location: optional(nullable(freeForm())),
});

const typedTool = variant('type', typedTools);
const hasKnownType = object({ type: oneOf(Object.keys(typedTools)) });

const CHAT_FORM =
  'chat completions have {"type": "function", "function": {"name": …, "description": …, "parameters": {"type": "object", …}}}';
const isMessagesTool = object({ input_schema: anything() });
/** The responses format has no `function` around it. */
const isFlatTool = Type.Unsafe<object>({
  ...object({ type: literal('function'), name: anything() }),
  not: object({ function: anything() }),
});

const knownTool = when(
  isShorthand,
  shorthand,
  when(hasKnownType, typedTool, when(isServiceTool, object({ ...otherServiceFields, ...marked }), typedTool)),
);

const tool = when(
  isMessagesTool,
  refused(`is a tool of the Messages format; ${CHAT_FORM}`),
  when(isFlatTool, refused(`is a tool of the responses format; ${CHAT_FORM}`), knownTool),
);

export const tools = toolList(tool);

const namedFunction = object({ type: literal('function'), function: object({ name: name() }) });

export const toolChoice = either(
  oneOf(['none', 'auto', 'required']),
  when(
    object({ type: oneOf(['function']) }),
    namedFunction,
    when(
      object({ type: oneOf(['auto', 'any', 'none', 'tool']) }),
      refused(
        'is a choice of the Messages format; chat completions have "auto", "none", "required" or {"type": "function", "function": {"name": …}}',
      ),
      object({ type: word() }),
    ),
  ),
);

export type WireTool = Static<typeof tool>;
export type WireFunctionTool = Extract<Static<typeof typedTool>, { type: 'function' }>;
export type WireToolChoice = Static<typeof toolChoice>;
