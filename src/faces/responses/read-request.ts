import type { ModelRequest, PluginEntry, Sampling } from '../../core/conversation/request.js';
import type { Effort } from '../../core/conversation/effort.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { definedOnly } from '../../core/defined.js';
import { shortEndUser } from '../../core/end-user.js';
import type { JsonObject } from '../../core/json/json.js';
import { NO_PREFERENCES } from '../../core/routing/preferences.js';
import { invalidField } from '../common/invalid-field.js';
import { readAnnotations } from '../common/read-annotations.js';
import type { RequestHeaders } from '../common/read-headers.js';
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
import { addTags } from '../common/read-tags.js';
import { readToolChoice, withAllowed } from '../common/read-tool-choice.js';
import { assertSelfContained } from '../common/self-contained.js';
import { assertToolPairs, type ToolPairMessages } from '../common/tool-pairs.js';
import { UNKNOWN_MEMBERS, unknownFields, type WithUnknownMembers } from '../../shared/http/dto.pipe.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { FIELD_NAMES } from './field-names.js';
import { readInput } from './read-input.js';
import { flatChoice, readTools, type ToolList } from './read-tools.js';
import { LOGPROBS, type WireText } from './schemas/options.js';
import { NO_FORMS, type CallForms } from './tool-calls.js';

const PAIR_WORDS: ToolPairMessages = {
  field: 'call_id',
  unmatched: (id) => `no call before it has the id ${id}`,
  unanswered: (id) => `call ${id} has no output item after it; send its output or leave the call out`,
  duplicate: (id) => `another call of this turn has the id ${id}; use a different id for each call`,
  answeredTwice: (id) => `call ${id} has an output already; send one output for each call`,
};

const COMPRESSION = 'context-compression';
const NONE: readonly never[] = [];

type Draft = { -readonly [Field in keyof ModelRequest]: ModelRequest[Field] };

/** A request, and the parts of it that the reply needs. */
export interface ReadRequest {
  readonly request: ModelRequest;
  readonly forms: CallForms;
  /** The tools of the body as they were sent. */
  readonly lists: readonly ToolList[];
}

/**
 * The neutral request of a checked body. Null is the same as absence. What core does not model is kept as the caller
 * sent it.
 * @throws GatewayError `invalid-request` for contradicting fields, for what no model here can answer, and for calls
 *   without their outputs
 */
export function readRequest(dto: CreateResponseDto, headers: RequestHeaders): ReadRequest {
  const [model, ...others] = dto.model ? [dto.model, ...(dto.models ?? NONE)] : (dto.models ?? NONE);
  if (model === undefined) throw invalidField('model', 'is required; send model or models');
  const { system, messages, lists: added, effort, annotations } = readInput(dto.input, dto.instructions);
  if (traitsOf(messages).hasToolBlocks) assertToolPairs(messages, PAIR_WORDS);
  const { provider, route } = dto;
  const lists = dto.tools ? [{ path: 'tools', tools: dto.tools }, ...added] : added;
  const { tools, forms } = lists.length > 0 ? readTools(lists) : { tools: NONE, forms: NO_FORMS };
  const request: Draft = {
    model,
    system,
    messages,
    fieldNames: FIELD_NAMES,
    stream: dto.stream ?? false,
    sampling: readSampling(dto),
    tools,
    preferences: provider || route ? readPreferences(provider, route ?? undefined) : NO_PREFERENCES,
    plugins: dto.plugins || dto.truncation ? readPlugins(dto) : NONE,
    betas: headers.betas,
  };
  if (others.length > 0) request.fallbackModels = { models: others, onRefusal: false };
  if (others.length > 0 || model.includes(':')) request.plugins = withOnline(request.plugins, [model, ...others]);
  if (annotations.length > 0) Object.assign(request, readAnnotations(annotations));
  addAnswerOptions(request, dto, effort);
  addContext(request, dto, headers);
  const extras = unknownFields(dto);
  if (Object.keys(extras).length > 0) {
    assertSelfContained(extras, 'input');
    request.extras = { vendor: 'openai-responses', value: extras };
  }
  const { [UNKNOWN_MEMBERS]: members } = dto as WithUnknownMembers;
  if (members) request.undeclared = { vendor: 'openai-responses', members };
  return { request, forms, lists };
}

