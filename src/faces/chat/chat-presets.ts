import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { systemText, type PresetFormat } from '../../presets/preset-format.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { DtoRules } from '../../shared/http/dto-rules.js';
import { CreateChatDto } from './create-chat.dto.js';
import { readRequest } from './read-request.js';

/** Fields that a preset may omit because the requests that use it have them. */
const REQUIRED: JsonObject = { model: 'any', messages: [{ role: 'user', content: 'any' }] };

/** Presets in the chat-completions format: the system prompt is the first system message. */
export const chatPresets: PresetFormat = {
  api: 'chat',
  assertValid: (body) => void readRequest(readBody({ ...REQUIRED, ...body }, CreateChatDto), { betas: [] }),
  fields: DtoRules.of(CreateChatDto).fields,
  alternatives: [
    ['max_completion_tokens', 'max_tokens'],
    ['reasoning', 'reasoning_effort'],
  ],
  system: ({ messages }) => systemText(listOf(messages).find(isSystemMessage)?.['content']),
  withSystem: (body, content) => ({ ...body, messages: [{ role: 'system', content }, ...listOf(body['messages'])] }),
};

const listOf = (messages: Json | undefined): readonly Json[] =>
  Array.isArray(messages) ? (messages as readonly Json[]) : [];

const isSystemMessage = (message: Json): message is JsonObject =>
  isJsonObject(message) && (message['role'] === 'system' || message['role'] === 'developer');
