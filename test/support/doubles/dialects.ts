import { anthropicMessages } from './anthropic-messages.js';
import { bedrockConverse } from './bedrock-converse.js';
import { cohereChat } from './cohere-chat.js';
import type { DialectDouble, WireDialect } from './double.js';
import { googleGemini } from './google-gemini.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

/** Every dialect's double: a new dialect does not compile without one. */
export const DIALECT_DOUBLES: Readonly<Record<WireDialect, DialectDouble>> = {
  'anthropic-messages': anthropicMessages,
  'bedrock-converse': bedrockConverse,
  'cohere-chat': cohereChat,
  'google-gemini': googleGemini,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
};
