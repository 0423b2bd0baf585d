import type { Dialect } from '../../core/provider.js';
import type { DialectId } from '../../core/routing/catalog.js';
import { anthropicMessages } from './anthropic-messages/dialect.js';
import { cohereChat } from './cohere-chat/dialect.js';
import { googleGemini } from './google-gemini/dialect.js';
import { bedrockConverse } from './bedrock-converse/dialect.js';
import { openaiChat } from './openai-chat/dialect.js';
import { openaiResponses } from './openai-responses/dialect.js';
import { simulated } from './simulated/dialect.js';

/** Every dialect, by its id in the catalog file. Adding one is a folder and a line here. */
export const DIALECTS: Readonly<Record<DialectId, Dialect>> = {
  'anthropic-messages': anthropicMessages,
  'cohere-chat': cohereChat,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'google-gemini': googleGemini,
  'bedrock-converse': bedrockConverse,
  simulated,
};
