import type { ModelRequest } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools, toolWordsOf } from '../encode-context.js';
import { fieldEncoder } from '../encode-fields.js';
import { isTakenByCohere } from '../schemas/fitted-schemas.js';
import { openForm } from '../schemas/held-schemas.js';
import { jsonCall, omitFields } from '../json-call.js';
import { cohereContext } from './encode-context.js';
import { encodeMessages } from './encode-messages.js';
import { encodeTools } from './encode-tools.js';
import { encodeThinking } from './reasoning.js';
import { TABLE } from './table.js';
import type { CohereBody, CohereToolFields } from './wire.js';

const NO_TOOLS = {};
const PATH = '/v2/chat';

const encodeFields = fieldEncoder(TABLE);

/**
 * The call of a request in Cohere's chat format, version 2. docs/use/translation/cohere-chat.md lists what it maps,
 * drops and refuses.
 * @throws Untranslatable when the request contains something that no rule permits to drop
 */
export function* encodeCohere(requested: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const toolWords = namesTools(requested) ? yield* toolWordsOf(requested, target) : undefined;
  const context = cohereContext(requested, target, media, toolWords);
  const { request } = context;
  const { stream: _modelled, ...unknown } = request.extras?.vendor === 'cohere' ? request.extras.value : {};
  const documents = context.sources.documents();
  const thinking = encodeThinking(request);
  const toolFields: CohereToolFields = request.tools.length > 0 ? yield* encodeTools(context) : NO_TOOLS;
  const isAlone = toolFields.tools === undefined;
  const form = request.outputFormat && (yield* openForm(request.outputFormat, isAlone ? isTakenByCohere : () => false));
  const messages = yield* encodeMessages(context, form?.words);
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
    // Refused beside tools (docs.cohere.com/v2/docs/structured-outputs).
    ...(request.outputFormat !== undefined && isAlone && { response_format: responseFormat(form?.schema) }),
  };
  if (target.definition.quirks.omit !== undefined) omitFields(body, target);
  return jsonCall(PATH, body, request.stream);
}

/** Only the schema: the format has no fields for its name, description and strictness. */
const responseFormat = (schema: JsonObject | undefined): JsonObject => ({
  type: 'json_object',
  ...(schema && { json_schema: schema }),
});
