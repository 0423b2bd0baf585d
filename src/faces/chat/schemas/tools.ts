import { modelText, name, toolList, word } from '../../../shared/http/maxima.js';
import { marked } from '../../common/schemas/cache-control.js';
import { isShorthand, shorthand, WEB_SEARCH_SHORTHANDS } from '../../common/schemas/search-shorthand.js';
import { isServiceTool, markedServiceTools, otherServiceFields } from '../../common/schemas/service-tools.js';
import { searchFields } from '../../../tools/web-search/parameters.js';
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
} from '../../../shared/http/schema.js';

/** Longest name of a tool, in characters (docs/use/chat.md#tools). */
export const TOOL_NAME_MAX = 64;

const functionFields = {
  function: object({
    name: text({ max: TOOL_NAME_MAX }),
    description: optional(nullable(modelText())),
    // The caller's own JSON Schema is not inspected.
    parameters: optional(nullable(freeForm())),
    strict: optional(nullable(flag())),
    // Programs put the marker on either of the two.
    ...marked,
  }),
  ...marked,
};

const typedTools = {
  function: functionFields,
  web_search: {},
  web_search_preview: {},
  web_search_preview_2025_03_11: {},
  web_search_2025_08_26: {},
  ...markedServiceTools,
};

/** OpenAI's option for models that search by themselves; the content of a location is not validated. */
export const webSearchOptions = object({
  search_context_size: optional(nullable(searchFields.search_context_size)),
  user_location: optional(nullable(freeForm())),
});

const typedTool = variant('type', typedTools);
const hasKnownType = object({ type: oneOf(Object.keys(typedTools)) });

const CHAT_FORM =
  'chat completions have {"type": "function", "function": {"name": …, "description": …, "parameters": {"type": "object", …}}}';
const isMessagesTool = object({ input_schema: anything() });
/** The responses format does not nest it in `function`. */
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

const functionChoice = object({ type: literal('function'), function: object({ name: name() }) });
/** The choice in the responses format. */
const flatChoice = object({ type: literal('function'), name: name() });

/** Words of choices, and those of other vendors' formats with the same meaning. */
const CHOICE_WORDS = ['none', 'auto', 'required', 'any'] as const;

const onlyOne = { disable_parallel_tool_use: optional(nullable(flag())) };
const wordChoice = object({ type: oneOf(CHOICE_WORDS), ...onlyOne });
/** The choice in the Messages format. */
const nameChoice = object({ type: literal('tool'), name: name(), ...onlyOne });

const allowedTool = when(
  object({ type: literal('function') }),
  when(object({ name: anything() }), flatChoice, functionChoice),
  object({ type: word() }),
);
const allowed = { mode: oneOf(['auto', 'required']), tools: toolList(allowedTool) };
const allowedChoice = object({ type: literal('allowed_tools'), allowed_tools: object(allowed) });
/** The choice in the responses format. */
const flatAllowedChoice = object({ type: literal('allowed_tools'), ...allowed });

/** Reports the accepted types where the choice is of none of the other forms. */
const otherChoice = object({
  type: oneOf(['function', 'allowed_tools', 'tool', ...CHOICE_WORDS, ...WEB_SEARCH_SHORTHANDS]),
});

const ofType = (...types: readonly string[]) => object({ type: oneOf(types) });

export const toolChoice = either(
  oneOf(CHOICE_WORDS),
  when(
    ofType('function'),
    when(object({ name: anything() }), flatChoice, functionChoice),
    when(
      ofType('allowed_tools'),
      when(object({ mode: anything() }), flatAllowedChoice, allowedChoice),
      when(
        ofType('tool'),
        nameChoice,
        when(ofType(...CHOICE_WORDS), wordChoice, when(isServiceTool, object({ type: word() }), otherChoice)),
      ),
    ),
  ),
);

export type WireTool = Static<typeof tool>;
export type WireFunctionTool = Extract<Static<typeof typedTool>, { type: 'function' }>;
export type WireToolChoice = Static<typeof toolChoice>;
export type WireAllowedChoice = Static<typeof allowedChoice> | Static<typeof flatAllowedChoice>;
/** A choice of one tool. */
export type WireNamedChoice = Static<typeof allowedTool> | Static<typeof nameChoice>;
