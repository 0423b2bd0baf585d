import type { ModelRequest } from '../../core/conversation/request.js';
import type { Egress } from '../../core/egress.js';
import type { GatewayError } from '../../core/errors.js';
import { doInSlices, type Steps } from '../../core/steps.js';
import { bindTools } from './bind-tools.js';
import { findRefusedAddress } from './refused-addresses.js';

/** A request as its key may make it. */
export interface BoundRequest {
  /** With tools bound to the rules; unchanged where it is refused. */
  readonly request: ModelRequest;
  /** 403, naming the address or field that is not allowed. */
  readonly refusal?: GatewayError;
}

/**
 * Limits the addresses in a request to those that its key may reach (docs/operate/keys.md#egress): media, servers of
 * tools, tools that search and fetch. Synchronous where there are no rules, or little to judge.
 */
export const bindRequest = (request: ModelRequest, egress: Egress | undefined): BoundRequest | Promise<BoundRequest> =>
  egress ? doInSlices(bind(request, egress)) : { request };

function* bind(request: ModelRequest, egress: Egress): Steps<BoundRequest> {
  const refusal = yield* findRefusedAddress(request, egress);
  if (refusal) return { request, refusal };
  const tools = yield* bindTools(request.tools, egress);
  return tools instanceof Error ? { request, refusal: tools } : { request: { ...request, tools } };
}
