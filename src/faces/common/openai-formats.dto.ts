import { presetVariables, type PresetVariables } from '../../presets/preset-variables.js';
import { id, name } from '../../shared/http/maxima.js';
import { compile, flag, type Static } from '../../shared/http/schema.js';
import { May } from './may.decorator.js';
import { RoutedDto } from './routed.dto.js';
import { cacheControl } from './schemas/cache-control.js';
import {
  anyObject,
  debug,
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
} from './schemas/options.js';
import { plugins } from './schemas/plugins.js';
import { route } from './schemas/routing.js';

const IS_FLAG = compile(flag());
const IS_PENALTY = compile(penalty);

/** Fields that chat completions and responses have alike (docs/use/chat.md#request-fields). */
export abstract class OpenAiFormatsDto extends RoutedDto {
  @May(IS_FLAG)
  declare stream?: boolean | null;

  @May(compile(temperature))
  declare temperature?: number | null;

  @May(compile(topP))
  declare top_p?: number | null;

  @May(compile(topK))
  declare top_k?: number | null;

  @May(compile(openNumber))
  declare min_p?: number | null;

  @May(IS_PENALTY)
  declare frequency_penalty?: number | null;

  @May(IS_PENALTY)
  declare presence_penalty?: number | null;

  @May(compile(topLogprobs))
  declare top_logprobs?: number | null;

  @May(IS_FLAG)
  declare parallel_tool_calls?: boolean | null;

  @May(compile(maxToolCalls))
  declare max_tool_calls?: number | null;

  @May(compile(stopServerToolsWhen))
  declare stop_server_tools_when?: Static<typeof stopServerToolsWhen> | null;

  @May(compile(plugins))
  declare plugins?: Static<typeof plugins> | null;

  @May(compile(route))
  declare route?: Static<typeof route>;

  @May(compile(id()))
  declare prompt_cache_key?: string | null;

  @May(compile(metadata))
  declare metadata?: Static<typeof metadata> | null;

  @May(compile(cacheControl))
  declare cache_control?: Static<typeof cacheControl> | null;

  @May(compile(serviceTier))
  declare service_tier?: Static<typeof serviceTier> | null;

  @May(compile(modalities))
  declare modalities?: Static<typeof modalities> | null;

  @May(compile(anyObject))
  declare image_config?: object | null;

  @May(compile(name()))
  declare preset?: string | null;

  @May(presetVariables)
  declare preset_variables?: PresetVariables | null;

  @May(compile(debug))
  declare debug?: Static<typeof debug> | null;
}
