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
import { CreateMessageDto } from './create-message.dto.js';
import { messagesFace } from './messages-face.js';
import { MESSAGE_EXAMPLES } from './message-examples.js';
import { readRequest } from './read-request.js';
import { messageEvent, messageReply } from './schemas/reply.js';
import { messagesPresets } from './messages-presets.js';
import { FromBody } from '../../shared/http/parameter-types.js';

/** `POST /messages`: inference in the Messages format. Only the body's `stream` decides the form of the reply. */
@Controller('messages')
export class MessagesController {
  constructor(private readonly delivery: Delivery) {}

  @Post()
  @InferenceRoute(messagesPresets)
  @Answers(messageReply, {
    summary: 'Ask a model, in the Messages format',
    description: 'Fields of the body that are not declared here are passed on to providers of the same format.',
    events: messageEvent,
    reads: { ...REQUEST_HEADERS, ...ROUTER_METADATA_HEADER },
    headers: {
      [GENERATION_ID_HEADER]: 'The id of the generation, on errors after routing too.',
      [WARNING_HEADER]: WARNING_MEANING,
      ...REPLAY_HEADERS,
      ...CACHE_ANSWER_HEADERS,
    },
    errors: INFERENCE_ERRORS,
    examples: MESSAGE_EXAMPLES,
  })
  create(
    @FromBody() body: CreateMessageDto,
    @Req() { headers, caller, preset, observer }: InferenceRequest,
    @Res() response: Response,
  ): undefined {
    const request = readRequest(body, readRequestHeaders(headers, caller));
    if (request.extras) addWarnings(response, misspeltFields(request.extras, CreateMessageDto));
    void this.delivery.deliver(response, {
      request: preset ? { ...request, preset } : request,
      caller,
      observer,
      api: 'messages',
      face: messagesFace,
    });
  }
}
