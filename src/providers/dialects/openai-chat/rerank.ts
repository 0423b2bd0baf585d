import type { ModelEvent } from '../../../core/conversation/event.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { textOf, type TaskRequest } from '../../../core/conversation/task-request.js';
import { definedOnly } from '../../../core/defined.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { DecodeContext, Target, TaskCodec, UpstreamCall } from '../../../core/provider.js';
import type { RerankStyle } from '../../../core/quirks.js';
import type { Steps } from '../../../core/steps.js';
import { readCount } from '../figures.js';
import { jsonCall, omitFields } from '../json-call.js';
import { urlOf } from '../media-parts.js';
import { objectOf } from '../read-json.js';
import { findInBandFault } from '../openai-faults.js';
import { inputPath, refused, textsOf } from '../task-inputs.js';
import { computedReply, objectIn, readRanking } from '../task-reply.js';

/** Differences between the vendors' formats of rankings. */
interface Style {
  /** The field for the number of results. */
  readonly top: 'top_n' | 'top_k';
  /** The list of the reply. */
  readonly results: 'results' | 'data';
  /** Documents may be pictures, by address. */
  readonly readsImages: boolean;
}

/**
 * jina.ai/reranker (its OpenAPI document), docs.voyageai.com/reference/reranker-api and
 * docs.cohere.com/v1/reference/rerank, read 2026-11-30.
 */
const STYLES: Readonly<Record<RerankStyle, Style>> = {
  jina: { top: 'top_n', results: 'results', readsImages: true },
  voyage: { top: 'top_k', results: 'data', readsImages: false },
  cohere: { top: 'top_n', results: 'results', readsImages: false },
};

/** Rankings beside chat completions, in the form of the vendor that the quirk `rerank` names. */
export const RERANK: TaskCodec = {
  *encode(request: ModelRequest, target: Target): Steps<UpstreamCall> {
    return jsonCall('/rerank', yield* bodyOf(request as TaskRequest<'rerank'>, target), false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body, findInBandFault);
    const computed = yield* readRanking(reply[styleOf(context.target).results], context);
    const usage = objectOf(reply['usage']);
    const billed = objectOf(objectOf(reply['meta'])['billed_units']);
    const inputTokens = readCount(usage['total_tokens']);
    const searchUnits = readCount(billed['search_units']);
    // A vendor that charges by units of search does not charge for tokens.
    const figures = definedOnly({
      inputTokens: inputTokens ?? (searchUnits === undefined ? undefined : 0),
      searchUnits,
    });
    return computedReply({ vendor: 'openai' }, computed, figures, reply);
  },
};

function* bodyOf(request: TaskRequest<'rerank'>, target: Target): Steps<object> {
  const { top, readsImages } = styleOf(target);
  const { topN } = request.task;
  const [query, ...documents] = readsImages ? mixedOf(request, target) : yield* textsOf(request, target);
  const body: Record<string, Json | undefined> = {
    model: target.endpoint.upstreamModel,
    query,
    documents,
    ...(topN !== undefined && { [top]: Math.min(topN, documents.length) }),
    // The caller's own are returned.
    return_documents: false,
  };
  omitFields(body, target);
  return body;
}

function styleOf({ definition, endpoint }: Target): Style {
  const { rerank } = definition.quirks;
  if (rerank) return STYLES[rerank];
  throw new Untranslatable('model', `rankings are not available from ${endpoint.provider.name} in this format`);
}

/** Texts, and pictures alone. */
function mixedOf(request: TaskRequest<'rerank'>, target: Target): Json[] {
  return request.messages.map((message, index): string | JsonObject => {
    const text = textOf(message);
    if (text !== undefined) return text;
    const [only] = message.content;
    if (index > 0 && message.content.length === 1 && only?.type === 'image') return { image: urlOf(only.source) };
    throw refused(inputPath(request, index), 'this content', target);
  });
}
