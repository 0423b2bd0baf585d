import type { ModelEvent } from '../../../core/conversation/event.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { TaskRequest } from '../../../core/conversation/task-request.js';
import { definedOnly } from '../../../core/defined.js';
import { Untranslatable } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { DecodeContext, Target, TaskCodec, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { embedFields, LIMITS as COHERE_LIMITS, rerankFields } from '../cohere-chat/embed.js';
import { readCount } from '../figures.js';
import { jsonCall } from '../json-call.js';
import { listOf, objectOf } from '../read-json.js';
import { chosenDimensions, statedUse, textsOf } from '../task-inputs.js';
import { computedReply, objectIn, readRanking, readVectors } from '../task-reply.js';
import { modelPath } from './encode.js';

/*
 * Converse has no vectors: `InvokeModel` takes each vendor's own body. docs.aws.amazon.com/bedrock/latest/userguide,
 * model-parameters-titan-embed-text and model-parameters-embed; rankings: model-parameters-rerank; read 2026-11-30.
 */

const TITAN_LIMITS = { inputs: 1 };
/** Lengths of the vectors of Titan's second version; those of the first have one. */
const TITAN_LENGTHS: readonly number[] = [1_024, 512, 256];
/** The version of Cohere's body of rankings. */
const RERANK_VERSION = 2;
/** The reply of Cohere's models has no figures; the platform states them beside it. */
const INPUT_TOKENS = 'x-amzn-bedrock-input-token-count';

/** The vendor of a model, by its name there: `amazon.titan-embed-text-v2:0`, `us.cohere.embed-v4:0`. */
function vendorOf(target: Target): 'titan' | 'cohere' {
  const { endpoint, model } = target;
  if (isTitan(target)) return 'titan';
  if (/(?:^|[.:/])cohere\./.test(endpoint.upstreamModel)) return 'cohere';
  throw new Untranslatable('model', `${model.id} is not one whose calls are known at ${endpoint.provider.name}`);
}

const isTitan = ({ endpoint }: Target): boolean => /(?:^|[.:/])amazon\.titan-embed-text/.test(endpoint.upstreamModel);

export const EMBED: TaskCodec = {
  vectorNames: ['embedding', 'embeddings', 'float'],
  dropped: (request, target) => (isTitan(target) ? statedUse(request) : []),
  limits: (target) => (vendorOf(target) === 'titan' ? TITAN_LIMITS : COHERE_LIMITS),
  *encode(request: ModelRequest, target: Target): Steps<UpstreamCall> {
    const own = request as TaskRequest<'embeddings'>;
    const body = vendorOf(target) === 'titan' ? yield* titanBody(own, target) : yield* embedFields(own, target);
    return jsonCall(`${modelPath(target)}/invoke`, body, false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body);
    const { embeddings } = reply;
    const found = isTitan(context.target)
      ? [reply['embedding'] ?? null]
      : listOf(objectOf(embeddings)['float'] ?? embeddings);
    const computed = yield* readVectors(found, context);
    const inputTokens = readCount(reply['inputTextTokenCount']) ?? tokensBeside(context);
    return computedReply({ vendor: 'amazon' }, computed, definedOnly({ inputTokens }), reply);
  },
};

export const RERANK: TaskCodec = {
  *encode(request: ModelRequest, target: Target): Steps<UpstreamCall> {
    if (vendorOf(target) !== 'cohere') throw new Untranslatable('model', `${target.model.id} does not rank documents`);
    const body = { api_version: RERANK_VERSION, ...(yield* rerankFields(request as TaskRequest<'rerank'>, target)) };
    return jsonCall(`${modelPath(target)}/invoke`, body, false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body);
    return computedReply(
      { vendor: 'amazon' },
      yield* readRanking(reply['results'], context),
      { inputTokens: 0 },
      reply,
    );
  },
};

function* titanBody(request: TaskRequest<'embeddings'>, target: Target): Steps<JsonObject> {
  const [inputText] = yield* textsOf(request, target);
  const dimensions = chosenDimensions(request, target);
  if (dimensions !== undefined && !TITAN_LENGTHS.includes(dimensions))
    throw new Untranslatable('dimensions', `must be one of ${TITAN_LENGTHS.join(', ')} for ${target.model.id}`);
  return definedOnly({ inputText: inputText!, dimensions });
}

function tokensBeside({ headers }: DecodeContext): number | undefined {
  const count = headers?.[INPUT_TOKENS];
  return typeof count === 'string' && /^\d{1,12}$/.test(count) ? Number(count) : undefined;
}
