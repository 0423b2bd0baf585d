import {
  either,
  list,
  literal,
  nullable,
  object,
  onlyNull,
  optional,
  text,
  variant,
  type Static,
} from '../../shared/http/schema.js';
import { assistantImages, assistantPart, textPart, toolPart, userPart } from './parts.js';

const name = optional(nullable(text()));
const maybeText = optional(nullable(text()));

const toolCall = object({
  id: text(),
  type: optional(literal('function')),
  function: object({ name: text(), arguments: text() }),
});

/**
 * What a reply told of its reasoning, handed back (docs/wire/chat.md#reasoning-details). Kinds that are not known here
 * are the vendors' own affair.
 */
const reasoningDetail = object({
  type: text(),
  text: maybeText,
  summary: maybeText,
  data: maybeText,
  signature: maybeText,
  format: maybeText,
  id: maybeText,
  provider: maybeText,
});

const instructions = { content: either(text(), list(textPart, { min: 1 })), name };

const message = variant('role', {
  system: instructions,
  developer: instructions,
  user: { content: either(text(), list(userPart, { min: 1 })), name },
  assistant: {
    content: optional(nullable(either(text(), list(assistantPart)))),
    name,
    tool_calls: optional(nullable(list(toolCall))),
    reasoning: maybeText,
    reasoning_details: optional(nullable(list(reasoningDetail))),
    refusal: maybeText,
    images: optional(nullable(assistantImages)),
    audio: optional(onlyNull('cannot be replayed: its sound is kept by the vendor that made it')),
    function_call: optional(onlyNull('is not supported; send tool_calls')),
  },
  tool: { content: either(text(), list(toolPart)), tool_call_id: text(), name },
});

/** The conversation: at least one message. */
export const messages = list(message, { min: 1 });

export type WireMessage = Static<typeof message>;
export type WireAssistantMessage = Extract<WireMessage, { role: 'assistant' }>;
export type WireReasoningDetail = Static<typeof reasoningDetail>;
