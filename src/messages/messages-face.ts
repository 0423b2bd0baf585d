import type { Face } from '../inference/deliver.js';
import type { Answer } from '../inference/exchange.js';
import type { JsonObject } from '../core/json.js';
import { messageErrorBody } from '../shared/http/error-views.js';
import { MessageFrames, failureFrames } from './frames.js';
import { viewReply } from './view-reply.js';

/** How exchanges look in the Messages format. */
export const messagesFace: Face = {
  printer: (id, answer) => {
    const { model, provider, isByok } = answer;
    const finish = () => ({ bill: answer.bill(), ...routerMetadataOf(answer) });
    return new MessageFrames({ id, model, provider, isByok, finish });
  },
  view: (id, answer, reply) => {
    const { model, provider, isByok } = answer;
    return viewReply(reply, { id, model, provider, isByok, bill: answer.bill(), ...routerMetadataOf(answer) });
  },
  failure: (id, error, routerMetadata) =>
    failureFrames(messageErrorBody(error, { requestId: id, ...(routerMetadata && { routerMetadata }) })),
};

function routerMetadataOf({ routerMetadata }: Answer): { routerMetadata?: JsonObject } {
  const metadata = routerMetadata?.();
  return metadata ? { routerMetadata: metadata } : {};
}
