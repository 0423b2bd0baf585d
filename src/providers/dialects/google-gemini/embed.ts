import type { ContentBlock, MediaSource } from '../../../core/conversation/content.js';
import type { ModelEvent } from '../../../core/conversation/event.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { countInputs, type TaskRequest } from '../../../core/conversation/task-request.js';
import { definedOnly } from '../../../core/defined.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { DecodeContext, FetchedMedia, Target, TaskCodec, UpstreamCall } from '../../../core/provider.js';
import { StepCounter, type Steps } from '../../../core/steps.js';
import { readCount } from '../figures.js';
import { jsonCall } from '../json-call.js';
import { listOf, objectOf } from '../read-json.js';
import { findInBandFault } from './fault.js';
import { chosenDimensions, inputPath, refused } from '../task-inputs.js';
import { computedReply, objectIn, readVectors } from '../task-reply.js';
import { modelPath } from './encode.js';
import { audioType, isReadByVendor } from './media-types.js';
import type { Part } from './wire.js';

/** ai.google.dev/api/embeddings, read 2026-11-30; the number is that of its batches. */
const LIMITS = { inputs: 100 };

/** Common words for uses, by this format's; any other word is sent in capitals, as this format writes them. */
const TASK_TYPES: ReadonlyMap<string, string> = new Map([
  ['search_query', 'RETRIEVAL_QUERY'],
  ['query', 'RETRIEVAL_QUERY'],
  ['search_document', 'RETRIEVAL_DOCUMENT'],
  ['document', 'RETRIEVAL_DOCUMENT'],
  ['passage', 'RETRIEVAL_DOCUMENT'],
]);

/** Gemini's vectors: one input by a separate call, more by a batch. */
export const EMBED: TaskCodec = {
  vectorNames: ['values'],
  limits: () => LIMITS,
  *encode(requested: ModelRequest, target: Target, media: FetchedMedia): Steps<UpstreamCall> {
    const request = requested as TaskRequest<'embeddings'>;
    if (request.task.tokens) throw refused('input', 'token ids', target);
    const options = optionsOf(request, target);
    const steps = new StepCounter();
    const requests: JsonObject[] = [];
    for (const [index, { content }] of request.messages.entries()) {
      const parts = content.map((block) => partOf(block, inputPath(request, index), target, media));
      requests.push({ content: { parts: parts as Json }, ...options });
      if (steps.isOver()) yield;
    }
    if (requests.length === 1) return jsonCall(`${modelPath(target)}:embedContent`, requests[0]!, false);
    // Each names its model, which has to be that of the address.
    const model = `models/${target.endpoint.upstreamModel}`;
    const body = { requests: requests.map((inner) => ({ model, ...inner })) };
    return jsonCall(`${modelPath(target)}:batchEmbedContents`, body, false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body, findInBandFault);
    const isSingle = countInputs(context.request as TaskRequest) === 1;
    const embeddings =
      isSingle && reply['embedding'] !== undefined ? [reply['embedding']] : listOf(reply['embeddings']);
    const computed = yield* readVectors(
      embeddings.map((embedding) => objectOf(embedding)['values'] ?? null),
      context,
    );
    const inputTokens = readCount(objectOf(reply['usageMetadata'])['promptTokenCount']);
    return computedReply({ vendor: 'google' }, computed, definedOnly({ inputTokens }));
  },
};

function optionsOf(request: TaskRequest<'embeddings'>, target: Target): JsonObject {
  const { inputType } = request.task;
  return definedOnly({
    taskType: inputType === undefined ? undefined : (TASK_TYPES.get(inputType) ?? inputType.toUpperCase()),
    outputDimensionality: chosenDimensions(request, target),
  });
}

/** @throws Untranslatable for content without a form here */
function partOf(block: ContentBlock, path: string, target: Target, media: FetchedMedia): Part {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'audio':
      return { inlineData: { mimeType: audioType(block), data: block.data } };
    case 'image':
    case 'video':
      return mediaPart(block.source, path, target, media);
    case 'document': {
      const { source } = block;
      if (source.type === 'text') return { text: source.text };
      if (source.type === 'base64' || source.type === 'url') return mediaPart(source, path, target, media);
      throw refused(path, 'this file', target);
    }
    default:
      throw refused(path, `content of the type ${block.type}`, target);
  }
}

function mediaPart(source: MediaSource, path: string, target: Target, media: FetchedMedia): Part {
  if (source.type === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  const { url } = source;
  if (isReadByVendor(url)) return { fileData: { fileUri: url } };
  const fetched = media.get(url);
  if (!fetched) throw refused(path, 'an address that was not fetched', target);
  return { inlineData: { mimeType: fetched.mediaType, data: fetched.base64 } };
}
