import {
  anything,
  either,
  literal,
  nullable,
  object,
  onlyNull,
  optional,
  variant,
  type Static,
} from '../../../shared/http/schema.js';
import { contentList, id, modelText, name as nameText, toolList, word } from '../../../shared/http/maxima.js';
import { fileAnnotations } from '../../common/schemas/file-annotations.js';
import { marked } from '../../common/schemas/cache-control.js';
import { assistantImages, assistantPart, textPart, toolPart, userPart } from './parts.js';

const name = optional(nullable(nameText()));
const maybeText = optional(nullable(modelText()));

/** Replies state the index of an entry in its list. */
const listIndex = { index: optional(anything()) };

const toolCall = object({
  id: id(),
  type: optional(literal('function')),
  ...listIndex,
  function: object({ name: nameText(), arguments: modelText() }),
});

/**
 * Details of a reply's reasoning, handed back (docs/use/chat.md#reasoning-details). Unknown kinds are not validated.
 */
const reasoningDetail = object({
  type: word(),
  text: maybeText,
  summary: maybeText,
  data: maybeText,
  signature: maybeText,
  format: optional(nullable(word())),
  id: optional(nullable(id())),
  provider: optional(nullable(nameText())),
  ...listIndex,
});

const instructions = { content: either(modelText(), contentList(textPart, { min: 1 })), name, ...marked };

const message = variant('role', {
  system: instructions,
  developer: instructions,
  user: { content: either(modelText(), contentList(userPart, { min: 1 })), name, ...marked },
  assistant: {
    content: optional(nullable(either(modelText(), contentList(assistantPart)))),
    name,
    tool_calls: optional(nullable(toolList(toolCall))),
    reasoning: maybeText,
    reasoning_details: optional(nullable(contentList(reasoningDetail))),
    refusal: maybeText,
    images: optional(nullable(assistantImages)),
    annotations: fileAnnotations,
    phase: optional(anything()),
    audio: optional(onlyNull('cannot be replayed: its sound is kept by the vendor that made it')),
    function_call: optional(onlyNull('is not supported; send tool_calls')),
    ...marked,
  },
  tool: { content: either(modelText(), contentList(toolPart)), tool_call_id: id(), name, ...marked },
});

/** The conversation: at least one message. */
export const messages = contentList(message, { min: 1 });

export type WireMessage = Static<typeof message>;
export type WireAssistantMessage = Extract<WireMessage, { role: 'assistant' }>;
export type WireReasoningDetail = Static<typeof reasoningDetail>;
