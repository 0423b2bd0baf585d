import type { MediaSource, TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, printJson } from '../../core/json/json.js';
import { readReply } from '../../core/conversation/reply.js';
import { parameterPath, type ToolFailure, type ToolResult } from '../../core/tool.js';
import type { Model } from '../../core/routing/catalog.js';
import { name } from '../../shared/http/maxima.js';
import { number, openObject, optional } from '../../shared/http/schema.js';
import { consultedRequest } from '../consulted-request.js';
import type { ToolDefinition } from '../tool-definition.js';
import { imageOf, urlOf } from './reply-images.js';
import { toPullSource } from '../../core/stream/pull-source.js';

const MODEL_DEFAULT = 'openai/gpt-5-image';
/** For requests to the sandbox alone, which need no account. */
const SANDBOX_MODEL = 'sandbox/image';
const PROMPT_LENGTH_MAX = 32_000;
/**
 * Output tokens of a reply, which are held for each call. Chosen: twice the largest picture of the most expensive
 * quality.
 */
const OUTPUT_TOKENS_MAX = 16_384;
/** Characters of an image as a data URL: one frame of a stream holds one, and one body two. */
const IMAGE_CHARACTERS_MAX = 16 * 1024 * 1024;

/**
 * Draws an image with a model of the catalogue (docs/use/tools/image-generation.md), by a separate call
 * through the same routing and billing. The calling model learns only whether it succeeded; the caller receives the
 * image.
 */
export const imageGeneration: ToolDefinition = {
  types: ['openrouter:image_generation'],
  parameters: {
    'openrouter:image_generation': openObject({
      model: optional(name()),
      output_compression: optional(number({ min: 0, max: 100 })),
    }),
  },
  // Other parameters are those of the model that draws.
  openParameters: 'any',
  resultType: 'openrouter_image_generation_tool_result',
  offer: (requested, { catalog, modelOf, isSandbox }) => {
    const { model: named, ...configuration } = requested.parameters;
    const usual = catalog.tools.imageGeneration?.model ?? (isSandbox === true ? SANDBOX_MODEL : MODEL_DEFAULT);
    const model = modelOf(named ?? usual, parameterPath(requested, 'model'));
    if (!model.outputModalities.includes('image')) {
      const message = `${parameterPath(requested, 'model')}: ${model.id} makes no images; name a model of /models that does`;
      throw new GatewayError('invalid-request', message);
    }
    const requestFor = (request: ModelRequest, content: readonly TextBlock[], wishes: Partial<ModelRequest> = {}) =>
      consultedRequest(request, {
        model: model.id,
        messages: [{ role: 'user', content }],
        modalities: ['image'],
        maxOutputTokens: outputTokensMax(model),
        ...wishes,
      });
    return {
      runsAt: 'gateway',
      asFunction: SHOWN,
      model: model.id,
      // The only cost of the tool is the call of the model, which is held and charged as a separate call.
      price: 0n,
      usesMax: Infinity,
      consults: (request) => requestFor(request, []),
      run: async ({ prompt }, { context }) => {
        try {
          const events = await context.infer(
            requestFor(context.request, [{ type: 'text', text: prompt as string }], {
              ...(Object.keys(configuration).length > 0 && { imageConfig: configuration }),
            }),
            'image-generation',
          );
          return drawn(imageOf(await readReply(toPullSource(events))));
        } catch (error) {
          context.signal.throwIfAborted();
          if (!(error instanceof GatewayError)) throw error;
          return error.kind === 'rate-limited' ? fail('too_many_requests') : failed(error.message);
        }
      },
      fail,
    };
  },
  recall: (content) => {
    if (isJsonObject(content) && content['status'] === 'ok') return DRAWN;
    return printJson(content);
  },
  isFailure: (content) => isJsonObject(content) && content['status'] === 'error',
};

/** Low enough that it excludes no endpoint of the model. */
const outputTokensMax = ({ maxCompletionTokens = Infinity, endpoints }: Model): number =>
  Math.min(OUTPUT_TOKENS_MAX, ...endpoints.map((endpoint) => endpoint.maxCompletionTokens ?? maxCompletionTokens));

/** The result for the model: the image is the caller's to show. */
const DRAWN = printJson({ status: 'ok' });

const SHOWN = {
  name: 'generate_image',
  description: 'Draws an image from a description. The image is shown to the user by itself: do not describe a link.',
  inputSchema: {
    type: 'object',
    properties: { prompt: { type: 'string', minLength: 1, maxLength: PROMPT_LENGTH_MAX } },
    required: ['prompt'],
  },
};

/** @param image the image of the reply */
function drawn(image: MediaSource | undefined): ToolResult {
  if (!image) return failed('The model drew nothing.');
  const imageUrl = urlOf(image);
  if (imageUrl.length > IMAGE_CHARACTERS_MAX) return failed('The image is too large.');
  return { text: DRAWN, content: { status: 'ok', imageUrl }, image, sources: [], isError: false };
}

function failed(error: string): ToolResult {
  const content = { status: 'error', error };
  return { text: printJson(content), content, sources: [], isError: true };
}

const fail = (failure: ToolFailure): ToolResult => failed(failure);
