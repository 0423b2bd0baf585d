import type { ContentBlock } from '../../../core/conversation/content.js';
import type { ModelEvent } from '../../../core/conversation/event.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { textOf, type TaskRequest } from '../../../core/conversation/task-request.js';
import { definedOnly } from '../../../core/defined.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { DecodeContext, Target, TaskCodec, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { readCount } from '../figures.js';
import { jsonCall, omitFields } from '../json-call.js';
import { urlOf } from '../media-parts.js';
import { listOf, objectOf } from '../read-json.js';
import { findInBandFault } from './fault.js';
import { chosenDimensions, inputPath, refused, textsOf } from '../task-inputs.js';
import { computedReply, objectIn, readRanking, readVectors } from '../task-reply.js';

/** docs.cohere.com/reference/embed; the tokens: docs.oracle.com, Cohere Embed 4; read 2026-11-30. */
export const LIMITS = { inputs: 96, tokens: 128_000 };
/** Cohere's models since version 3 require one; texts are more often embedded for storage than for a search. */
const INPUT_TYPE_DEFAULT = 'search_document';

/** Cohere's vectors, by texts or by mixed content. Only numbers are requested: the byte order of its base64 is open. */
export const EMBED: TaskCodec = {
  vectorNames: ['float'],
  limits: () => LIMITS,
  *encode(request: ModelRequest, target: Target): Steps<UpstreamCall> {
    const fields = yield* embedFields(request as TaskRequest<'embeddings'>, target);
    const body = { model: target.endpoint.upstreamModel, ...fields };
    omitFields(body, target);
    return jsonCall('/v2/embed', body, false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body, findInBandFault);
    const computed = yield* readVectors(listOf(objectOf(reply['embeddings'])['float']), context);
    const { input_tokens: texts, image_tokens: images } = billedUnits(reply);
    const figures = [readCount(texts), readCount(images)].filter((figure) => figure !== undefined);
    const inputTokens = figures.length > 0 ? figures.reduce((sum, figure) => sum + figure) : undefined;
    return computedReply({ vendor: 'cohere' }, computed, definedOnly({ inputTokens }), reply);
  },
};

/** Cohere's rankings. */
export const RERANK: TaskCodec = {
  *encode(request: ModelRequest, target: Target): Steps<UpstreamCall> {
    const fields = yield* rerankFields(request as TaskRequest<'rerank'>, target);
    const body = { model: target.endpoint.upstreamModel, ...fields };
    omitFields(body, target);
    return jsonCall('/v2/rerank', body, false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body, findInBandFault);
    const computed = yield* readRanking(reply['results'], context);
    const searchUnits = readCount(billedUnits(reply)['search_units']);
    return computedReply({ vendor: 'cohere' }, computed, definedOnly({ inputTokens: 0, searchUnits }), reply);
  },
};

const billedUnits = (reply: JsonObject): JsonObject => objectOf(objectOf(reply['meta'])['billed_units']);

/** The fields of a call for vectors, wherever the model is served. */
export function* embedFields(request: TaskRequest<'embeddings'>, target: Target): Steps<Record<string, unknown>> {
  const { inputType = INPUT_TYPE_DEFAULT, tokens } = request.task;
  const dimensions = chosenDimensions(request, target);
  const isPlain = tokens !== undefined || request.messages.every((message) => textOf(message) !== undefined);
  return {
    ...(isPlain ? { texts: yield* textsOf(request, target) } : { inputs: mixedInputs(request, target) }),
    input_type: inputType,
    embedding_types: ['float'],
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  };
}

export function* rerankFields(request: TaskRequest<'rerank'>, target: Target): Steps<Record<string, unknown>> {
  const { topN } = request.task;
  const [query, ...documents] = yield* textsOf(request, target);
  return { query, documents, ...(topN !== undefined && { top_n: Math.min(topN, documents.length) }) };
}

const mixedInputs = (request: TaskRequest<'embeddings'>, target: Target): JsonObject[] =>
  request.messages.map(({ content }, index) => ({
    content: content.map((block) => part(block, inputPath(request, index), target)),
  }));

function part(block: ContentBlock, path: string, target: Target): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'image') return { type: 'image_url', image_url: { url: urlOf(block.source) } };
  throw refused(path, `content of the type ${block.type}`, target);
}
