import type { ModelRequest, OutputFormat, TaskBudget, Thinking } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import { definedOnly } from '../core/defined.js';
import { readAnnotations } from '../inference/read-annotations.js';
import { readCacheMarker } from '../inference/read-cache-marker.js';
import type { RequestHeaders } from '../inference/read-headers.js';
import { readPreferences, readStopConditions, readTrace, withOnline } from '../inference/read-options.js';
import { assertToolPairs, type ToolPairMessages } from '../inference/tool-pairs.js';
import { unknownFields } from '../shared/http/dto.pipe.js';
import type { CreateMessageDto } from './create-message.dto.js';
import { originOf, readMessage, readSystem } from './read-blocks.js';
import { readTool, readToolChoice } from './read-tools.js';
import type { WireOutputConfig, WireThinking } from './schemas/options.js';

const NO_SAMPLING: ModelRequest['sampling'] = {};

const PAIR_WORDS: ToolPairMessages = {
  field: 'tool_use_id',
  unasked: (id) => `the assistant message before it has no tool_use ${id}`,
  unanswered: (id) =>
    `tool_use ${id} has no tool_result in the user message that follows; send its result or leave the call out`,
  askedTwice: (id) => `another tool_use of this turn has the id ${id}; give each call an id of its own`,
  answeredTwice: (id) => `tool_use ${id} has a tool_result already; send one result for each call`,
};

/**
 * The neutral request that a checked body asks for. Nothing the caller said is lost: what core does not model stays
 * beside it, in the caller's own words.
 * @throws GatewayError `invalid-request` for fields that exclude each other, and for tool calls without their results
 */
export function readRequest(dto: CreateMessageDto, headers: RequestHeaders): ModelRequest {
  const messages = dto.messages.map(readMessage);
  assertToolPairs(messages, PAIR_WORDS);
  // docs/wire/messages.md#request-fields: the body's session id wins over the header's. Chosen: an
  // empty one groups nothing.
  const sessionId = (dto.session_id ?? headers.sessionId) || undefined;
  const fallbackModels = dto.fallbacks || dto.models ? readFallbackModels(dto) : undefined;
  const { temperature, top_p: topP, top_k: topK } = dto;
  const extras = unknownFields(dto);
  return {
    model: dto.model,
    system: dto.system === undefined ? [] : readSystem(dto.system),
    messages,
    stream: dto.stream ?? false,
    ...(dto.max_tokens !== undefined && { maxOutputTokens: dto.max_tokens }),
    sampling: (temperature ?? topP ?? topK) === undefined ? NO_SAMPLING : definedOnly({ temperature, topP, topK }),
    ...(dto.stop_sequences && { stopSequences: dto.stop_sequences }),
    tools: (dto.tools ?? []).map(readTool),
    ...(dto.tool_choice && readToolChoice(dto.tool_choice)),
    ...(dto.thinking && { thinking: readThinking(dto.thinking) }),
    ...(dto.output_config && readOutputConfig(dto.output_config)),
    ...(dto.cache_control && { cacheMarker: readCacheMarker(dto.cache_control) }),
    ...(dto.context_management && { contextManagement: { vendor: 'anthropic', value: dto.context_management } }),
    ...(sessionId !== undefined && { sessionId }),
    ...(dto.user !== undefined && { user: dto.user }),
    ...(dto.metadata && { metadata: { vendor: 'anthropic', value: dto.metadata } }),
    ...(dto.service_tier !== undefined && { serviceTier: dto.service_tier }),
    ...(dto.speed && { speed: dto.speed }),
    ...(dto.inference_geo && { inferenceGeo: dto.inference_geo }),
    ...(fallbackModels && { fallbackModels }),
    preferences: readPreferences(dto.provider, dto.route),
    ...readAnnotations(annotationsOf(dto)),
    plugins: withOnline(dto.plugins ?? [], [dto.model, ...(fallbackModels?.models ?? [])]),
    ...(dto.stop_server_tools_when && { stopServerToolsWhen: readStopConditions(dto.stop_server_tools_when) }),
    ...(dto.max_tool_calls !== undefined && { maxToolCalls: dto.max_tool_calls }),
    ...(dto.trace && { trace: readTrace(dto.trace) }),
    ...(dto.preset !== undefined && { preset: dto.preset }),
    betas: headers.betas,
    ...(headers.fusionDepth !== undefined && { fusionDepth: headers.fusionDepth }),
    ...(Object.keys(extras).length > 0 && { extras: { vendor: 'anthropic', value: extras } }),
  };
}

function* annotationsOf({ messages }: CreateMessageDto) {
  for (const message of messages) if (message.role === 'assistant') yield message.annotations;
}

function readFallbackModels({ fallbacks, models }: CreateMessageDto): ModelRequest['fallbackModels'] {
  if (fallbacks && models) {
    throw new GatewayError('invalid-request', 'fallbacks: cannot be combined with models; send one of the two');
  }
  if (fallbacks?.length) return { models: fallbacks.map(({ model }) => model), onRefusal: true };
  return models?.length ? { models, onRefusal: false } : undefined;
}

function readThinking(thinking: WireThinking): Thinking {
  const origin = originOf(thinking);
  switch (thinking.type) {
    case 'enabled':
      return { type: 'enabled', budgetTokens: thinking.budget_tokens, ...displayOf(thinking), origin };
    case 'adaptive':
      return { type: 'adaptive', ...displayOf(thinking), origin };
    case 'disabled':
      return { type: 'disabled', origin };
  }
}

const displayOf = ({ display }: { display?: string | null }): { display?: string } =>
  typeof display === 'string' ? { display } : {};

function readOutputConfig(
  config: WireOutputConfig,
): Pick<ModelRequest, 'effort' | 'outputFormat' | 'taskBudget' | 'outputOrigin'> {
  const { effort, format, task_budget: budget } = config;
  return {
    outputOrigin: originOf(config),
    ...(effort && { effort }),
    ...(format && { outputFormat: { type: 'json-schema', schema: format.schema } satisfies OutputFormat }),
    ...(budget && { taskBudget: readTaskBudget(budget) }),
  };
}

function readTaskBudget({ total, remaining }: NonNullable<WireOutputConfig['task_budget']>): TaskBudget {
  return { totalTokens: total, ...(typeof remaining === 'number' && { remainingTokens: remaining }) };
}
