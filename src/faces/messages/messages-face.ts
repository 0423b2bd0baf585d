import type { Face } from '../common/face.js';
import { messageErrorBody } from '../../shared/http/error-views.js';
import type { MessageReply } from './schemas/reply.js';
import { failureFrames, MessageFrames } from './frames.js';
import { viewReply } from './view-reply.js';

/** Views of generations in the Messages format. */
export const messagesFace: Face<MessageReply> = {
  printer: (generation) => new MessageFrames(generation),
  view: viewReply,
  failure: ({ id, extras }, error) => failureFrames(messageErrorBody(error, { requestId: id, extras })),
};
