import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CreateCompletion } from '../inference/create-completion.js';
import { Delivery } from '../inference/deliver.js';
import { readRequestHeaders } from '../inference/read-headers.js';
import { Accepts, type AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { wantsRouterMetadata } from '../shared/http/router-metadata-header.js';
import { chatFace } from './chat-face.js';
import { CreateChatDto } from './create-chat.dto.js';
import { hidesReasoning, readRequest } from './read-request.js';

/** `POST /chat/completions`: inference in the chat-completions format. The body's `stream` alone decides the form of the reply. */
@Controller('chat/completions')
export class ChatController {
  constructor(
    private readonly completions: CreateCompletion,
    private readonly delivery: Delivery,
  ) {}

  @Post()
  @Accepts('inference')
  async create(
    @Body() body: CreateChatDto,
    @Req() { headers, caller }: AuthenticatedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const inference = {
      request: readRequest(body, readRequestHeaders(headers)),
      caller,
      api: 'chat' as const,
      wantsRouterMetadata: wantsRouterMetadata(headers),
    };
    const begin = (abort: AbortController) => this.completions.begin(inference, abort);
    const face = chatFace({
      model: body.model,
      hidesReasoning: hidesReasoning(body),
      tellsUsageAlone: body.stream_options?.include_usage === true,
    });
    await this.delivery.deliver(response, inference.request.stream, begin, face);
  }
}
