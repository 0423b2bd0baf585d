import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CreateCompletion } from '../inference/create-completion.js';
import { Delivery } from '../inference/deliver.js';
import { readRequestHeaders } from '../inference/read-headers.js';
import { Accepts, type AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { wantsRouterMetadata } from '../shared/http/router-metadata-header.js';
import { CreateMessageDto } from './create-message.dto.js';
import { messagesFace } from './messages-face.js';
import { readRequest } from './read-request.js';

/** `POST /messages`: inference in the Messages format. The body's `stream` alone decides the form of the reply. */
@Controller('messages')
export class MessagesController {
  constructor(
    private readonly completions: CreateCompletion,
    private readonly delivery: Delivery,
  ) {}

  @Post()
  @Accepts('inference')
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
    const begin = (abort: AbortController) => this.completions.begin(inference, abort);
    await this.delivery.deliver(response, inference.request.stream, begin, messagesFace);
  }
}
