import type { Effort } from '../../core/conversation/effort.js';
import type { Verbosity } from '../../core/conversation/request.js';
import { May } from '../common/may.decorator.js';
import { OpenAiFormatsDto } from '../common/openai-formats.dto.js';
import { name, word } from '../../shared/http/maxima.js';
import { effort, maxTokens, openNumber, reasoning, verbosity } from '../common/schemas/options.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { compile, flag, refused, type Static } from '../../shared/http/schema.js';
import { messages } from './schemas/messages.js';
import {
  choices,
  logitBias,
  responseFormat,
  seed,
  speed,
  stop,
  streamOptions,
  transforms,
  usage,
} from './schemas/options.js';
import { toolChoice, tools, webSearchOptions } from './schemas/tools.js';

const IS_FLAG = compile(flag());
const IS_OPEN_NUMBER = compile(openNumber);
const IS_MAX_TOKENS = compile(maxTokens);
const IS_OLD_FUNCTIONS = compile(refused('is not supported; send tools and tool_choice'));

/**
 * Body of `POST /chat/completions` (docs/use/chat.md#request-fields). Undeclared fields are kept separately: see
 * `unknownFields`.
 */
export class CreateChatDto extends OpenAiFormatsDto {
  // There is no default model yet.
  @Fits(compile(name()))
  model!: string;

  @Fits(compile(messages))
  messages!: Static<typeof messages>;

  @May(compile(webSearchOptions))
  web_search_options?: Static<typeof webSearchOptions> | null;

  @May(compile(streamOptions))
  stream_options?: Static<typeof streamOptions> | null;

  @May(IS_MAX_TOKENS)
  max_completion_tokens?: number | null;

  @May(IS_MAX_TOKENS)
  max_tokens?: number | null;

  @May(IS_OPEN_NUMBER)
  top_a?: number | null;

  @May(IS_OPEN_NUMBER)
  repetition_penalty?: number | null;

  @May(compile(seed))
  seed?: number | null;

  @May(compile(stop))
  stop?: Static<typeof stop> | null;

  @May(compile(logitBias))
  logit_bias?: Static<typeof logitBias> | null;

  @May(IS_FLAG)
  logprobs?: boolean | null;

  @May(compile(choices))
  n?: number | null;

  @May(compile(responseFormat))
  response_format?: Static<typeof responseFormat> | null;

  @May(compile(reasoning))
  reasoning?: Static<typeof reasoning> | null;

  @May(compile(effort))
  reasoning_effort?: Effort | null;

  @May(IS_FLAG)
  include_reasoning?: boolean | null;

  @May(compile(verbosity))
  verbosity?: Verbosity | null;

  @May(compile(speed))
  speed?: Static<typeof speed> | null;

  @May(compile(word()))
  inference_geo?: string | null;

  @May(compile(tools))
  tools?: Static<typeof tools> | null;

  @May(compile(toolChoice))
  tool_choice?: Static<typeof toolChoice> | null;

  @May(compile(transforms))
  transforms?: string[] | null;

  // Without effect: clients once requested the usage by this field, and replies now always contain it.
  @May(compile(usage))
  usage?: Static<typeof usage> | null;

  @May(IS_OLD_FUNCTIONS)
  functions?: null;

  @May(IS_OLD_FUNCTIONS)
  function_call?: null;
}
