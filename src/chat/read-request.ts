import { createHash } from 'node:crypto';
import type {
  ModelRequest,
  OutputFormat,
  OutputModality,
  PluginEntry,
  Sampling,
} from '../core/conversation/request.js';
import type { Tool } from '../core/conversation/tools.js';
import { definedOnly } from '../core/defined.js';
import type { JsonObject } from '../core/json/json.js';
import { readAnnotations } from '../inference/read-annotations.js';
import { readCacheMarker } from '../inference/read-cache-marker.js';
import type { RequestHeaders } from '../inference/read-headers.js';
import { readPreferences, readStopConditions, readTrace, withOnline } from '../inference/read-options.js';
import { LABEL_CHARACTERS_MAX } from '../inference/schemas/options.js';
import { assertToolPairs, type ToolPairMessages } from '../inference/tool-pairs.js';
import { unknownFields } from '../shared/http/dto.pipe.js';
import type { CreateChatDto } from './create-chat.dto.js';
import { invalid } from './invalid.js';
import { readMessages } from './read-messages.js';
import { readTool, readToolChoice, readWebSearchOptions } from './read-tools.js';
import type { WireResponseFormat } from './schemas/options.js';

const PAIR_WORDS: ToolPairMessages = {
  field: 'tool_call_id',
  unasked: (id) => `the assistant message before it has no tool call ${id}`,
  unanswered: (id) => `tool call ${id} has no tool message that follows it; send its result or leave the call out`,
  askedTwice: (id) => `another tool call of this turn has the id ${id}; give each call an id of its own`,
  answeredTwice: (id) => `tool call ${id} has a tool message already; send one result for each call`,
};

const COMPRESSION = 'context-compression';

/**
 * The neutral request that a checked body asks for. Null is the same as absence. What core does not model stays beside
 * it, in the caller's own words.
 * @throws GatewayError `invalid-request` for fields that contradict each other, for what nobody here can answer, and
 * for tool calls without their results
 */
export function readRequest(dto: CreateChatDto, headers: RequestHeaders): ModelRequest {
  const conversation = readMessages(dto.messages);
  assertToolPairs(conversation.messages, PAIR_WORDS);
  const extras = unknownFields(dto);
  const sessionId = readSessionId(dto, headers);
  const maxOutputTokens = dto.max_completion_tokens ?? dto.max_tokens;
  const stops = readStops(dto);
  return {
    model: dto.model,
    ...conversation,
    stream: dto.stream ?? false,
    sampling: readSampling(dto),
    ...(stops && { stopSequences: stops }),
    tools: readTools(dto),
    ...(dto.tool_choice && { toolChoice: readToolChoice(dto.tool_choice) }),
    ...readReasoningWish(dto),
    ...readOutput(dto),
    ...(dto.cache_control && { cacheMarker: readCacheMarker(dto.cache_control) }),
    ...(dto.user && { user: readUser(dto.user) }),
    ...(dto.metadata && { metadata: { vendor: 'openai', value: dto.metadata } }),
    ...(dto.models?.length && { fallbackModels: { models: dto.models, onRefusal: false } }),
    preferences: readPreferences(dto.provider, dto.route ?? undefined),
    ...readAnnotations(annotationsOf(dto)),
    plugins: withOnline(readPlugins(dto), [dto.model, ...(dto.models ?? [])]),
    ...(dto.stop_server_tools_when && { stopServerToolsWhen: readStopConditions(dto.stop_server_tools_when) }),
    ...definedOnly({
      maxOutputTokens,
      maxToolCalls: dto.max_tool_calls,
      parallelToolCalls: dto.parallel_tool_calls,
      reasoningSummary: dto.reasoning?.summary,
      verbosity: dto.verbosity,
      sessionId,
      promptCacheKey: dto.prompt_cache_key,
      serviceTier: dto.service_tier,
      speed: dto.speed,
      inferenceGeo: dto.inference_geo || undefined,
      trace: dto.trace && readTrace(dto.trace),
      preset: dto.preset,
    }),
    ...(echoesUpstreamBody(dto) && { echoesUpstreamBody: true }),
    betas: headers.betas,
    ...(headers.fusionDepth !== undefined && { fusionDepth: headers.fusionDepth }),
    ...(Object.keys(extras).length > 0 && { extras: { vendor: 'openai', value: extras } }),
  };
}

