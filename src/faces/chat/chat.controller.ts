import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Delivery } from '../common/delivery.js';
import { INFERENCE_ERRORS } from '../common/inference-errors.js';
import { InferenceRoute } from '../common/inference-route.decorator.js';
import type { InferenceRequest } from '../common/inference.interceptor.js';
import { misspeltFields } from '../common/misspelt-fields.js';
import { readRequestHeaders, REQUEST_HEADERS, ROUTER_METADATA_HEADER } from '../common/read-headers.js';
import { CACHE_ANSWER_HEADERS } from '../common/read-cache.js';
import { REPLAY_HEADERS } from '../common/read-idempotency.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { GENERATION_ID_HEADER } from '../../shared/http/error.filter.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../../shared/http/warning-header.js';
import { chatFace } from './chat-face.js';
import { CHAT_EXAMPLES } from './chat-examples.js';
import { CreateChatDto } from './create-chat.dto.js';
import { hidesReasoning, readRequest } from './read-request.js';
import { chatChunk, chatReply } from './schemas/reply.js';
import { chatPresets } from './chat-presets.js';
import { FromBody } from '../../shared/http/parameter-types.js';

/**
 * `POST /chat/completions`: inference in the chat-completions format. Only the body's `stream` decides the form of the
 * reply.
 */
@Controller('chat/completions')
export class ChatController {
  constructor(private readonly delivery: Delivery) {}

  @Post()
  @InferenceRoute(chatPresets)
  @Answers(chatReply, {
    summary: 'Ask a model, in the chat-completions format',
    description: 'Fields of the body that are not declared here are passed on to providers of the same format.',
    events: chatChunk,
    reads: { ...REQUEST_HEADERS, ...ROUTER_METADATA_HEADER },
    headers: {
      [GENERATION_ID_HEADER]: 'The id of the generation, on errors after routing too.',
      [WARNING_HEADER]: WARNING_MEANING,
      ...REPLAY_HEADERS,
      ...CACHE_ANSWER_HEADERS,
    },
    errors: INFERENCE_ERRORS,
    examples: CHAT_EXAMPLES,
  })
  create(
    @FromBody() body: CreateChatDto,
    @Req() { headers, caller, preset, observer }: InferenceRequest,
    @Res() response: Response,
  ): undefined {
    const request = readRequest(body, readRequestHeaders(headers, caller));
    if (request.extras) addWarnings(response, misspeltFields(request.extras, CreateChatDto));
    const face = chatFace({
      hidesReasoning: hidesReasoning(body),
      sendsUsageSeparately: body.stream_options?.include_usage === true,
    });
    void this.delivery.deliver(response, {
      request: preset ? { ...request, preset } : request,
      caller,
      observer,
      api: 'chat',
      face,
    });
  }
}
