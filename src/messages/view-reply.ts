import type { Reply } from '../core/conversation/reply.js';
import type { JsonObject } from '../core/json.js';
import type { Billing } from '../inference/view-cost.js';
import { viewRouterMetadata } from '../inference/view-router-metadata.js';
import type { MessageReply } from './schemas/reply.js';
import { viewBlock } from './view-block.js';
import { ownExtras, viewContextManagement, viewEnding } from './view-ending.js';
import { viewUsage } from './view-usage.js';

/** What a reply's view takes from the exchange rather than from the provider. */
export interface ReplyMeta extends Billing {
  /** The generation's id. */
  readonly id: string;
  /** Id of the model that really answered. */
  readonly model: string;
  /** Display name. */
  readonly provider: string;
  /** Present when the caller asked for it. */
  readonly routerMetadata?: JsonObject;
}

/**
 * The body of a whole reply: every key of Scope 2.5 and WIRE 1.15, null where there is nothing to say.
 * @throws ProviderFault `malformed-reply` for a tool call whose arguments are no JSON object
 */
export function viewReply(reply: Reply, meta: ReplyMeta): MessageReply {
  const { stop, startExtras, endExtras } = reply;
  return {
    type: 'message',
    ...ownExtras(startExtras),
    id: meta.id,
    role: 'assistant',
    model: meta.model,
    content: reply.blocks.map((block) => viewBlock(block, stop)).filter((block) => block !== undefined),
    ...viewEnding(stop, startExtras, endExtras),
    usage: viewUsage(reply.usage, meta),
    context_management: viewContextManagement(endExtras),
    provider: meta.provider,
    ...viewRouterMetadata(meta.routerMetadata),
  };
}
