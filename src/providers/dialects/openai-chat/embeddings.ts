import type { TaskRequest } from '../../../core/conversation/task-request.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { definedOnly } from '../../../core/defined.js';
import type { DecodeContext, Target, TaskCodec, UpstreamCall } from '../../../core/provider.js';
import type { ModelEvent } from '../../../core/conversation/event.js';
import type { Endpoint } from '../../../core/routing/catalog.js';
import type { Steps } from '../../../core/steps.js';
import { readCount } from '../figures.js';
import { jsonCall, omitFields } from '../json-call.js';
import { objectOf } from '../read-json.js';
import { findInBandFault } from '../openai-faults.js';
import { chosenDimensions, statedUse, textsOf } from '../task-inputs.js';
import { computedReply, inOrder, objectIn, readVectors } from '../task-reply.js';

/** platform.openai.com/docs/api-reference/embeddings/create, read 2026-11-30. */
const LIMITS = { inputs: 2_048, tokens: 300_000 };

/** OpenAI's embeddings, which many providers offer at the same address. */
export const EMBEDDINGS: TaskCodec = {
  vectorNames: ['embedding'],
  limits: () => LIMITS,
  dropped: (request, { endpoint }) => (takesType(endpoint) ? [] : statedUse(request)),
  *encode(request: ModelRequest, target: Target): Steps<UpstreamCall> {
    return jsonCall('/embeddings', yield* bodyOf(request as TaskRequest<'embeddings'>, target), false);
  },
  *decodeWhole(body: unknown, context: DecodeContext): Steps<ModelEvent[]> {
    const reply = objectIn(body, findInBandFault);
    const computed = yield* readVectors(inOrder(reply['data'], 'embedding'), context);
    const usage = objectOf(reply['usage']);
    const inputTokens = readCount(usage['prompt_tokens']) ?? readCount(usage['total_tokens']);
    return computedReply({ vendor: 'openai' }, computed, definedOnly({ inputTokens }), reply);
  },
};

function* bodyOf(request: TaskRequest<'embeddings'>, target: Target): Steps<object> {
  const { task } = request;
  const { endpoint } = target;
  const dimensions = chosenDimensions(request, target);
  const { supportedParameters: known } = endpoint;
  // Nearly every provider knows the encoding.
  const takesEncoding = known.length === 0 || known.includes('encoding_format');
  const body = {
    model: endpoint.upstreamModel,
    input: task.tokens ?? (yield* textsOf(request, target)),
    // The encoding of the caller's, so that nothing is converted.
    ...(takesEncoding && { encoding_format: task.encoding }),
    ...(dimensions !== undefined && { dimensions }),
    ...(task.inputType !== undefined && takesType(endpoint) && { input_type: task.inputType }),
  };
  omitFields(body, target);
  return body;
}

/** OpenAI refuses fields that it does not know. */
const takesType = ({ supportedParameters }: Endpoint): boolean => supportedParameters.includes('input_type');
