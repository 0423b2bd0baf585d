import { id, modelText, name } from '../../shared/http/maxima.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { compile, type Static } from '../../shared/http/schema.js';
import { May } from '../common/may.decorator.js';
import { OpenAiFormatsDto } from '../common/openai-formats.dto.js';
import { maxTokens } from '../common/schemas/options.js';
import { input } from './schemas/input.js';
import {
  background,
  chatMessages,
  conversation,
  include,
  previousResponse,
  reasoning,
  store,
  storedPrompt,
  textOptions,
  truncation,
} from './schemas/options.js';
import { toolChoice, tools } from './schemas/tools.js';

/**
 * Body of `POST /responses` (docs/use/responses.md#request-fields). Undeclared fields are kept separately: see
 * `unknownFields`.
 */
export class CreateResponseDto extends OpenAiFormatsDto {
  // Either `model` or `models` is required.
  @May(compile(name()))
  model?: string | null;

  @Fits(compile(input))
  input!: Static<typeof input>;

  @May(compile(modelText()))
  instructions?: string | null;

  @May(compile(maxTokens))
  max_output_tokens?: number | null;

  @May(compile(reasoning))
  reasoning?: Static<typeof reasoning> | null;

  @May(compile(textOptions))
  text?: Static<typeof textOptions> | null;

  @May(compile(include))
  include?: Static<typeof include> | null;

  @May(compile(truncation))
  truncation?: Static<typeof truncation> | null;

  @May(compile(tools))
  tools?: Static<typeof tools> | null;

  @May(compile(toolChoice))
  tool_choice?: Static<typeof toolChoice> | null;

  @May(compile(id()))
  safety_identifier?: string | null;

  @May(compile(store))
  store?: unknown;

  @May(compile(background))
  background?: unknown;

  @May(compile(previousResponse))
  previous_response_id?: unknown;

  @May(compile(conversation))
  conversation?: unknown;

  @May(compile(storedPrompt))
  prompt?: unknown;

  @May(compile(chatMessages))
  messages?: unknown;
}
