import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import { DEFAULT_FORMAT_NAME, serviceTierField, userField } from '../openai-fields.js';
import { tierParameters } from '../service-tier.js';
import { fitsStrictMode } from '../strict-schema.js';
import { markLastPart } from './cache-markers.js';
import { EncodeContext } from './encode-context.js';
import { encodeMessages } from './encode-messages.js';
import { encodeTools } from './encode-tools.js';
import { encodeParameters } from './parameters.js';
import { encodeReasoning } from './reasoning.js';
import type { ChatBody } from './wire.js';

const PATH = '/chat/completions';
/**
 * The chat-completions call of a request. What it maps, drops and refuses is written in docs/translation.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function encodeChat(request: ModelRequest, target: Target, media: FetchedMedia): UpstreamCall {
  const context = new EncodeContext(request, target, media);
  const { quirks } = target.definition;
  const words = tierParameters(request, target);
  const messages = encodeMessages(context);
  const toolFields = encodeTools(context);
  const { cache_control: marker } = context.cacheControl(request.cacheMarker);
  if (marker !== undefined) markLastPart(messages, toolFields.tools ?? [], marker);
  const { stream: _modelled, ...unknown } = request.extras?.vendor === 'openai' ? request.extras.value : {};
  const body: ChatBody = {
    stream: request.stream,
    // Unknown fields of a chat caller come before what the core models, which always wins.
    ...unknown,
    model: target.endpoint.upstreamModel,
    messages,
    ...toolFields,
    ...(request.maxOutputTokens !== undefined && { [quirks.maxTokensField ?? 'max_tokens']: request.maxOutputTokens }),
    ...encodeParameters(request, target),
    ...encodeReasoning(request, target),
    ...(request.outputFormat !== undefined && { response_format: responseFormat(request.outputFormat) }),
    ...(request.promptCacheKey !== undefined && { prompt_cache_key: request.promptCacheKey }),
    ...userField(request),
    // Who prices a tier apart sells it, whatever else is known of the provider.
    ...((quirks.serviceTiers === true || target.tier !== 'standard') && serviceTierField(words)),
    // No vendor of this format has the word: one that the catalog prices it for does.
    ...(target.endpoint.geography && { inference_geo: words.inferenceGeo }),
    // docs/reasons/money.md#usage-is-asked-for: without it streamed replies carry no usage.
    ...(request.stream && { stream_options: { include_usage: true } }),
  };
  for (const field of quirks.omit ?? []) delete body[field];
  return {
    path: PATH,
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body,
    stream: request.stream,
  };
}

function responseFormat(format: OutputFormat): Json {
  if (format.type === 'json-object') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: {
      name: format.name ?? DEFAULT_FORMAT_NAME,
      ...(format.description !== undefined && { description: format.description }),
      schema: format.schema,
      strict: format.strict ?? fitsStrictMode(format.schema),
    },
  };
}
