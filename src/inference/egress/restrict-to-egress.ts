import type { ModelRequest } from '../../core/conversation/request.js';
import type { Egress } from '../../core/egress.js';
import type { GatewayError } from '../../core/errors.js';
import { doInSlices, type Steps } from '../../core/steps.js';
import { restrictTools } from './restrict-tools.js';
import { findRefusedAddress } from './refused-addresses.js';

/** A request as its key may make it. */
export interface RestrictedRequest {
  /** The request with its tools restricted to the rules; unchanged if it is refused. */
  readonly request: ModelRequest;
  /** 403, naming the address or field that is not allowed. */
  readonly refusal?: GatewayError;
}

/**
 * Limits the addresses in a request to those that its key may reach (docs/operate/keys.md#egress): media, servers of
 * tools, tools that search and fetch. Synchronous where there are no rules, or little to judge.
 */
export const restrictToEgress = (
  request: ModelRequest,
  egress: Egress | undefined,
): RestrictedRequest | Promise<RestrictedRequest> => (egress ? doInSlices(restrict(request, egress)) : { request });

function* restrict(request: ModelRequest, egress: Egress): Steps<RestrictedRequest> {
  const refusal = yield* findRefusedAddress(request, egress);
  if (refusal) return { request, refusal };
  const tools = yield* restrictTools(request.tools, egress);
  return tools instanceof Error ? { request, refusal: tools } : { request: { ...request, tools } };
}
