import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target, UpstreamCall } from '../../../core/provider.js';
import { EncodeContext } from './encode-context.js';
import { encodeMessages } from './encode-messages.js';
import { encodeTools } from './encode-tools.js';
import { encodeParameters } from './parameters.js';
import { encodeThinking } from './reasoning.js';
import type { CohereBody } from './wire.js';

const PATH = '/v2/chat';

/**
 * The call of a request in Cohere's chat format, version 2. What it maps, drops and refuses is written in
 * docs/translation/cohere-chat.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function encodeCohere(request: ModelRequest, target: Target): UpstreamCall {
  const context = new EncodeContext(request, target);
  const { stream: _modelled, ...unknown } = request.extras?.vendor === 'cohere' ? request.extras.value : {};
  const documents = context.sources.documents();
  const thinking = encodeThinking(request, target);
  const body: CohereBody = {
    stream: request.stream,
    ...unknown,
    model: target.endpoint.upstreamModel,
    messages: encodeMessages(context),
    ...encodeTools(context),
    ...(documents.length > 0 && { documents }),
    ...(request.maxOutputTokens !== undefined && { max_tokens: request.maxOutputTokens }),
    ...encodeParameters(request, target),
    ...(thinking !== undefined && { thinking }),
    ...(request.outputFormat !== undefined && { response_format: responseFormat(request.outputFormat) }),
  };
  for (const field of target.definition.quirks.omit ?? []) delete body[field];
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

/** The schema stands bare: its name, description and strictness have no place. */
const responseFormat = (format: OutputFormat): JsonObject =>
  format.type === 'json-object' ? { type: 'json_object' } : { type: 'json_object', json_schema: format.schema };
