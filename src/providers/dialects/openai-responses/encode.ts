import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools } from '../encode-context.js';
import { fieldEncoder } from '../encode-fields.js';
import { currentFormat } from '../schemas/fitted-schemas.js';
import { jsonCall, omitFields } from '../json-call.js';
import { GENERATES_IMAGES } from '../rules.js';
import { NO_TIER } from '../service-tier.js';
import { formatName, serviceTierField, userField } from '../openai-fields.js';
import { isHeld } from '../schemas/strict-schema.js';
import { responsesContext, responsesToolWords } from './encode-context.js';
import { encodeInput } from './encode-input.js';
import { encodeTools } from './encode-tools.js';
import { encodeReasoning } from './reasoning.js';
import { TABLE } from './table.js';
import type { ResponsesBody } from './wire.js';

const PATH = '/responses';
const NO_TOOLS = {};
const encodeFields = fieldEncoder(TABLE);
const encodeText = fieldEncoder(TABLE, 'text');
/** Each key of the object is a value of the list `include`. */
const encodeInclude = fieldEncoder(TABLE, 'include');

/** OpenAI refuses a lower limit. */
const OUTPUT_TOKENS_MIN = 16;

/** Fields that make a call depend on what the vendor stores, or that answer without a reply. Never sent. */
const STATEFUL_FIELDS: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'background', 'prompt']);

/**
 * The responses call of a request, always stateless. docs/use/translation/openai-responses.md lists what it maps, drops
 * and refuses.
 * @throws Untranslatable when the request contains something that no rule permits to drop
 */
export function* encodeResponses(requested: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const toolWords = namesTools(requested) ? yield* responsesToolWords(requested, target) : undefined;
  const context = responsesContext(requested, target, media, toolWords);
  const { request } = context;
  const words = context.tierWords;
  const text = encodeText(request, target);
  const include = Object.keys(encodeInclude(request, target));
  const { reasoning, include: sealed } = encodeReasoning(context);
  if (sealed !== undefined) include.push(sealed);
  if (request.outputFormat !== undefined)
    text['format'] = textFormat(yield* currentFormat(request.outputFormat), target);
  const input = yield* encodeInput(context);
  // Models generate images with a tool.
  const hasTools = request.tools.length > 0 || GENERATES_IMAGES.holds(target);
  const toolFields = hasTools ? yield* encodeTools(context) : NO_TOOLS;
  const body: ResponsesBody = {
    stream: request.stream,
    // Unknown fields of a caller of this format come first, so that modelled fields override them.
    ...(request.extras !== undefined && unknownFields(request)),
    model: target.endpoint.upstreamModel,
    input,
    ...toolFields,
    ...(request.maxOutputTokens !== undefined && {
      max_output_tokens: Math.max(request.maxOutputTokens, OUTPUT_TOKENS_MIN),
    }),
    ...encodeFields(request, target),
    ...(reasoning !== undefined && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(include.length > 0 && { include }),
    ...(request.promptCacheKey !== undefined && { prompt_cache_key: request.promptCacheKey }),
    ...((request.user ?? request.metadata) !== undefined && userField(request)),
    ...(words !== NO_TIER && serviceTierField(words)),
    // No vendor of this format documents the field; endpoints with a catalog price for it take it.
    ...(words.inferenceGeo !== undefined && { inference_geo: words.inferenceGeo }),
    store: false,
  };
  if (target.definition.quirks.omit !== undefined) omitFields(body, target);
  return jsonCall(PATH, body, request.stream);
}

function textFormat(format: OutputFormat, target: Target): Json {
  if (format.type === 'json-object') return { type: 'json_object' };
  return {
    type: 'json_schema',
    name: formatName(format.name),
    ...(format.description !== undefined && { description: format.description }),
    schema: format.schema,
    strict: isHeld(format.schema, format.strict, target),
  };
}

function unknownFields({ extras }: ModelRequest): Record<string, Json | undefined> {
  if (extras?.vendor !== 'openai-responses') return {};
  const fields = Object.entries(extras.value).filter(([name]) => name !== 'stream' && !STATEFUL_FIELDS.has(name));
  return Object.fromEntries(fields);
}
