import { Type } from '@sinclair/typebox';
import {
  anything,
  flag,
  literal,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  refused,
  variant,
  when,
  type Static,
} from '../../../shared/http/schema.js';
import {
  contentList,
  domainList,
  modelText,
  name,
  optionList,
  toolList,
  wholeNumber,
  word,
} from '../../../shared/http/maxima.js';
import { cacheControl, eachMarked, marked } from '../../common/schemas/cache-control.js';
import { maxTokens } from '../../common/schemas/options.js';
import { isServiceTool, otherServiceFields, serviceTools } from '../../common/schemas/service-tools.js';
import { userLocation } from '../../../tools/web-search/user-location.js';

const allowedCallers = optional(optionList(oneOf(['direct', 'code_execution_20250825', 'code_execution_20260120'])));
const domains = optional(nullable(domainList()));

const customFields = {
  name: name(),
  // Any further key is the caller's own JSON Schema and is not inspected.
  input_schema: openObject({
    type: optional(word()),
    properties: optional(anything()),
    required: optional(nullable(contentList(modelText()))),
  }),
  description: optional(modelText()),
  defer_loading: optional(flag()),
  strict: optional(flag()),
  // Platforms take these or not (docs/use/translation.md#fields-of-betas).
  allowed_callers: optional(anything()),
  eager_input_streaming: optional(anything()),
  input_examples: optional(anything()),
  ...marked,
};

const webSearchFields = {
  name: literal('web_search'),
  allowed_domains: domains,
  blocked_domains: domains,
  max_uses: optional(nullable(wholeNumber())),
  user_location: optional(userLocation),
  ...marked,
};

/** Vendor tools whose names are fixed (docs/use/messages.md#tools). */
const vendorTools = {
  bash_20250124: { name: literal('bash'), ...marked },
  text_editor_20250124: { name: literal('str_replace_editor'), ...marked },
  web_search_20250305: webSearchFields,
  web_search_20260209: { ...webSearchFields, allowed_callers: allowedCallers },
  web_search_20260318: webSearchFields,
  advisor_20260301: {
    name: literal('advisor'),
    model: name(),
    allowed_callers: allowedCallers,
    caching: optional(nullable(cacheControl)),
    defer_loading: optional(flag()),
    max_uses: optional(wholeNumber()),
    max_tokens: optional(nullable(maxTokens)),
    ...marked,
  },
};

/** Tools of Anthropic that are passed on unchanged. */
export const VENDOR_TYPES: readonly string[] = [
  'custom',
  ...Object.keys(vendorTools),
  'web_fetch_20250910',
  'code_execution_20250825',
  'computer_20250124',
  'memory_20250818',
  'text_editor_20250728',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
  'tool_search_tool_regex_20251119',
  'tool_search_tool_bm25_20251119',
  'mcp_toolset',
];

const typedTools = { custom: customFields, ...vendorTools, ...eachMarked(serviceTools) };

const customTool = object(customFields);
const typedTool = variant('type', typedTools);
/** The vendor's own definition. */
const otherTool = openObject({ type: word() });

const isChatTool = object({ type: literal('function') });
export const CHAT_TOOL =
  'is a tool of chat completions; the Messages format has {"name": …, "description": …, "input_schema": {"type": "object", …}}';
const chatTool = refused(CHAT_TOOL);

const hasType = object({ type: anything() });
const hasKnownType = object({ type: oneOf(Object.keys(typedTools)) });

/**
 * One tool: without a type it is the caller's own, with an unknown one it is a vendor's (docs/use/messages.md#tools).
 */
export const tool = when(
  hasType,
  when(
    hasKnownType,
    typedTool,
    when(isServiceTool, object({ ...otherServiceFields, ...marked }), when(isChatTool, chatTool, otherTool)),
  ),
  customTool,
);

export const tools = toolList(tool);

const atMostOne = { disable_parallel_tool_use: optional(flag()) };

const chatChoice = refused(
  'is a choice of chat completions; the Messages format has {"type": "auto"}, {"type": "any"}, {"type": "none"} or {"type": "tool", "name": …}',
);

const choice = when(
  object({ type: oneOf(['function', 'required', 'allowed_tools', 'custom']) }),
  chatChoice,
  variant('type', {
    auto: atMostOne,
    any: atMostOne,
    none: {},
    tool: { name: name(), ...atMostOne },
  }),
);

/** Without a separate type: a word is refused as what it is. */
export const toolChoice = Type.Unsafe<Static<typeof choice>>({
  if: { type: 'string' },
  then: chatChoice,
  else: choice,
});

export type WireTool = Static<typeof tool>;
export type WireCustomTool = Static<typeof customTool>;
export type WireToolChoice = Static<typeof toolChoice>;
