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
  openObject,
  optional,
  refused,
  text,
  variant,
  when,
  type Static,
} from '../../../shared/http/schema.js';
import { modelText, name, toolList, word } from '../../../shared/http/maxima.js';
import { marked } from '../../common/schemas/cache-control.js';
import { isShorthand, shorthand, WEB_SEARCH_SHORTHANDS } from '../../common/schemas/search-shorthand.js';
import { isServiceTool, markedServiceTools, otherServiceFields } from '../../common/schemas/service-tools.js';

/** Longest name of a tool, in characters, as at OpenAI. */
export const TOOL_NAME_MAX = 128;
const toolName = text({ min: 1, max: TOOL_NAME_MAX });

/** Must be false: a model waits for the result, as the other formats cannot carry a later one. */
const async_ = optional(
  Type.Unsafe<unknown>({ if: { enum: [false, null] }, else: refused('must be false: results are awaited') }),
);

const functionFields = {
  name: toolName,
  description: optional(nullable(modelText())),
  // The caller's own JSON Schema is not inspected.
  parameters: optional(nullable(freeForm())),
  output_schema: optional(anything()),
  strict: optional(nullable(flag())),
  defer_loading: optional(nullable(flag())),
  allowed_callers: optional(anything()),
  async: async_,
  ...marked,
};

const customFields = {
  name: toolName,
  description: optional(nullable(modelText())),
  format: optional(nullable(openObject({ type: word() }))),
  defer_loading: optional(nullable(flag())),
  allowed_callers: optional(anything()),
  async: async_,
};

const memberTool = variant('type', { function: functionFields, custom: customFields });

const clientTools = {
  function: functionFields,
  custom: customFields,
  namespace: { name: toolName, description: optional(nullable(modelText())), tools: toolList(memberTool) },
  local_shell: {},
  shell: { environment: optional(anything()) },
  apply_patch: {},
};

/** Tools that the vendor runs. */
const VENDOR_TOOLS = ['image_generation', 'code_interpreter', 'file_search', 'mcp', 'computer_use_preview'] as const;
const vendorTool = Type.Unsafe<{ readonly type: (typeof VENDOR_TOOLS)[number] }>(
  openObject({ type: oneOf(VENDOR_TOOLS) }),
);

const RESPONSES_FORM =
  'is a tool of the chat format; responses have {"type": "function", "name": …, "description": …, "parameters": {"type": "object", …}}';
const isChatTool = object({ type: literal('function'), function: anything() });
const isMessagesTool = object({ input_schema: anything() });

const knownTool = variant('type', { ...clientTools, ...markedServiceTools });

const tool = when(
  isMessagesTool,
  refused(RESPONSES_FORM.replace('chat', 'Messages')),
  when(
    isChatTool,
    refused(RESPONSES_FORM),
    when(
      isShorthand,
      shorthand,
      when(
        object({ type: oneOf(VENDOR_TOOLS) }),
        vendorTool,
        when(
          object({ type: oneOf(Object.keys(markedServiceTools)) }),
          knownTool,
          when(isServiceTool, object({ ...otherServiceFields, ...marked }), knownTool),
        ),
      ),
    ),
  ),
);

export const tools = toolList(tool);

const namespace = optional(nullable(name()));
const namedChoice = object({ type: oneOf(['function', 'custom']), name: name(), namespace });
/** Tools that a choice names by their type alone. */
const TYPED_CHOICES = [...WEB_SEARCH_SHORTHANDS, ...VENDOR_TOOLS, 'shell', 'local_shell', 'apply_patch'] as const;
const typedChoice = when(
  isServiceTool,
  object({ type: word() }),
  object({ type: oneOf(['function', 'custom', 'allowed_tools', ...TYPED_CHOICES]) }),
);
const isNamed = object({ type: oneOf(['function', 'custom']) });
const oneTool = when(isNamed, namedChoice, typedChoice);
const allowedChoice = object({
  type: literal('allowed_tools'),
  mode: oneOf(['auto', 'required']),
  tools: toolList(oneTool),
});

export const toolChoice = either(
  oneOf(['none', 'auto', 'required']),
  when(object({ type: literal('allowed_tools') }), allowedChoice, oneTool),
);

export type WireTool = Static<typeof tool>;
export type ClientToolOf<Kind extends string> = Extract<Static<typeof knownTool>, { type: Kind }>;
export type WireMemberTool = Static<typeof memberTool>;
export type WireToolChoice = Static<typeof toolChoice>;
export type WireOneTool = Static<typeof oneTool>;