const readTools = ({ tools, web_search_options: search }: CreateChatDto): readonly Tool[] => [
  ...(tools ?? []).map(readTool),
  ...(search ? [readWebSearchOptions(search)] : []),
];

/** The caller wants no reasoning to be told, whatever the model does. */
export const hidesReasoning = ({ reasoning, include_reasoning: included }: CreateChatDto): boolean =>
  reasoning?.exclude ?? included === false;

/** A whole reply has no place for it (docs/wire/chat.md#echo-of-the-upstream-body). */
const echoesUpstreamBody = ({ debug, stream }: CreateChatDto): boolean =>
  debug?.echo_upstream_body === true && stream === true;

const readSampling = (dto: CreateChatDto): Sampling =>
  definedOnly({
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
  });

/** Empty text stops nothing. */
function readStops({ stop }: CreateChatDto): readonly string[] | undefined {
  const stops = [stop ?? []].flat().filter((sequence) => sequence !== '');
  return stops.length > 0 ? stops : undefined;
}

function readReasoningWish(dto: CreateChatDto): Pick<ModelRequest, 'thinking' | 'effort'> {
  const { reasoning, reasoning_effort: outer } = dto;
  const { effort: inner, enabled, max_tokens: budgetTokens } = reasoning ?? {};
  if (outer && inner && outer !== inner) {
    throw invalid('reasoning_effort', `contradicts reasoning.effort, which is ${inner}; send one of the two`);
  }
  const effort = inner ?? outer ?? undefined;
  if (enabled === false) {
    if (effort && effort !== 'none') throw invalid('reasoning.enabled', 'is false although an effort is asked for');
    if (budgetTokens) throw invalid('reasoning.enabled', 'is false although reasoning.max_tokens is given');
    return { thinking: { type: 'disabled' }, ...(effort && { effort }) };
  }
  if (effort === 'none' && budgetTokens) throw invalid('reasoning.max_tokens', 'contradicts the effort none');
  if (budgetTokens) return { thinking: { type: 'enabled', budgetTokens }, ...(effort && { effort }) };
  if (effort) return { effort };
  return enabled ? { thinking: { type: 'adaptive' } } : {};
}

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

function readModality(modality: 'text' | 'image' | 'audio', place: number): OutputModality {
  if (modality === 'audio') throw invalid(`modalities.${place}`, 'this gateway answers in text and images only');
  return modality;
}

function readFormat(format: WireResponseFormat): OutputFormat | undefined {
  switch (format.type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json-object' };
    case 'json_schema': {
      const { name, description, schema, strict } = format.json_schema;
      return {
        type: 'json-schema',
        schema: schema ?? {},
        name,
        ...(typeof description === 'string' && { description }),
        ...(typeof strict === 'boolean' && { strict }),
      };
    }
    case 'grammar':
    case 'python':
      throw invalid('response_format.type', `${format.type} is offered by no provider here; send json_schema`);
  }
}

/** `transforms` is the old form of the plugin that shortens what is too long (docs/wire/chat.md#request-fields). */
function* annotationsOf({ messages }: CreateChatDto) {
  for (const message of messages) if (message.role === 'assistant') yield message.annotations;
}

function readPlugins({ plugins, transforms }: CreateChatDto): readonly PluginEntry[] {
  const asked = plugins ?? [];
  if (!transforms || asked.some(({ id }) => id === COMPRESSION)) return asked;
  return [...asked, transforms.includes('middle-out') ? { id: COMPRESSION } : { id: COMPRESSION, enabled: false }];
}

/**
 * docs/wire/routing.md#sessions: the body's, else the header's, else the key of the prompt cache. An
 * empty one groups nothing.
 */
function readSessionId(dto: CreateChatDto, headers: RequestHeaders): string | undefined {
  const key = dto.prompt_cache_key ?? '';
  const ofKey = key.length <= LABEL_CHARACTERS_MAX ? key : '';
  return (dto.session_id ?? headers.sessionId ?? ofKey) || undefined;
}

/** The format sets no limit, records and vendors do: the hash of a longer one still tells users apart. */
const readUser = (user: string): string =>
  user.length <= LABEL_CHARACTERS_MAX ? user : createHash('sha256').update(user).digest('hex');
