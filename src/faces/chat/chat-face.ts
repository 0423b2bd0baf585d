import type { Face } from '../common/face.js';
import { chatErrorBody } from '../../shared/http/error-views.js';
import { ChatFrames, chunkHead, failureFrames, type ReplyOptions } from './frames.js';
import type { ChatReplyBody } from './schemas/reply.js';
import { viewReply } from './view-reply.js';

/** The views of one request's generation in the chat-completions format. */
export const chatFace = (options: ReplyOptions): Face<ChatReplyBody> => ({
  printer: (generation) => new ChatFrames(generation, options),
  view: (generation, reply) => viewReply(reply, generation, options.hidesReasoning),
  failure: (generation, error) =>
    failureFrames(chunkHead(generation), chatErrorBody(error, { requestId: generation.id, extras: generation.extras })),
});