const readSampling = (dto: CreateResponseDto): Sampling =>
  definedOnly({
    temperature: dto.temperature,
    topP: dto.top_p,
    topK: dto.top_k,
    minP: dto.min_p,
    frequencyPenalty: dto.frequency_penalty,
    presencePenalty: dto.presence_penalty,
    logprobs: dto.include?.includes(LOGPROBS) || dto.top_logprobs ? true : undefined,
    // Zero means nothing without log probabilities, and formats refuse it.
    topLogprobs: dto.top_logprobs || (dto.include?.includes(LOGPROBS) ? dto.top_logprobs : undefined),
  });

/** Options of the answer, which most requests omit. */
function addAnswerOptions(request: Draft, dto: CreateResponseDto, effort: Effort | undefined): void {
  if (typeof dto.max_output_tokens === 'number') request.maxOutputTokens = dto.max_output_tokens;
  if (dto.tool_choice) {
    Object.assign(request, readToolChoice(flatChoice(dto.tool_choice), request.tools));
    request.tools = withAllowed(request.tools, request.toolChoice!);
  }
  if (typeof dto.parallel_tool_calls === 'boolean') request.parallelToolCalls = dto.parallel_tool_calls;
  if (dto.reasoning || effort) addReasoning(request, dto.reasoning ?? {}, effort);
  if (dto.reasoning) {
    const summary = dto.reasoning.summary ?? dto.reasoning.generate_summary;
    if (summary) request.reasoningSummary = summary;
  }
  if (dto.text) addTextOptions(request, dto.text);
  if (dto.modalities?.length) request.modalities = dto.modalities.map(readModality);
  if (dto.image_config) request.imageConfig = dto.image_config as JsonObject;
  if (dto.cache_control) request.cacheMarker = readCacheMarker(dto.cache_control);
  if (dto.service_tier) request.serviceTier = dto.service_tier;
  if (dto.stop_server_tools_when) request.stopServerToolsWhen = readStopConditions(dto.stop_server_tools_when);
  if (typeof dto.max_tool_calls === 'number') request.maxToolCalls = dto.max_tool_calls;
  // A whole reply has no field for it.
  if (dto.debug?.echo_upstream_body === true && dto.stream === true) request.echoesUpstreamBody = true;
}

/** @param effort of the conversation's latest change, which replaces the switch and the budget */
function addReasoning(
  request: Draft,
  reasoning: NonNullable<CreateResponseDto['reasoning']>,
  effort: Effort | undefined,
): void {
  const { enabled: _switch, max_tokens: _budget, ...rest } = reasoning;
  Object.assign(request, readReasoningOptions({ reasoning: effort ? { ...rest, effort } : reasoning }));
}

/** @throws GatewayError for a form that no model here answers in */
function addTextOptions(request: Draft, { format, verbosity }: WireText): void {
  if (verbosity) request.verbosity = verbosity;
  if (!format) return;
  switch (format.type) {
    case 'text':
      break;
    case 'json_object':
      request.outputFormat = { type: 'json-object' };
      break;
    case 'json_schema':
      request.outputFormat = readJsonSchema(format);
      break;
    case 'grammar':
      throw invalidField('text.format.type', 'grammar is offered by no provider here; send json_schema');
  }
}

/** The user and context of the request. */
function addContext(request: Draft, dto: CreateResponseDto, headers: RequestHeaders): void {
  const sessionId = readSessionId(dto, headers);
  if (sessionId !== undefined) request.sessionId = sessionId;
  if (typeof dto.prompt_cache_key === 'string') request.promptCacheKey = dto.prompt_cache_key;
  const user = dto.user || dto.safety_identifier;
  if (user) request.user = shortEndUser(user);
  if (dto.metadata) request.metadata = { vendor: 'openai', value: dto.metadata };
  if (dto.trace) request.trace = readTrace(dto.trace);
  if (headers.tags || headers.requiredTags || dto.trace?.tags) addTags(request, headers, dto.trace?.tags);
  if (headers.fusionDepth !== undefined) request.fusionDepth = headers.fusionDepth;
}

/** `truncation` is this format's word for the compression plugin. */
function readPlugins({ plugins, truncation }: CreateResponseDto): readonly PluginEntry[] {
  const requested = plugins ?? NONE;
  if (!truncation || requested.some(({ id }) => id === COMPRESSION)) return requested;
  return [...requested, truncation === 'auto' ? { id: COMPRESSION } : { id: COMPRESSION, enabled: false }];
}
