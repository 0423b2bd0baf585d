import type { Face } from '../inference/deliver.js';
import { messageErrorBody } from '../shared/http/error-views.js';
import { MessageFrames, failureFrames } from './frames.js';
import { viewReply } from './view-reply.js';

/** How exchanges look in the Messages format. */
export const messagesFace: Face = {
  printer: (id, { model, provider, isByok }) => new MessageFrames({ id, model, provider, isByok }),
  view: (id, { model, provider, isByok }, reply) => viewReply(reply, { id, model, provider, isByok, cost: null }),
  failure: (id, error) => failureFrames(messageErrorBody(error, { requestId: id })),
};
