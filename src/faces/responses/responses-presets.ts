import type { JsonObject } from '../../core/json/json.js';
import { systemText, type PresetFormat } from '../../presets/preset-format.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { DtoRules } from '../../shared/http/dto-rules.js';
import { CreateResponseDto } from './create-response.dto.js';
import { readRequest } from './read-request.js';

/** Fields that a preset may omit because the requests that use it have them. */
const REQUIRED: JsonObject = { model: 'any', input: 'any' };

/** Presets in the responses format. */
export const responsesPresets: PresetFormat = {
  api: 'responses',
  assertValid: (body) => void readRequest(readBody({ ...REQUIRED, ...body }, CreateResponseDto), { betas: [] }),
  fields: DtoRules.of(CreateResponseDto).fields,
  alternatives: [],
  system: ({ instructions }) => systemText(instructions),
  withSystem: (body, instructions) => ({ ...body, instructions }),
};
