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
  optional,
  variant,
  type Static,
} from '../../shared/http/schema.js';
import { address, contentList, id, messageList, modelText, name } from '../../shared/http/bounds.js';
import { marked } from '../../inference/schemas/cache-control.js';
import { fileAnnotations } from '../../inference/schemas/file-annotations.js';
import {
  documentFields,
  imageFields,
  searchResultFields,
  textBlock,
  textFields,
  toolReferenceFields,
} from './media-blocks.js';

/** What a tool result may hold (docs/wire/content-blocks.md#tool-results). */
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
  // The last stands in replies only (docs/wire/content-blocks.md#blocks-of-a-reply); a replayed reply must be taken.
  error_code: oneOf([
    'invalid_tool_input',
    'unavailable',
    'max_uses_exceeded',
    'too_many_requests',
    'query_too_long',
    'request_too_large',
  ]),
});

const call = { id: id(), name: name(), input: optional(anything()), ...marked };
const vendorResult = { tool_use_id: id(), content: freeForm(), ...marked };

/** Blocks that user and assistant messages may hold (docs/wire/content-blocks.md#blocks-of-a-request). */
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
    ...marked,
  },
  compaction: {
    content: nullable(modelText()),
    encrypted_content: optional(nullable(modelText())),
    ...marked,
  },
  advisor_tool_result: vendorResult,
  // Chosen: what a reply may hold (docs/wire/content-blocks.md#blocks-of-a-reply) is taken back in the next
  // turn's history, as it was.
  web_fetch_tool_result: vendorResult,
  code_execution_tool_result: vendorResult,
  bash_code_execution_tool_result: vendorResult,
  text_editor_code_execution_tool_result: vendorResult,
  tool_search_tool_result: vendorResult,
  openrouter_shell_tool_result: vendorResult,
  openrouter_bash_tool_result: vendorResult,
  openrouter_datetime_tool_result: vendorResult,
  openrouter_image_generation_tool_result: vendorResult,
  openrouter_search_models_tool_result: vendorResult,
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

// docs/wire/content-blocks.md#tools-that-come-and-go: tools come and go in system messages only.
const systemBlocks = { ...commonBlocks, tool_addition: toolChange, tool_removal: toolChange };

const commonContent = either(modelText(), contentList(named('block', variant('type', commonBlocks))));

const message = variant('role', {
  user: { content: commonContent },
  assistant: { content: commonContent, annotations: fileAnnotations },
  system: { content: either(modelText(), contentList(named('system-block', variant('type', systemBlocks)))) },
});

/**
 * The conversation: at least one message; null is refused although the published schema has it nullable
 * (docs/wire/messages.md#request-fields).
 */
export const messages = messageList(message);

/** The instructions: text, or text blocks. */
export const system = either(modelText(), contentList(textBlock));

export type WireMessage = Static<typeof message>;
export type WireBlock = Exclude<WireMessage['content'], string>[number];
export type WireToolResultPart = Static<typeof toolResultPart>;
export type WireTextBlock = Static<typeof textBlock>;
