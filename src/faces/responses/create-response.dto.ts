import { May } from '../common/may.decorator.js';
import { cacheControl } from '../common/schemas/cache-control.js';
import {
  anyObject,
  debug,
  label,
  maxTokens,
  maxToolCalls,
  metadata,
  modalities,
  openNumber,
  penalty,
  serviceTier,
  stopServerToolsWhen,
  temperature,
  topK,
  topLogprobs,
  topP,
  trace,
} from '../common/schemas/options.js';
import { plugins } from '../common/schemas/plugins.js';
import { provider, route } from '../common/schemas/routing.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { compile, flag, type Static } from '../../shared/http/schema.js';
import { id, modelNames, modelText, name } from '../../shared/http/bounds.js';
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

const IS_NAME = compile(name());
const IS_ID = compile(id());
const IS_FLAG = compile(flag());
const IS_PENALTY = compile(penalty);

/**
 * Body of `POST /responses` (docs/use/responses.md#request-fields). Undeclared fields are kept separately: see
 * `unknownFields`.
 */
export class CreateResponseDto {
  // Either of the two is required.
  @May(IS_NAME)
  model?: string | null;

  @May(compile(modelNames()))
  models?: string[] | null;

  @Fits(compile(input))
  input!: Static<typeof input>;

  @May(compile(modelText()))
  instructions?: string | null;

  @May(IS_FLAG)
  stream?: boolean | null;

  @May(compile(maxTokens))
  max_output_tokens?: number | null;

  @May(compile(temperature))
  temperature?: number | null;

  @May(compile(topP))
  top_p?: number | null;

  @May(compile(topK))
  top_k?: number | null;

  @May(IS_PENALTY)
  frequency_penalty?: number | null;

  @May(IS_PENALTY)
  presence_penalty?: number | null;

  @May(compile(openNumber))
  min_p?: number | null;

  @May(compile(topLogprobs))
  top_logprobs?: number | null;

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

  @May(IS_FLAG)
  parallel_tool_calls?: boolean | null;

  @May(compile(maxToolCalls))
  max_tool_calls?: number | null;

  @May(compile(stopServerToolsWhen))
  stop_server_tools_when?: Static<typeof stopServerToolsWhen> | null;

  @May(compile(provider))
  provider?: Static<typeof provider>;

  @May(compile(plugins))
  plugins?: Static<typeof plugins> | null;

  @May(compile(route))
  route?: Static<typeof route>;

  @May(compile(label))
  session_id?: string | null;

  @May(IS_ID)
  prompt_cache_key?: string | null;

  @May(IS_ID)
  user?: string | null;

  @May(IS_ID)
  safety_identifier?: string | null;

  @May(compile(metadata))
  metadata?: Static<typeof metadata> | null;

  @May(compile(trace))
  trace?: Static<typeof trace> | null;

  @May(compile(cacheControl))
  cache_control?: Static<typeof cacheControl> | null;

  @May(compile(serviceTier))
  service_tier?: Static<typeof serviceTier> | null;

  @May(compile(modalities))
  modalities?: Static<typeof modalities> | null;

  @May(compile(anyObject))
  image_config?: object | null;

  @May(IS_NAME)
  preset?: string | null;

  @May(compile(debug))
  debug?: Static<typeof debug> | null;

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
