import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { namesTools } from '../encode-context.js';
import { fieldEncoder } from '../encode-fields.js';
import { jsonCall, omitFields } from '../json-call.js';
import { DRAWS } from '../rules.js';
import { NO_TIER } from '../service-tier.js';
import { DEFAULT_FORMAT_NAME, serviceTierField, userField } from '../openai-fields.js';
import { fitsStrictMode } from '../strict-schema.js';
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
/** Its keys are the words of the list. */
const encodeInclude = fieldEncoder(TABLE, 'include');

/** OpenAI refuses less. */
const OUTPUT_TOKENS_MIN = 16;

/** Fields that would make a call depend on what the vendor keeps, or that answer without a reply. Sent for nobody. */
const STATEFUL_FIELDS: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'background', 'prompt']);

/**
 * The responses call of a request: stateless, whoever asks. What it maps, drops and refuses is written in
 * docs/translation/openai-responses.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function* encodeResponses(asked: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const toolWords = namesTools(asked) ? yield* responsesToolWords(asked, target) : undefined;
  const context = responsesContext(asked, target, media, toolWords);
  const { request } = context;
  const words = context.tierWords;
  const text = encodeText(request, target);
  const include = Object.keys(encodeInclude(request, target));
  const { reasoning, include: sealed } = encodeReasoning(context);
  if (sealed !== undefined) include.push(sealed);
  if (request.outputFormat !== undefined) text['format'] = textFormat(request.outputFormat);
  const input = yield* encodeInput(context);
  // Models that draw do so by a tool.
  const hasTools = request.tools.length > 0 || DRAWS.holds(target);
  const toolFields = hasTools ? yield* encodeTools(context) : NO_TOOLS;
  const body: ResponsesBody = {
    stream: request.stream,
    // Unknown fields of a caller of this format come before what the core models, which always wins.
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
    // No vendor of this format has the word: one that the catalog prices it for does.
    ...(words.inferenceGeo !== undefined && { inference_geo: words.inferenceGeo }),
    store: false,
  };
  if (target.definition.quirks.omit !== undefined) omitFields(body, target);
  return jsonCall(PATH, body, request.stream);
}

function textFormat(format: OutputFormat): Json {
  if (format.type === 'json-object') return { type: 'json_object' };
  return {
    type: 'json_schema',
    name: format.name ?? DEFAULT_FORMAT_NAME,
    ...(format.description !== undefined && { description: format.description }),
    schema: format.schema,
    strict: format.strict ?? fitsStrictMode(format.schema),
  };
}

function unknownFields({ extras }: ModelRequest): Record<string, Json | undefined> {
  if (extras?.vendor !== 'openai-responses') return {};
  const fields = Object.entries(extras.value).filter(([name]) => name !== 'stream' && !STATEFUL_FIELDS.has(name));
  return Object.fromEntries(fields);
}
