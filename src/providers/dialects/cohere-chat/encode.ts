import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools, toolWordsOf } from '../encode-context.js';
import { fieldEncoder } from '../encode-fields.js';
import { jsonCall, omitFields } from '../json-call.js';
import { cohereContext } from './encode-context.js';
import { encodeMessages } from './encode-messages.js';
import { encodeTools } from './encode-tools.js';
import { encodeThinking } from './reasoning.js';
import { TABLE } from './table.js';
import type { CohereBody } from './wire.js';

const NO_TOOLS = {};
const PATH = '/v2/chat';

const encodeFields = fieldEncoder(TABLE);

/**
 * The call of a request in Cohere's chat format, version 2. What it maps, drops and refuses is written in
 * docs/translation/cohere-chat.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function* encodeCohere(asked: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const toolWords = namesTools(asked) ? yield* toolWordsOf(asked, target) : undefined;
  const context = cohereContext(asked, target, media, toolWords);
  const { request } = context;
  const { stream: _modelled, ...unknown } = request.extras?.vendor === 'cohere' ? request.extras.value : {};
  const documents = context.sources.documents();
  const thinking = encodeThinking(request);
  const messages = yield* encodeMessages(context);
  const toolFields = request.tools.length > 0 ? yield* encodeTools(context) : NO_TOOLS;
  const body: CohereBody = {
    stream: request.stream,
    ...unknown,
    model: target.endpoint.upstreamModel,
    messages,
    ...toolFields,
    ...(documents.length > 0 && { documents }),
    ...(request.maxOutputTokens !== undefined && { max_tokens: request.maxOutputTokens }),
    ...encodeFields(request, target),
    ...(thinking !== undefined && { thinking }),
    ...(request.outputFormat !== undefined && { response_format: responseFormat(request.outputFormat) }),
  };
  if (target.definition.quirks.omit !== undefined) omitFields(body, target);
  return jsonCall(PATH, body, request.stream);
}

/** The schema stands bare: its name, description and strictness have no place. */
const responseFormat = (format: OutputFormat): JsonObject =>
  format.type === 'json-object' ? { type: 'json_object' } : { type: 'json_object', json_schema: format.schema };
