import type { ModelRequest } from '../../core/conversation/request.js';
import type { Egress } from '../../core/egress.js';
import type { GatewayError } from '../../core/errors.js';
import { doInTurns, type Steps } from '../../core/steps.js';
import { bindTools } from './bind-tools.js';
import { findRefusedAddress } from './refused-addresses.js';

/** A request as its key may make it. */
export interface BoundRequest {
  /** With tools that know what they are held to; as it came where it is refused. */
  readonly request: ModelRequest;
  /** 403: it names what may not be reached. */
  readonly refusal?: GatewayError;
}

/**
 * Holds what a request names to where its key may lead (docs/wire/keys.md#egress): media, servers of tools, tools that
 * search and fetch. At once where there are no rules, or little to judge.
 */
export const bindRequest = (request: ModelRequest, egress: Egress | undefined): BoundRequest | Promise<BoundRequest> =>
  egress ? doInTurns(bind(request, egress)) : { request };

function* bind(request: ModelRequest, egress: Egress): Steps<BoundRequest> {
  const refusal = yield* findRefusedAddress(request, egress);
  if (refusal) return { request, refusal };
  const tools = yield* bindTools(request.tools, egress);
  return tools instanceof Error ? { request, refusal: tools } : { request: { ...request, tools } };
}
