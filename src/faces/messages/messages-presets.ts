import type { JsonObject } from '../../core/json/json.js';
import { systemText, type PresetFormat } from '../../presets/preset-format.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { DtoRules } from '../../shared/http/dto-rules.js';
import { CreateMessageDto } from './create-message.dto.js';
import { readRequest } from './read-request.js';

/** Fields that a preset may omit because the requests that use it have them. */
const REQUIRED: JsonObject = { model: 'any', messages: [{ role: 'user', content: 'any' }] };

/** Presets in the Messages format. */
export const messagesPresets: PresetFormat = {
  api: 'messages',
  assertValid: (body) => void readRequest(readBody({ ...REQUIRED, ...body }, CreateMessageDto), { betas: [] }),
  fields: DtoRules.of(CreateMessageDto).fields,
  alternatives: [],
  system: ({ system }) => systemText(system),
  withSystem: (body, system) => ({ ...body, system }),
};
