import { Type } from '@sinclair/typebox';
import {
  anything,
  either,
  list,
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
import { contentList, id, messageList, modelText, name, word } from '../../../shared/http/maxima.js';
import { SERVICE_TOOL_PREFIX } from '../../../core/tool.js';
import { messagePart, outputPart } from './parts.js';
import { reasoningChange } from './options.js';
import { tools } from './tools.js';

/* The items of `input` (docs/use/responses.md#input-items). */

/** Ids, states and creators of items, as replies state them. The gateway stores nothing under these ids. */
const stated = { id: optional(nullable(id())), status: optional(nullable(word())), created_by: optional(anything()) };

const messageFields = {
  role: oneOf(['user', 'assistant', 'system', 'developer']),
  content: optional(nullable(either(modelText(), contentList(messagePart)))),
  phase: optional(nullable(word())),
  ...stated,
};

const output = either(modelText(), contentList(outputPart));
const namespace = optional(nullable(name()));

/** Shell commands in one call: more than any model sends. */
const COMMANDS_MAX = 1_000;
const commands = list(modelText(), { max: COMMANDS_MAX });

const shellAction = object({
  commands,
  timeout_ms: optional(anything()),
  max_output_length: optional(anything()),
});
const localShellAction = openObject({ command: commands });
const operation = openObject({ type: oneOf(['create_file', 'update_file', 'delete_file']), path: modelText() });

const reasoningText = object({ type: word(), text: modelText() });

const NOT_KEPT = 'cannot be resolved: the gateway keeps no items; send the item itself';

/** Items that become turns of the conversation. */
const turnItem = variant('type', {
  message: messageFields,
  function_call: { call_id: id(), name: name(), arguments: modelText(), namespace, ...stated },
  function_call_output: { call_id: id(), output, ...stated },
  custom_tool_call: { call_id: id(), name: name(), input: modelText(), namespace, ...stated },
  custom_tool_call_output: { call_id: id(), output, ...stated },
  shell_call: {
    call_id: id(),
    action: shellAction,
    arguments: optional(anything()),
    environment: optional(anything()),
    ...stated,
  },
  shell_call_output: {
    call_id: id(),
    output: contentList(openObject({ stdout: optional(modelText()), stderr: optional(modelText()) })),
    max_output_length: optional(anything()),
    ...stated,
  },
  local_shell_call: { ...stated, call_id: id(), action: localShellAction },
  local_shell_call_output: { ...stated, id: id(), output: modelText() },
  apply_patch_call: { call_id: id(), operation, ...stated },
  apply_patch_call_output: { call_id: id(), output: optional(nullable(modelText())), ...stated },
  reasoning: {
    summary: optional(nullable(contentList(reasoningText))),
    content: optional(nullable(contentList(reasoningText))),
    encrypted_content: optional(nullable(modelText())),
    format: optional(nullable(word())),
    signature: optional(nullable(modelText())),
    ...stated,
  },
  image_generation_call: { result: optional(nullable(modelText())), prompt: optional(anything()), ...stated },
  additional_tools: { tools, role: optional(anything()), ...stated },
  configuration_update: { reasoning: reasoningChange, ...stated },
  item_reference: { id: refused(NOT_KEPT) },
  agent_message: { author: refused('is not supported: send a message') },
});

/** Items of the vendor's own tools and of its shortened conversations: only the vendor can read them again. */
const VENDOR_ITEMS = [
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'computer_call',
  'computer_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'compaction',
  'context_compaction',
] as const;
const vendorItem = Type.Unsafe<{ readonly type: (typeof VENDOR_ITEMS)[number] }>(
  openObject({ type: oneOf(VENDOR_ITEMS), id: optional(nullable(id())) }),
);

/** Uses of the gateway's own tools in earlier replies. Their results are in the answers. */
const serviceItem = Type.Unsafe<{ readonly type: `openrouter:${string}` }>(openObject({ type: word() }));
const isTyped = object({ type: anything() });

/** A message may leave out its type. */
const plainMessage = Type.Unsafe<{ type?: 'message' } & Static<ReturnType<typeof messageObject>>>(messageObject());
function messageObject() {
  return object(messageFields);
}

const item = when(
  isTyped,
  when(
    object({ type: oneOf(VENDOR_ITEMS) }),
    vendorItem,
    when(object({ type: text({ pattern: `^${SERVICE_TOOL_PREFIX}` }) }), serviceItem, turnItem),
  ),
  plainMessage,
);

/** A text of the user, or items. */
export const input = either(modelText(), messageList(item));

export type WireItem = Static<typeof item>;
export type ItemOf<Kind extends string> = Extract<Static<typeof turnItem>, { type: Kind }>;
export type WireMessageItem = Omit<ItemOf<'message'>, 'type'>;
