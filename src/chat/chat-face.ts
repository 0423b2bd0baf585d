import { generationSeconds, type GenerationId } from '../core/ids.js';
import type { JsonObject } from '../core/json.js';
import type { Face } from '../inference/deliver.js';
import type { Answer } from '../inference/exchange.js';
import { chatErrorBody } from '../shared/http/error-views.js';
import { ChatFrames, chunkHead, failureFrames } from './frames.js';
import { viewReply, type ReplyHead } from './view-reply.js';

/** What of a request its reply's form depends on. */
export interface ReplyWishes {
  /** The model that was asked for: who answers may not be known when a stream fails. */
  readonly model: string;
  readonly hidesReasoning: boolean;
  readonly tellsUsageAlone: boolean;
}

/** How the exchange of one request looks in the chat-completions format. */
export function chatFace({ model, hidesReasoning, tellsUsageAlone }: ReplyWishes): Face {
  const headOf = (id: GenerationId, answer: Answer | undefined): ReplyHead => ({
    id,
    created: generationSeconds(id),
    model: answer?.model ?? model,
    provider: answer?.provider ?? '',
    hidesReasoning,
  });
  return {
    printer: (id, answer) =>
      new ChatFrames({
        isByok: answer.isByok,
        tellsUsageAlone,
        ...headOf(id, answer),
        ...(answer.upstreamBody !== undefined && { upstreamBody: answer.upstreamBody }),
        finish: () => ({ bill: answer.bill(), ...routerMetadataOf(answer) }),
      }),
    view: (id, answer, reply) =>
      viewReply(reply, {
        isByok: answer.isByok,
        bill: answer.bill(),
        ...headOf(id, answer),
        ...routerMetadataOf(answer),
      }),
    failure: (id, error, routerMetadata, answer) =>
      failureFrames(
        chunkHead(headOf(id, answer)),
        chatErrorBody(error, { requestId: id, ...(routerMetadata && { routerMetadata }) }),
      ),
  };
}

function routerMetadataOf({ routerMetadata }: Answer): { routerMetadata?: JsonObject } {
  const metadata = routerMetadata?.();
  return metadata ? { routerMetadata: metadata } : {};
}
