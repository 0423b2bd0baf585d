import type { Message } from '../../core/conversation/content.js';
import type { ModelRequest, OutputFormat, TaskBudget, Thinking } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { GatewayError } from '../../core/errors.js';
import { definedOnly } from '../../core/defined.js';
import { NO_PREFERENCES } from '../../core/routing/preferences.js';
import { readAnnotations } from '../common/read-annotations.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import type { RequestHeaders } from '../common/read-headers.js';
import { addTags } from '../common/read-tags.js';
import { readPreferences, readStopConditions, readTrace, withOnline } from '../common/read-options.js';
import { assertSelfContained } from '../common/self-contained.js';
import { assertToolPairs, type ToolPairMessages } from '../common/tool-pairs.js';
import { UNKNOWN_MEMBERS, unknownFields, type WithUnknownMembers } from '../../shared/http/dto.pipe.js';
import type { CreateMessageDto } from './create-message.dto.js';
import { originOf, readMessage, readSystem, TURN_FIELDS, withExtras } from './read-blocks.js';
import { readTool, readToolChoice } from './read-tools.js';
import type { WireOutputConfig, WireThinking } from './schemas/options.js';

const NONE: readonly never[] = [];
const NO_SAMPLING: ModelRequest['sampling'] = {};

const PAIR_WORDS: ToolPairMessages = {
  field: 'tool_use_id',
  unmatched: (id) => `the assistant message before it has no tool_use ${id}`,
  unanswered: (id) =>
    `tool_use ${id} has no tool_result in the user message that follows; send its result or leave the call out`,
  duplicate: (id) => `another tool_use of this turn has the id ${id}; use a different id for each call`,
  answeredTwice: (id) => `tool_use ${id} has a tool_result already; send one result for each call`,
};

type Draft = { -readonly [Field in keyof ModelRequest]: ModelRequest[Field] };

/**
 * The neutral request of a checked body. Nothing is lost: fields that core does not model stay beside it, unchanged.
 * @throws GatewayError `invalid-request` for fields that exclude each other, for tool calls without their results, and
 * for fields that hold another part of the conversation
 */
export function readRequest(dto: CreateMessageDto, headers: RequestHeaders): ModelRequest {
  const { temperature, top_p: topP, top_k: topK, provider, route } = dto;
  const messages: Message[] = [];
  let isAnnotated = false;
  for (const message of dto.messages) {
    const turn = readMessage(message);
    // In place: nearly no turn has such a field.
    let hasExtras = false;
    for (const field in message) hasExtras ||= !TURN_FIELDS.has(field);
    messages.push(hasExtras ? withExtras(turn, message) : turn);
    if (message.role === 'assistant' && message.annotations) isAnnotated = true;
  }
  const { hasToolBlocks, hasOpaque } = traitsOf(messages);
  if (hasToolBlocks || hasOpaque) assertToolPairs(messages, PAIR_WORDS);
  const isSampled = (temperature ?? topP ?? topK) !== undefined;
  const request: Draft = {
    model: dto.model,
    system: dto.system === undefined ? NONE : readSystem(dto.system),
    messages,
    stream: dto.stream ?? false,
    sampling: isSampled ? definedOnly({ temperature, topP, topK }) : NO_SAMPLING,
    tools: dto.tools ? dto.tools.map(readTool) : NONE,
    preferences: provider || route ? readPreferences(provider, route) : NO_PREFERENCES,
    plugins: dto.plugins ?? NONE,
    betas: headers.betas,
  };
  const fallbackModels = dto.fallbacks || dto.models ? readFallbackModels(dto) : undefined;
  if (fallbackModels) request.fallbackModels = fallbackModels;
  if (fallbackModels || dto.model.includes(':'))
    request.plugins = withOnline(request.plugins, [dto.model, ...(fallbackModels?.models ?? [])]);
  if (isAnnotated) Object.assign(request, readAnnotations(annotationsOf(dto)));
  addOptions(request, dto, headers);
  const extras = unknownFields(dto);
  if (Object.keys(extras).length > 0) {
    assertSelfContained(extras);
    request.extras = { vendor: 'anthropic', value: extras };
  }
  const { [UNKNOWN_MEMBERS]: members } = dto as WithUnknownMembers;
  if (members) request.undeclared = { vendor: 'anthropic', members };
  return request;
}

/** Fields that most requests omit: options of the answer, and the user and context of the request. */
function addOptions(request: Draft, dto: CreateMessageDto, headers: RequestHeaders): void {
  if (dto.max_tokens !== undefined) request.maxOutputTokens = dto.max_tokens;
  if (dto.stop_sequences) request.stopSequences = dto.stop_sequences;
  if (dto.tool_choice) Object.assign(request, readToolChoice(dto.tool_choice, request.tools));
  if (dto.thinking) request.thinking = readThinking(dto.thinking);
  if (dto.output_config) Object.assign(request, readOutputConfig(dto.output_config));
  if (dto.cache_control) request.cacheMarker = readCacheMarker(dto.cache_control);
  if (dto.context_management) request.contextManagement = { vendor: 'anthropic', value: dto.context_management };
  if (dto.service_tier !== undefined) request.serviceTier = dto.service_tier;
  if (dto.speed) request.speed = dto.speed;
  if (dto.inference_geo) request.inferenceGeo = dto.inference_geo;
  if (dto.stop_server_tools_when) request.stopServerToolsWhen = readStopConditions(dto.stop_server_tools_when);
  if (dto.max_tool_calls !== undefined) request.maxToolCalls = dto.max_tool_calls;
  // docs/use/messages.md#request-fields: the body's session id precedes the header's. Chosen: an empty one groups
  // nothing.
  const sessionId = dto.session_id ?? headers.sessionId;
  if (sessionId) request.sessionId = sessionId;
  // An empty one names no user.
  if (dto.user) request.user = dto.user;
  if (dto.metadata) request.metadata = { vendor: 'anthropic', value: dto.metadata };
  if (dto.trace) request.trace = readTrace(dto.trace);
  if (headers.tags || headers.requiredTags || dto.trace?.tags) addTags(request, headers, dto.trace?.tags);
  if (headers.fusionDepth !== undefined) request.fusionDepth = headers.fusionDepth;
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
    // Thinking that is off, in the forms of older and newer models.
    case 'disabled':
    case 'between_tools':
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
