import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CreateCompletion } from '../inference/create-completion.js';
import { Delivery } from '../inference/deliver.js';
import { INFERENCE_ERRORS } from '../inference/inference-errors.js';
import { readRequestHeaders, REQUEST_HEADERS } from '../inference/read-headers.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { GENERATION_ID_HEADER } from '../shared/http/error.filter.js';
import { Accepts, type AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { ROUTER_METADATA_HEADER, wantsRouterMetadata } from '../shared/http/router-metadata-header.js';
import { CreateMessageDto } from './create-message.dto.js';
import { messagesFace } from './messages-face.js';
import { MESSAGE_EXAMPLES } from './message-examples.js';
import { readRequest } from './read-request.js';
import { messageEvent, messageReply } from './schemas/reply.js';
import type { Cancellation } from '../core/cancellation.js';

/** `POST /messages`: inference in the Messages format. The body's `stream` alone decides the form of the reply. */
@Controller('messages')
export class MessagesController {
  constructor(
    private readonly completions: CreateCompletion,
    private readonly delivery: Delivery,
  ) {}

  @Post()
  @HttpCode(200)
  @Accepts('inference')
  @Answers(messageReply, {
    summary: 'Ask a model, in the Messages format',
    description: 'Fields of the body that are not declared here are passed on to providers of the same format.',
    events: messageEvent,
    reads: { ...REQUEST_HEADERS, ...ROUTER_METADATA_HEADER },
    headers: { [GENERATION_ID_HEADER]: 'The id of the generation, on errors after routing too.' },
    errors: INFERENCE_ERRORS,
    examples: MESSAGE_EXAMPLES,
  })
  async create(
    @Body() body: CreateMessageDto,
    @Req() { headers, caller }: AuthenticatedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const inference = {
      request: readRequest(body, readRequestHeaders(headers)),
      caller,
      api: 'messages' as const,
      wantsRouterMetadata: wantsRouterMetadata(headers),
    };
    const begin = (abort: Cancellation) => this.completions.begin(inference, abort);
    await this.delivery.deliver(response, inference.request.stream, begin, messagesFace);
  }
}
