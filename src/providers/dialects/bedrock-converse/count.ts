import type { ModelRequest } from '../../../core/conversation/request.js';
import { ProviderFault } from '../../../core/errors.js';
import { isJsonObject } from '../../../core/json/json.js';
import type { Target, UpstreamCall } from '../../../core/provider.js';
import { pathSegment } from '../path-segment.js';
import { readCount } from '../read-json.js';
import { EncodeContext } from './encode-context.js';
import { encodeBody } from './encode.js';

/**
 * The call that counts what the same request would send
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html).
 * @throws Untranslatable as the request itself would, and for media by address: nothing is fetched for a count
 */
export function encodeCount(request: ModelRequest, target: Target): UpstreamCall {
  const { system, messages, toolConfig } = encodeBody(new EncodeContext(request, target, new Map()));
  return {
    path: `/model/${pathSegment(target.endpoint.upstreamModel)}/count-tokens`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: { input: { converse: { system, toolConfig, messages } } },
    stream: false,
  };
}

export function decodeCount(body: unknown): number {
  const count = isJsonObject(body) ? readCount(body['inputTokens']) : undefined;
  if (count !== undefined) return count;
  throw new ProviderFault('malformed-reply', "The provider's reply has no count.");
}
