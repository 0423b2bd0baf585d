import { presetVariables, type PresetVariables } from '../../presets/preset-variables.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../../shared/http/may-omit.decorator.js';
import { compile, flag, type Static } from '../../shared/http/schema.js';
import { cacheControl } from '../common/schemas/cache-control.js';
import { messages, system } from './schemas/messages.js';
import { contextManagement, inferenceGeo, metadata, outputConfig, speed, thinking } from './schemas/options.js';
import { modelNames, name, stopTexts, word } from '../../shared/http/maxima.js';
import {
  label,
  maxTokens,
  maxToolCalls,
  openNumber,
  stopServerToolsWhen,
  topK,
  trace,
} from '../common/schemas/options.js';
import { plugins } from '../common/schemas/plugins.js';
import { fallbacks, provider, route } from '../common/schemas/routing.js';
import { toolChoice, tools } from './schemas/tools.js';

const IS_NAME = compile(name());
const IS_FLAG = compile(flag());
const IS_LABEL = compile(label);

/**
 * Body of `POST /messages` (docs/use/messages.md#request-fields). Undeclared fields are kept separately: see
 * `unknownFields`.
 */
export class CreateMessageDto {
  @Fits(IS_NAME)
  model!: string;

  @Fits(compile(messages))
  messages!: Static<typeof messages>;

  @MayOmit()
  @Fits(compile(maxTokens))
  max_tokens?: number;

  @MayOmit()
  @Fits(compile(modelNames()))
  models?: string[];

  @MayOmit()
  @Fits(compile(fallbacks))
  fallbacks?: Static<typeof fallbacks>;

  @MayOmit()
  @Fits(compile(system))
  system?: Static<typeof system>;

  @MayOmit()
  @Fits(IS_FLAG)
  stream?: boolean;

  @MayOmit()
  @Fits(compile(openNumber))
  temperature?: number;

  @MayOmit()
  @Fits(compile(openNumber))
  top_p?: number;

  @MayOmit()
  @Fits(compile(topK))
  top_k?: number;

  @MayOmit()
  @Fits(compile(stopTexts()))
  stop_sequences?: string[];

  @MayOmit()
  @Fits(compile(metadata))
  metadata?: Static<typeof metadata>;

  @MayOmit()
  @Fits(IS_LABEL)
  user?: string;

  @MayOmit()
  @Fits(IS_LABEL)
  session_id?: string;

  @MayOmit()
  @Fits(compile(word()))
  service_tier?: string;

  @MayOmit()
  @Fits(compile(speed))
  speed?: Static<typeof speed>;

  @MayOmit()
  @Fits(compile(inferenceGeo))
  inference_geo?: Static<typeof inferenceGeo>;

  @MayOmit()
  @MayBeNull()
  @Fits(compile(cacheControl))
  cache_control?: Static<typeof cacheControl> | null;

  @MayOmit()
  @Fits(compile(thinking))
  thinking?: Static<typeof thinking>;

  @MayOmit()
  @Fits(compile(toolChoice))
  tool_choice?: Static<typeof toolChoice>;

  @MayOmit()
  @Fits(compile(tools))
  tools?: Static<typeof tools>;

  @MayOmit()
  @Fits(compile(outputConfig))
  output_config?: Static<typeof outputConfig>;

  @MayOmit()
  @Fits(compile(contextManagement))
  context_management?: Static<typeof contextManagement>;

  @MayOmit()
  @Fits(compile(plugins))
  plugins?: Static<typeof plugins>;

  @MayOmit()
  @Fits(compile(provider))
  provider?: Static<typeof provider>;

  @MayOmit()
  @Fits(compile(route))
  route?: Static<typeof route>;

  @MayOmit()
  @Fits(compile(stopServerToolsWhen))
  stop_server_tools_when?: Static<typeof stopServerToolsWhen>;

  @MayOmit()
  @Fits(compile(maxToolCalls))
  max_tool_calls?: number;

  @MayOmit()
  @Fits(compile(trace))
  trace?: Static<typeof trace>;

  @MayOmit()
  @Fits(IS_NAME)
  preset?: string;

  @MayOmit()
  @Fits(presetVariables)
  preset_variables?: PresetVariables;
}
