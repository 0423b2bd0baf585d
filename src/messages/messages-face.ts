import type { Face } from '../inference/inference.js';
import { messageErrorBody } from '../shared/http/error-views.js';
import type { MessageReply } from './schemas/reply.js';
import { failureFrames, MessageFrames } from './frames.js';
import { viewReply } from './view-reply.js';

/** How generations look in the Messages format. */
export const messagesFace: Face<MessageReply> = {
  printer: (generation) => new MessageFrames(generation),
  view: viewReply,
  failure: ({ id, extras }, error) => failureFrames(messageErrorBody(error, { requestId: id, extras })),
};
