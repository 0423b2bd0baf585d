import type { Effort } from '../../core/conversation/effort.js';
import type { Verbosity } from '../../core/conversation/request.js';
import { May, Nullable } from '../common/may.decorator.js';
import { cacheControl } from '../common/schemas/cache-control.js';
import { id, modelNames, name, word } from '../../shared/http/bounds.js';
import {
  anyObject,
  debug,
  effort,
  label,
  maxTokens,
  maxToolCalls,
  metadata,
  modalities,
  openNumber,
  penalty,
  reasoning,
  serviceTier,
  stopServerToolsWhen,
  temperature,
  topK,
  topLogprobs,
  topP,
  trace,
  verbosity,
} from '../common/schemas/options.js';
import { plugins } from '../common/schemas/plugins.js';
import { provider, route } from '../common/schemas/routing.js';
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

const IS_NAME = compile(name());
const IS_ID = compile(id());
const IS_FLAG = compile(flag());
const IS_OPEN_NUMBER = compile(openNumber);
const IS_LABEL = compile(label);
const IS_MAX_TOKENS = compile(maxTokens);
const IS_PENALTY = compile(penalty);
const IS_OBJECT = compile(anyObject);
const IS_OLD_FUNCTIONS = compile(refused('is not supported; send tools and tool_choice'));

/**
 * Body of `POST /chat/completions` (docs/use/chat.md#request-fields). Undeclared fields are kept separately: see
 * `unknownFields`.
 */
export class CreateChatDto {
  // There is no default model yet.
  @Fits(IS_NAME)
  model!: string;

  @Fits(compile(messages))
  messages!: Static<typeof messages>;

  @May(compile(modelNames()))
  models?: string[] | null;

  @May(compile(provider))
  provider?: Static<typeof provider>;

  @May(compile(plugins))
  plugins?: Static<typeof plugins> | null;

  @May(compile(route))
  route?: Static<typeof route>;

  @May(IS_LABEL)
  session_id?: string | null;

  @May(compile(webSearchOptions))
  web_search_options?: Static<typeof webSearchOptions> | null;

  @May(compile(stopServerToolsWhen))
  stop_server_tools_when?: Static<typeof stopServerToolsWhen> | null;

  @May(compile(maxToolCalls))
  max_tool_calls?: number | null;

  @May(compile(trace))
  trace?: Static<typeof trace> | null;

  @May(compile(cacheControl))
  cache_control?: Static<typeof cacheControl> | null;

  @May(IS_ID)
  user?: string | null;

  @May(compile(metadata))
  metadata?: Static<typeof metadata> | null;

  @Nullable()
  @Fits(IS_FLAG)
  stream?: boolean | null;

  @May(compile(streamOptions))
  stream_options?: Static<typeof streamOptions> | null;

  @May(IS_MAX_TOKENS)
  max_completion_tokens?: number | null;

  @May(IS_MAX_TOKENS)
  max_tokens?: number | null;

  @May(compile(temperature))
  temperature?: number | null;

  @May(compile(topP))
  top_p?: number | null;

  @May(compile(topK))
  top_k?: number | null;

  @May(IS_OPEN_NUMBER)
  top_a?: number | null;

  @May(IS_OPEN_NUMBER)
  min_p?: number | null;

  @May(IS_OPEN_NUMBER)
  repetition_penalty?: number | null;

  @May(IS_PENALTY)
  frequency_penalty?: number | null;

  @May(IS_PENALTY)
  presence_penalty?: number | null;

  @May(compile(seed))
  seed?: number | null;

  @May(compile(stop))
  stop?: Static<typeof stop> | null;

  @May(compile(logitBias))
  logit_bias?: Static<typeof logitBias> | null;

  @Nullable()
  @Fits(IS_FLAG)
  logprobs?: boolean | null;

  @May(compile(topLogprobs))
  top_logprobs?: number | null;

  @May(compile(choices))
  n?: number | null;

  @May(compile(responseFormat))
  response_format?: Static<typeof responseFormat> | null;

  @May(compile(reasoning))
  reasoning?: Static<typeof reasoning> | null;

  @May(compile(effort))
  reasoning_effort?: Effort | null;

  @Nullable()
  @Fits(IS_FLAG)
  include_reasoning?: boolean | null;

  @May(compile(verbosity))
  verbosity?: Verbosity | null;

  @May(compile(serviceTier))
  service_tier?: Static<typeof serviceTier> | null;

  @May(compile(speed))
  speed?: Static<typeof speed> | null;

  @May(compile(word()))
  inference_geo?: string | null;

  @May(compile(modalities))
  modalities?: Static<typeof modalities> | null;

  @May(IS_OBJECT)
  image_config?: object | null;

  @May(compile(tools))
  tools?: Static<typeof tools> | null;

  @May(compile(toolChoice))
  tool_choice?: Static<typeof toolChoice> | null;

  @Nullable()
  @Fits(IS_FLAG)
  parallel_tool_calls?: boolean | null;

  @May(IS_ID)
  prompt_cache_key?: string | null;

  @May(IS_NAME)
  preset?: string | null;

  @May(compile(transforms))
  transforms?: string[] | null;

  // What it once switched on is always sent.
  @May(compile(usage))
  usage?: Static<typeof usage> | null;

  @May(compile(debug))
  debug?: Static<typeof debug> | null;

  @May(IS_OLD_FUNCTIONS)
  functions?: null;

  @May(IS_OLD_FUNCTIONS)
  function_call?: null;
}
