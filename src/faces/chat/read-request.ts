import type { ModelRequest, OutputFormat, PluginEntry } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { definedOnly } from '../../core/defined.js';
import { shortEndUser } from '../../core/end-user.js';
import type { JsonObject } from '../../core/json/json.js';
import { NO_PREFERENCES } from '../../core/routing/preferences.js';
import { readAnnotations } from '../common/read-annotations.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import type { RequestHeaders } from '../common/read-headers.js';
import { addTags } from '../common/read-tags.js';
import {
  readJsonSchema,
  readModality,
  readPreferences,
  readReasoningOptions,
  readSessionId,
  readStopConditions,
  readTrace,
  withOnline,
} from '../common/read-options.js';
import { assertSelfContained } from '../common/self-contained.js';
import { assertToolPairs, type ToolPairMessages } from '../common/tool-pairs.js';
import { UNKNOWN_MEMBERS, unknownFields, type WithUnknownMembers } from '../../shared/http/dto.pipe.js';
import { FIELD_NAMES, OLDER_FIELD_NAMES } from './field-names.js';
import type { CreateChatDto } from './create-chat.dto.js';
import { invalidField } from '../common/invalid-field.js';
import { readMessages } from './read-messages.js';
import { readToolChoice, withAllowed } from '../common/read-tool-choice.js';
import { readTool, readWebSearchOptions } from './read-tools.js';
import type { WireMessage } from './schemas/messages.js';
import type { WireResponseFormat } from './schemas/options.js';

const PAIR_WORDS: ToolPairMessages = {
  field: 'tool_call_id',
  unmatched: (id) => `the assistant message before it has no tool call ${id}`,
  unanswered: (id) => `tool call ${id} has no tool message that follows it; send its result or leave the call out`,
  duplicate: (id) => `another tool call of this turn has the id ${id}; use a different id for each call`,
  answeredTwice: (id) => `tool call ${id} has a tool message already; send one result for each call`,
};

const COMPRESSION = 'context-compression';

const NONE: readonly never[] = [];

type Draft = { -readonly [Field in keyof ModelRequest]: ModelRequest[Field] };

/**
 * The neutral request of a checked body. Null is the same as absence. What core does not model is kept as the caller
 * sent it.
 * @throws GatewayError `invalid-request` for contradicting fields, for what no model here can answer, and for tool
 *   calls without their results
 */
export function readRequest(dto: CreateChatDto, headers: RequestHeaders): ModelRequest {
  const { system, messages } = readMessages(dto.messages);
  if (traitsOf(messages).hasToolBlocks) assertToolPairs(messages, PAIR_WORDS);
  const { provider, route, models } = dto;
  const request: Draft = {
    model: dto.model,
    system,
    messages,
    fieldNames: typeof dto.max_tokens === 'number' && !dto.max_completion_tokens ? OLDER_FIELD_NAMES : FIELD_NAMES,
    stream: dto.stream ?? false,
    sampling: definedOnly({
      temperature: dto.temperature,
      topP: dto.top_p,
      topK: dto.top_k,
      topA: dto.top_a,
      minP: dto.min_p,
      frequencyPenalty: dto.frequency_penalty,
      presencePenalty: dto.presence_penalty,
      repetitionPenalty: dto.repetition_penalty,
      seed: dto.seed,
      logitBias: dto.logit_bias,
      logprobs: dto.logprobs,
      topLogprobs: dto.top_logprobs,
    }),
    tools: dto.tools || dto.web_search_options ? readTools(dto) : NONE,
    preferences: provider || route ? readPreferences(provider, route ?? undefined) : NO_PREFERENCES,
    plugins: dto.plugins || dto.transforms ? readPlugins(dto) : NONE,
    betas: headers.betas,
  };
  if (models?.length) request.fallbackModels = { models, onRefusal: false };
  if (models?.length || dto.model.includes(':'))
    request.plugins = withOnline(request.plugins, [dto.model, ...(models ?? [])]);
  if (dto.messages.some(isAnnotated)) Object.assign(request, readAnnotations(annotationsOf(dto)));
  addOptions(request, dto, headers);
  const extras = unknownFields(dto);
  if (Object.keys(extras).length > 0) {
    assertSelfContained(extras);
    request.extras = { vendor: 'openai', value: extras };
  }
  const { [UNKNOWN_MEMBERS]: members } = dto as WithUnknownMembers;
  if (members) request.undeclared = { vendor: 'openai', members };
  return request;
}

