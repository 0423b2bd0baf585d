import type { Face } from '../inference/deliver.js';
import type { Answer } from '../inference/exchange.js';
import type { JsonObject } from '../core/json.js';
import { messageErrorBody } from '../shared/http/error-views.js';
import { MessageFrames, failureFrames } from './frames.js';
import { viewReply } from './view-reply.js';

/** How exchanges look in the Messages format. */
export const messagesFace: Face = {
  printer: (id, answer) =>
    new MessageFrames({ ...metaOf(id, answer), finish: () => ({ bill: answer.bill(), ...routerMetadataOf(answer) }) }),
  view: (id, answer, reply) =>
    viewReply(reply, { ...metaOf(id, answer), bill: answer.bill(), ...routerMetadataOf(answer) }),
  failure: (id, error, routerMetadata) =>
    failureFrames(messageErrorBody(error, { requestId: id, ...(routerMetadata && { routerMetadata }) })),
};

const metaOf = (id: string, { model, provider, isByok }: Answer) => ({ id, model, provider, isByok });

function routerMetadataOf({ routerMetadata }: Answer): { routerMetadata?: JsonObject } {
  const metadata = routerMetadata?.();
  return metadata ? { routerMetadata: metadata } : {};
}
