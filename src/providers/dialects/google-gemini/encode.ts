import type { ModelRequest, OutputFormat } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import { tierParameters } from '../service-tier.js';
import { encodeContents } from './encode-contents.js';
import { EncodeContext } from './encode-context.js';
import { encodeTools } from './encode-tools.js';
import { encodeParameters } from './parameters.js';
import { reduceSchema } from './reduce-schema.js';
import { encodeThinking } from './thinking.js';
import type { GeminiBody } from './wire.js';

const JSON_TYPE = 'application/json';

/** What other formats call a tier, in the words of this one; other words have none here. */
const SERVICE_TIERS: Readonly<Record<string, string>> = {
  standard: 'standard',
  standard_only: 'standard',
  default: 'standard',
  fast: 'priority',
  priority: 'priority',
  flex: 'flex',
};

/**
 * The `generateContent` call of a request. What it maps, drops and refuses is written in
 * docs/translation/google-gemini.md.
 * @throws Untranslatable when the request holds something that no rule lets drop
 */
export function encodeGemini(request: ModelRequest, target: Target, media: FetchedMedia): UpstreamCall {
  const { stream } = request;
  return {
    path: `${modelPath(target)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { 'content-type': JSON_TYPE, accept: stream ? 'text/event-stream' : JSON_TYPE },
    body: encodeBody(request, target, media),
    stream,
  };
}

/** Where a model is asked: the address alone names it. */
export const modelPath = ({ endpoint }: Target): string =>
  `/v1beta/models/${encodeURIComponent(endpoint.upstreamModel)}`;

/** What is asked, whatever is to become of it: a reply, whole or streamed, or a count. */
export function encodeBody(request: ModelRequest, target: Target, media: FetchedMedia): GeminiBody {
  const context = new EncodeContext(request, target, media);
  const own = request.extras?.vendor === 'google' ? request.extras.value : {};
  const instructions = request.system.filter(({ text }) => text !== '');
  const config = generationConfig(request, target);
  const tier = serviceTier(request, target);
  const body: GeminiBody = {
    // Unknown fields come before what the core models, which always wins.
    ...own,
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions.map(({ text }) => ({ text })) } }),
    contents: encodeContents(context),
    ...encodeTools(context),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(tier !== undefined && { serviceTier: tier }),
  };
  for (const field of target.definition.quirks.omit ?? []) delete body[field];
  return body;
}

function generationConfig(request: ModelRequest, target: Target): JsonObject {
  const thinkingConfig = encodeThinking(request, target);
  return {
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...encodeParameters(request, target),
    ...(request.outputFormat !== undefined && responseFormat(request.outputFormat)),
    ...(thinkingConfig !== undefined && { thinkingConfig }),
  };
}

function responseFormat(format: OutputFormat): JsonObject {
  if (format.type === 'json-object') return { responseMimeType: JSON_TYPE };
  return { responseMimeType: JSON_TYPE, responseJsonSchema: reduceSchema(format.schema) };
}

/** Who prices a tier apart sells it; of the plain words only providers that are known to sell tiers are told. */
function serviceTier(request: ModelRequest, target: Target): string | undefined {
  if (target.definition.quirks.serviceTiers !== true && target.tier === 'standard') return undefined;
  const { serviceTier: tier, speed } = tierParameters(request, target);
  const word = tier ?? speed;
  return word !== undefined && Object.hasOwn(SERVICE_TIERS, word) ? SERVICE_TIERS[word] : undefined;
}