/** Fields that most requests omit: options of the answer, and the user and context of the request. */
function addOptions(request: Draft, dto: CreateChatDto, headers: RequestHeaders): void {
  const maxOutputTokens = dto.max_completion_tokens ?? dto.max_tokens ?? undefined;
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens;
  const stops = dto.stop ? readStops(dto.stop) : NONE;
  if (stops.length > 0) request.stopSequences = stops;
  if (dto.tool_choice) {
    Object.assign(request, readToolChoice(dto.tool_choice, request.tools));
    request.tools = withAllowed(request.tools, request.toolChoice!);
  }
  if (typeof dto.parallel_tool_calls === 'boolean') request.parallelToolCalls = dto.parallel_tool_calls;
  if (dto.reasoning || dto.reasoning_effort) Object.assign(request, readReasoningOptions(dto));
  if (typeof dto.reasoning?.summary === 'string') request.reasoningSummary = dto.reasoning.summary;
  if (dto.response_format || dto.modalities || dto.image_config) Object.assign(request, readOutput(dto));
  if (dto.verbosity) request.verbosity = dto.verbosity;
  if (dto.cache_control) request.cacheMarker = readCacheMarker(dto.cache_control);
  if (typeof dto.service_tier === 'string') request.serviceTier = dto.service_tier;
  if (dto.speed) request.speed = dto.speed;
  if (dto.inference_geo) request.inferenceGeo = dto.inference_geo;
  if (dto.stop_server_tools_when) request.stopServerToolsWhen = readStopConditions(dto.stop_server_tools_when);
  if (typeof dto.max_tool_calls === 'number') request.maxToolCalls = dto.max_tool_calls;
  // A whole reply has no field for it (docs/use/chat.md#echo-of-the-upstream-body).
  if (dto.debug?.echo_upstream_body === true && dto.stream === true) request.echoesUpstreamBody = true;
  const sessionId = readSessionId(dto, headers);
  if (sessionId !== undefined) request.sessionId = sessionId;
  if (typeof dto.prompt_cache_key === 'string') request.promptCacheKey = dto.prompt_cache_key;
  if (dto.user) request.user = shortEndUser(dto.user);
  if (dto.metadata) request.metadata = { vendor: 'openai', value: dto.metadata };
  if (dto.trace) request.trace = readTrace(dto.trace);
  if (headers.tags || headers.requiredTags || dto.trace?.tags) addTags(request, headers, dto.trace?.tags);
  if (headers.fusionDepth !== undefined) request.fusionDepth = headers.fusionDepth;
}

const readTools = ({ tools, web_search_options: search }: CreateChatDto): readonly Tool[] => [
  ...(tools ?? []).map(readTool),
  ...(search ? [readWebSearchOptions(search)] : []),
];

/** The caller wants no reasoning in the reply, whatever the model does. */
export const hidesReasoning = ({ reasoning, include_reasoning: included }: CreateChatDto): boolean =>
  reasoning?.exclude ?? included === false;

/** An empty text is no stop sequence. */
const readStops = (stop: string | readonly string[]): readonly string[] =>
  [stop].flat().filter((sequence) => sequence !== '');

function readOutput({
  response_format: format,
  modalities,
  image_config: imageConfig,
}: CreateChatDto): Pick<ModelRequest, 'outputFormat' | 'modalities' | 'imageConfig'> {
  const outputFormat = format ? readFormat(format) : undefined;
  return {
    ...(outputFormat && { outputFormat }),
    ...(modalities?.length && { modalities: modalities.map(readModality) }),
    ...(imageConfig && { imageConfig: imageConfig as JsonObject }),
  };
}

function readFormat(format: WireResponseFormat): OutputFormat | undefined {
  switch (format.type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json-object' };
    case 'json_schema':
      return readJsonSchema(format.json_schema);
    case 'grammar':
    case 'python':
      throw invalidField('response_format.type', `${format.type} is offered by no provider here; send json_schema`);
  }
}

const isAnnotated = (message: WireMessage): boolean => message.role === 'assistant' && Boolean(message.annotations);

function* annotationsOf({ messages }: CreateChatDto) {
  for (const message of messages) if (message.role === 'assistant') yield message.annotations;
}

/** `transforms` is the old form of the compression plugin (docs/use/chat.md#request-fields). */
function readPlugins({ plugins, transforms }: CreateChatDto): readonly PluginEntry[] {
  const requested = plugins ?? [];
  if (!transforms || requested.some(({ id }) => id === COMPRESSION)) return requested;
  return [...requested, transforms.includes('middle-out') ? { id: COMPRESSION } : { id: COMPRESSION, enabled: false }];
}
