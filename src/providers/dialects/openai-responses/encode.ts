import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import { DEFAULT_FORMAT_NAME, serviceTierField, userField } from '../openai-fields.js';
import { tierParameters } from '../service-tier.js';
import { fitsStrictMode } from '../strict-schema.js';
import { EncodeContext } from './encode-context.js';
import { encodeInput } from './encode-input.js';
import { encodeTools } from './encode-tools.js';
import { encodeParameters } from './parameters.js';
import { encodeReasoning } from './reasoning.js';
import type { ResponsesBody } from './wire.js';

const PATH = '/responses';
/** OpenAI refuses less. */
const OUTPUT_TOKENS_MIN = 16;

/** Fields that would make a call depend on what the vendor keeps, or that answer without a reply. Sent for nobody. */
const STATEFUL_FIELDS: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'background', 'prompt']);

/**
 * The responses call of a request: stateless, whoever asks. What it maps, drops and refuses is written in
 * docs/translation/openai-responses.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function encodeResponses(request: ModelRequest, target: Target, media: FetchedMedia): UpstreamCall {
  const context = new EncodeContext(request, target, media);
  const { quirks } = target.definition;
  const words = tierParameters(request, target);
  const { body: parameters, text, include } = encodeParameters(request, target);
  const { reasoning, include: sealed } = encodeReasoning(request, target);
  if (sealed !== undefined) include.push(sealed);
  if (request.outputFormat !== undefined) text['format'] = textFormat(request.outputFormat);
  const body: ResponsesBody = {
    stream: request.stream,
    // Unknown fields of a caller of this format come before what the core models, which always wins.
    ...unknownFields(request),
    model: target.endpoint.upstreamModel,
    input: encodeInput(context),
    ...encodeTools(context),
    ...(request.maxOutputTokens !== undefined && {
      max_output_tokens: Math.max(request.maxOutputTokens, OUTPUT_TOKENS_MIN),
    }),
    ...parameters,
    ...(reasoning !== undefined && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(include.length > 0 && { include }),
    ...(request.promptCacheKey !== undefined && { prompt_cache_key: request.promptCacheKey }),
    ...userField(request),
    // Who prices a tier apart sells it, whatever else is known of the provider.
    ...((quirks.serviceTiers === true || target.tier !== 'standard') && serviceTierField(words)),
    // No vendor of this format has the word: one that the catalog prices it for does.
    ...(target.endpoint.geography && { inference_geo: words.inferenceGeo }),
    store: false,
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
