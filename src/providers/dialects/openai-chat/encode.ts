import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools } from '../encode-context.js';
import { fieldEncoder } from '../encode-fields.js';
import { currentFormat } from '../schemas/fitted-schemas.js';
import { jsonCall, omitFields } from '../json-call.js';
import { wantedModalities } from '../output-modalities.js';
import { GENERATES_IMAGES } from '../rules.js';
import { NO_TIER } from '../service-tier.js';
import { formatName, serviceTierField, userField } from '../openai-fields.js';
import { isHeld } from '../schemas/strict-schema.js';
import { markLastPart } from './cache-markers.js';
import { chatContext, chatToolWords, wireMarker } from './encode-context.js';
import { encodeMessages } from './encode-messages.js';
import { encodeTools } from './encode-tools.js';
import { encodeReasoning } from './reasoning.js';
import { TABLE } from './table.js';
import type { ChatBody, ChatToolFields } from './wire.js';

const PATH = '/chat/completions';
const NO_TOOLS: ChatToolFields = {};

const encodeFields = fieldEncoder(TABLE);

/**
 * The chat-completions call of a request. docs/use/translation.md lists what it maps, drops and refuses.
 * @throws Untranslatable when the request contains something that no rule permits to drop
 */
export function* encodeChat(requested: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const toolWords = namesTools(requested) ? yield* chatToolWords(requested, target) : undefined;
  const context = chatContext(requested, target, media, toolWords);
  const { request } = context;
  const { quirks } = target.definition;
  const words = context.tierWords;
  const messages = yield* encodeMessages(context);
  const toolFields: ChatToolFields = request.tools.length > 0 ? yield* encodeTools(context) : NO_TOOLS;
  const format = request.outputFormat && (yield* currentFormat(request.outputFormat));
  if (request.cacheMarker) markLastPart(messages, toolFields.tools ?? [], wireMarker(request.cacheMarker));
  const { stream: _modelled, ...unknown } = request.extras?.vendor === 'openai' ? request.extras.value : {};
  const body: ChatBody = {
    stream: request.stream,
    // Unknown fields of a chat caller come first, so that modelled fields override them.
    ...unknown,
    model: target.endpoint.upstreamModel,
    messages,
    ...toolFields,
    ...(request.maxOutputTokens !== undefined && { [quirks.maxTokensField ?? 'max_tokens']: request.maxOutputTokens }),
    ...encodeFields(request, target),
    ...(quirks.reasoningStyle !== undefined && encodeReasoning(request, target)),
    ...(format !== undefined && { response_format: responseFormat(format, target) }),
    ...(GENERATES_IMAGES.holds(target) && encodeImages(request, target)),
    ...(request.promptCacheKey !== undefined && { prompt_cache_key: request.promptCacheKey }),
    ...((request.user ?? request.metadata) !== undefined && userField(request)),
    ...(words !== NO_TIER && serviceTierField(words)),
    // No vendor of this format documents the field; endpoints with a catalog price for it take it.
    ...(words.inferenceGeo !== undefined && { inference_geo: words.inferenceGeo }),
    // docs/contribute/ledger.md#what-each-ending-costs: without it streamed replies contain no usage.
    ...(request.stream && { stream_options: { include_usage: true } }),
  };
  if (quirks.omit !== undefined) omitFields(body, target);
  return jsonCall(PATH, body, request.stream);
}

function encodeImages(request: ModelRequest, target: Target): Record<string, Json> {
  const modalities = wantedModalities(request, target);
  if (modalities === undefined) return {};
  return { modalities, ...(request.imageConfig !== undefined && { image_config: request.imageConfig }) };
}

function responseFormat(format: OutputFormat, target: Target): Json {
  if (format.type === 'json-object') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: {
      name: formatName(format.name),
      ...(format.description !== undefined && { description: format.description }),
      schema: format.schema,
      strict: isHeld(format.schema, format.strict, target),
    },
  };
}
