import type { Face } from '../inference/inference.js';
import { chatErrorBody } from '../shared/http/error-views.js';
import { ChatFrames, chunkHead, failureFrames, type ReplyWishes } from './frames.js';
import type { ChatReply } from './schemas/reply.js';
import { viewReply } from './view-reply.js';

/** How the generation of one request looks in the chat-completions format. */
export const chatFace = (wishes: ReplyWishes): Face<ChatReply> => ({
  printer: (generation) => new ChatFrames(generation, wishes),
  view: (generation, reply) => viewReply(reply, generation, wishes.hidesReasoning),
  failure: (generation, error) =>
    failureFrames(chunkHead(generation), chatErrorBody(error, { requestId: generation.id, extras: generation.extras })),
});
