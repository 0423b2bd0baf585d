import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CreateCompletion } from '../inference/create-completion.js';
import { Delivery } from '../inference/deliver.js';
import { Accepts } from '../shared/http/route.decorators.js';
import { CreateMessageDto } from './create-message.dto.js';
import { messagesFace } from './messages-face.js';
import { readRequest, readRequestHeaders } from './read-request.js';

/** `POST /messages`: inference in the Messages format. The body's `stream` alone decides the form of the reply. */
@Controller('messages')
export class MessagesController {
  constructor(
    private readonly completions: CreateCompletion,
    private readonly delivery: Delivery,
  ) {}

  @Post()
  @Accepts('inference')
  async create(@Body() body: CreateMessageDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    const modelRequest = readRequest(body, readRequestHeaders(request.headers));
    const begin = (abort: AbortController) => this.completions.begin(modelRequest, abort);
    await this.delivery.deliver(response, modelRequest.stream, begin, messagesFace);
  }
}
