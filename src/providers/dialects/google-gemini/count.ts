import type { ModelRequest } from '../../../core/conversation/request.js';
import { isJsonObject } from '../../../core/json/json.js';
import type { CountedPrompt, FetchedMedia, Target, UpstreamCall } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { jsonCall } from '../json-call.js';
import { readCount } from '../figures.js';
import { malformed } from '../read-json.js';
import { encodeBody, modelPath } from './encode.js';

const NO_MEDIA: FetchedMedia = new Map();

/**
 * The call that counts the tokens of the same request. Its body is the whole request, which here names its model.
 * @throws Untranslatable as the request itself would, and for media by address: nothing is fetched for a count
 */
export function* encodeCount(request: ModelRequest, target: Target): Steps<UpstreamCall> {
  const requested = yield* encodeBody(request, target, NO_MEDIA);
  const body = { model: `models/${target.endpoint.upstreamModel}`, ...requested };
  return jsonCall(`${modelPath(target)}:countTokens`, { generateContentRequest: body }, false);
}

/** @throws ProviderFault `malformed-reply` */
export function decodeCount(body: unknown): CountedPrompt {
  const count = isJsonObject(body) ? readCount(body['totalTokens']) : undefined;
  if (count === undefined) throw malformed('has no count');
  return { inputTokens: count };
}
