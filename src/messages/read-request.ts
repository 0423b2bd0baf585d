import type { IncomingHttpHeaders } from 'node:http';
import type { ModelRequest, OutputFormat, StopCondition, TaskBudget, Thinking } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import { readModelName } from '../core/routing/model-name.js';
import { unknownFields } from '../shared/http/dto.pipe.js';
import { compile } from '../shared/http/schema.js';
import type { CreateMessageDto } from './create-message.dto.js';
import { markerOf, originOf, readMessage, readSystem } from './read-blocks.js';
import { readPreferences } from './read-preferences.js';
import { readTool, readToolChoice } from './read-tools.js';
import {
  label,
  LABEL_CHARACTERS_MAX,
  type WireOutputConfig,
  type WireStopCondition,
  type WireThinking,
} from './schemas/options.js';
import { assertToolPairs } from './tool-pairs.js';

/** What of the headers is part of the request (Scope 2.1, WIRE 1.23). */
export interface RequestHeaders {
  readonly sessionId?: string;
  readonly betas: readonly string[];
}

/** @throws GatewayError when the session id is too long */
export function readRequestHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  const sessionId = utf8Of(textOf(headers['x-session-id']));
  if (!IS_LABEL.check(sessionId)) {
    throw new GatewayError('invalid-request', `x-session-id: must be at most ${LABEL_CHARACTERS_MAX} characters`);
  }
  // Two names for one list: the vendor's own clients send the first, the service's documentation the second.
  const betas = [...listOf(headers['anthropic-beta']), ...listOf(headers['x-anthropic-beta'])];
  return { ...(sessionId !== '' && { sessionId }), betas: [...new Set(betas)] };
}

/** Node hands header bytes over as latin1; the same id in a body is UTF-8, and is the same session. */
const utf8Of = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

const IS_LABEL = compile(label);

const textOf = (header: string | string[] | undefined): string => [header ?? ''].flat().join(', ').trim();

const listOf = (header: string | string[] | undefined): string[] =>
  textOf(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/**
 * The neutral request that a checked body asks for. Nothing the caller said is lost: what core does not model stays beside it,
 * in the caller's own words.
 * @throws GatewayError `invalid-request` for fields that exclude each other, and for tool calls without their results
 */
export function readRequest(dto: CreateMessageDto, headers: RequestHeaders): ModelRequest {
  assertToolPairs(dto.messages);
  // Scope 2.1: the body's session id wins over the header's. Not in scope; chosen: an empty one groups nothing.
  const sessionId = (dto.session_id ?? headers.sessionId) || undefined;
  const extras = unknownFields(dto);
  return {
    model: dto.model,
    system: readSystem(dto.system),
    messages: dto.messages.map(readMessage),
    stream: dto.stream ?? false,
    ...(dto.max_tokens !== undefined && { maxOutputTokens: dto.max_tokens }),
    sampling: {
      ...(dto.temperature !== undefined && { temperature: dto.temperature }),
      ...(dto.top_p !== undefined && { topP: dto.top_p }),
      ...(dto.top_k !== undefined && { topK: dto.top_k }),
    },
    ...(dto.stop_sequences && { stopSequences: dto.stop_sequences }),
    tools: (dto.tools ?? []).map(readTool),
    ...(dto.tool_choice && readToolChoice(dto.tool_choice)),
    ...(dto.thinking && { thinking: readThinking(dto.thinking) }),
    ...(dto.output_config && readOutputConfig(dto.output_config)),
    ...markerOf(dto.cache_control),
    ...(dto.context_management && { contextManagement: { vendor: 'anthropic', value: dto.context_management } }),
    ...(sessionId !== undefined && { sessionId }),
    ...(dto.user !== undefined && { user: dto.user }),
    ...(dto.metadata && { metadata: { vendor: 'anthropic', value: dto.metadata } }),
    ...(dto.service_tier !== undefined && { serviceTier: dto.service_tier }),
    ...(dto.speed && { speed: dto.speed }),
    ...readFallbackModels(dto),
    preferences: readPreferences(dto.provider, dto.route),
    plugins: readPlugins(dto),
    ...(dto.stop_server_tools_when && { stopServerToolsWhen: [dto.stop_server_tools_when].flat().map(readCondition) }),
    ...(dto.trace && { trace: dto.trace }),
    ...(dto.preset !== undefined && { preset: dto.preset }),
    betas: headers.betas,
    ...(Object.keys(extras).length > 0 && { extras: { vendor: 'anthropic', value: extras } }),
  };
}

function readFallbackModels({ fallbacks, models }: CreateMessageDto): Pick<ModelRequest, 'fallbackModels'> {
  if (fallbacks && models) {
    throw new GatewayError('invalid-request', 'fallbacks: cannot be combined with models; send one of the two');
  }
  if (fallbacks?.length) {
    return { fallbackModels: { models: fallbacks.map(({ model }) => model), onRefusal: true } };
  }
  return models?.length ? { fallbackModels: { models, onRefusal: false } } : {};
}

/** The suffix `:online` on any of the models stands for the `web` plugin, unless the body says how it wants that (WIRE 3.3). */
function readPlugins({ model, models, fallbacks, plugins = [] }: CreateMessageDto): ModelRequest['plugins'] {
  const names = [model, ...(models ?? fallbacks?.map((fallback) => fallback.model) ?? [])];
  const isOnline = names.some((name) => readModelName(name).online);
  return isOnline && !plugins.some(({ id }) => id === 'web') ? [...plugins, { id: 'web' }] : plugins;
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
    ...(effort && { effort }),
    ...(format && { outputFormat: { type: 'json-schema', schema: format.schema } satisfies OutputFormat }),
    ...(budget && { taskBudget: readTaskBudget(budget) }),
    outputOrigin: originOf(config),
  };
}

function readTaskBudget({ total, remaining }: NonNullable<WireOutputConfig['task_budget']>): TaskBudget {
  return { totalTokens: total, ...(typeof remaining === 'number' && { remainingTokens: remaining }) };
}

function readCondition(condition: WireStopCondition): StopCondition {
  switch (condition.type) {
    case 'step_count_is':
      return { type: 'step-count', stepCount: condition.step_count };
    case 'has_tool_call':
      return { type: 'tool-call', toolName: condition.tool_name };
    case 'max_tokens_used':
      return { type: 'tokens-used', maxTokens: condition.max_tokens };
    case 'max_cost':
      return { type: 'cost', maxUsd: condition.max_cost_in_dollars };
    case 'finish_reason_is':
      return { type: 'finish-reason', reason: condition.reason };
  }
}
