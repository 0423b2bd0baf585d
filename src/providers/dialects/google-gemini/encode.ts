import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import { definedOnly } from '../../../core/defined.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { fieldEncoder } from '../encode-fields.js';
import { geminiSchema } from '../schemas/fitted-schemas.js';
import { jsonCall, omitFields } from '../json-call.js';
import { wantedModalities } from '../output-modalities.js';
import { encodeContents } from './encode-contents.js';
import { geminiContext, type GeminiContext } from './encode-context.js';
import { encodeTools } from './encode-tools.js';
import { TABLE } from './table.js';
import { encodeThinking } from './thinking.js';
import type { GeminiBody } from './wire.js';

const NO_TOOLS = {};
const JSON_TYPE = 'application/json';

const encodeConfig = fieldEncoder(TABLE, 'generationConfig');

/** This format's names for other formats' tiers; other values have no counterpart. */
const SERVICE_TIERS: Readonly<Record<string, string>> = {
  standard: 'standard',
  standard_only: 'standard',
  default: 'standard',
  fast: 'priority',
  priority: 'priority',
  flex: 'flex',
};

/**
 * The `generateContent` call of a request. docs/use/translation/google-gemini.md lists what it maps, drops and refuses.
 * @throws Untranslatable when the request contains something that no rule permits to drop
 */
export function* encodeGemini(request: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const body = yield* encodeBody(request, target, media);
  return jsonCall(`${modelPath(target)}:${method}`, body, request.stream);
}

/** The path names the model; the body does not. */
export const modelPath = ({ endpoint }: Target): string =>
  `/v1beta/models/${encodeURIComponent(endpoint.upstreamModel)}`;

/** The part of the body that a whole reply, a stream and a count have in common. */
export function* encodeBody(requested: ModelRequest, target: Target, media: FetchedMedia): Steps<GeminiBody> {
  const context = yield* geminiContext(requested, target, media);
  const { request } = context;
  const own = request.extras?.vendor === 'google' ? request.extras.value : {};
  const instructions = request.system.filter(({ text }) => text !== '');
  const form = request.outputFormat === undefined ? undefined : yield* responseFormat(request.outputFormat);
  const config = generationConfig(request, target, form);
  const tier = serviceTier(context);
  const contents = yield* encodeContents(context);
  const toolFields = request.tools.length > 0 ? yield* encodeTools(context) : NO_TOOLS;
  const body: GeminiBody = {
    // Unknown fields come first, so that modelled fields override them.
    ...own,
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions.map(({ text }) => ({ text })) } }),
    contents,
    ...toolFields,
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(tier !== undefined && { serviceTier: tier }),
  };
  if (target.definition.quirks.omit !== undefined) omitFields(body, target);
  return body;
}

function generationConfig(request: ModelRequest, target: Target, form: JsonObject | undefined): JsonObject {
  const thinkingConfig = encodeThinking(request, target);
  return {
    ...encodeConfig(request, target),
    ...encodeImages(request, target),
    ...form,
    ...(thinkingConfig !== undefined && { thinkingConfig }),
  };
}

/** Sources: ai.google.dev/gemini-api/docs/image-generation: modalities, ImageConfig. */
function encodeImages(request: ModelRequest, target: Target): JsonObject {
  const modalities = wantedModalities(request, target);
  if (modalities === undefined) return {};
  const { aspect_ratio: aspectRatio, image_size: imageSize } = request.imageConfig ?? {};
  const imageConfig = definedOnly({ aspectRatio, imageSize });
  return {
    responseModalities: modalities.map((modality) => modality.toUpperCase()),
    ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
  };
}

function* responseFormat(format: OutputFormat): Steps<JsonObject> {
  if (format.type === 'json-object') return { responseMimeType: JSON_TYPE };
  const { schema } = yield* geminiSchema(format.schema);
  return { responseMimeType: JSON_TYPE, responseJsonSchema: schema };
}

function serviceTier({ tierWords }: GeminiContext): string | undefined {
  const word = tierWords.serviceTier ?? tierWords.speed;
  return word !== undefined && Object.hasOwn(SERVICE_TIERS, word) ? SERVICE_TIERS[word] : undefined;
}
