import {
  anything,
  either,
  flag,
  freeForm,
  literal,
  named,
  nullable,
  object,
  oneOf,
  openObject,
  openVariant,
  optional,
  variant,
  when,
  type Static,
} from '../../../shared/http/schema.js';
import { address, contentList, id, messageList, modelText, name } from '../../../shared/http/maxima.js';
import { marked } from '../../common/schemas/cache-control.js';
import { fileAnnotations } from '../../common/schemas/file-annotations.js';
import { ALL_SERVICE_TOOLS } from '../../../tools/service-tools.js';
import {
  documentFields,
  imageFields,
  searchResultFields,
  textBlock,
  textFields,
  toolReferenceFields,
} from './media-blocks.js';

/** The parts of a tool result (docs/use/content-blocks.md#tool-results). */
const toolResultPart = named(
  'tool-result-part',
  variant('type', {
    text: textFields,
    image: imageFields,
    document: documentFields,
    search_result: searchResultFields,
    tool_reference: toolReferenceFields,
  }),
);

const webSearchResult = object({
  type: literal('web_search_result'),
  url: address(),
  title: modelText(),
  encrypted_content: modelText(),
  page_age: optional(nullable(name())),
});

const webSearchError = object({
  type: literal('web_search_tool_result_error'),
  // The last occurs in replies only (docs/use/content-blocks.md#blocks-of-a-reply); a replayed reply must be accepted.
  error_code: oneOf([
    'invalid_tool_input',
    'unavailable',
    'max_uses_exceeded',
    'too_many_requests',
    'query_too_long',
    'request_too_large',
  ]),
});

/** The caller of a tool: a field that some platforms do not accept (docs/use/translation.md#fields-of-betas). */
const called = { caller: optional(anything()) };
const call = { id: id(), name: name(), input: optional(anything()), ...called, ...marked };
const vendorResult = { tool_use_id: id(), content: freeForm(), ...called, ...marked };

type GatewayResult = `openrouter_${string}_tool_result`;
const GATEWAY_RESULTS = ALL_SERVICE_TOOLS.map(({ resultType }) => resultType).filter((type): type is GatewayResult =>
  type.startsWith('openrouter_'),
);
// The shell is not served here; other gateways have such results in their replies.
const gatewayResults = Object.fromEntries(
  ['openrouter_shell_tool_result', ...GATEWAY_RESULTS].map((type) => [type, vendorResult]),
) as Readonly<Record<GatewayResult, typeof vendorResult>>;

/** Blocks that user and assistant messages may contain (docs/use/content-blocks.md#blocks-of-a-request). */
const commonBlocks = {
  text: textFields,
  image: imageFields,
  document: documentFields,
  search_result: searchResultFields,
  tool_use: call,
  tool_result: {
    tool_use_id: id(),
    content: optional(either(modelText(), contentList(toolResultPart))),
    is_error: optional(flag()),
    ...marked,
  },
  thinking: { thinking: modelText(), signature: modelText() },
  redacted_thinking: { data: modelText() },
  server_tool_use: call,
  web_search_tool_result: {
    tool_use_id: id(),
    content: either(contentList(webSearchResult), webSearchError),
    ...called,
    ...marked,
  },
  compaction: {
    content: nullable(modelText()),
    encrypted_content: optional(nullable(modelText())),
    ...marked,
  },
  advisor_tool_result: vendorResult,
  // Chosen: blocks of a reply (docs/use/content-blocks.md#blocks-of-a-reply) are accepted unchanged in the next turn's
  // history.
  web_fetch_tool_result: vendorResult,
  code_execution_tool_result: vendorResult,
  bash_code_execution_tool_result: vendorResult,
  text_editor_code_execution_tool_result: vendorResult,
  tool_search_tool_result: vendorResult,
  ...gatewayResults,
  container_upload: { file_id: id(), ...marked },
  mcp_tool_use: { ...call, server_name: name() },
  mcp_tool_result: {
    tool_use_id: id(),
    content: optional(either(modelText(), contentList(textBlock))),
    is_error: optional(flag()),
    ...marked,
  },
};

const toolChange = {
  tool: variant('type', {
    tool_reference: { name: name() },
    mcp_tool_reference: { name: name(), server_name: name() },
    mcp_toolset_reference: { server_name: name() },
  }),
  ...marked,
};

// docs/use/content-blocks.md#adding-and-removing-tools: tools are added and removed in system messages only.
const systemBlocks = { ...commonBlocks, tool_addition: toolChange, tool_removal: toolChange };

const commonContent = either(modelText(), contentList(named('block', variant('type', commonBlocks))));

const systemContent = either(modelText(), contentList(named('system-block', variant('type', systemBlocks))));

// Other members of a turn are its extras.
const messageOfRole = openVariant('role', {
  user: { content: commonContent },
  assistant: { content: commonContent, annotations: fileAnnotations },
  system: { content: systemContent },
});

const setsEffort = object({ role: literal('system'), output_config: freeForm() });
/** Instructions that set the effort may have no content. */
const effort = openObject({ role: literal('system'), content: optional(systemContent) });

const message = when(setsEffort, effort, messageOfRole);

/**
 * The conversation: at least one message; null is refused although the published schema has it nullable
 * (docs/use/messages.md#request-fields).
 */
export const messages = messageList(message);

/** The instructions: text, or text blocks. */
export const system = either(modelText(), contentList(textBlock));

export type WireMessage = Static<typeof message>;
export type WireBlock = Exclude<WireMessage['content'], string | undefined>[number];
export type WireToolResultPart = Static<typeof toolResultPart>;
export type WireTextBlock = Static<typeof textBlock>;
