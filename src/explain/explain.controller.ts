import { Body, Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { JsonObject } from '../core/json.js';
import { CreateChatDto } from '../chat/create-chat.dto.js';
import { readRequest as readChatRequest } from '../chat/read-request.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { ExplainRoute } from '../inference/explain-route.js';
import { readRequestHeaders, type RequestHeaders } from '../inference/read-headers.js';
import { CreateMessageDto } from '../messages/create-message.dto.js';
import { readRequest as readMessagesRequest } from '../messages/read-request.js';
import { readBody } from '../shared/http/dto.pipe.js';
import type { AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { ExplainQueryDto } from './explain-query.dto.js';
import { explainView } from './explain-view.js';

const READERS: Readonly<
  Record<NonNullable<ExplainQueryDto['format']>, (body: unknown, headers: RequestHeaders) => ModelRequest>
> = {
  messages: (body, headers) => readMessagesRequest(readBody(body, CreateMessageDto), headers),
  chat: (body, headers) => readChatRequest(readBody(body, CreateChatDto), headers),
};

/** `POST /routing/explain`: where a body would go and why, without calling anybody. Either kind of key. */
@Controller('routing/explain')
export class ExplainController {
  constructor(private readonly routes: ExplainRoute) {}

  @Post()
  @HttpCode(200)
  async explain(
    @Body() body: object,
    @Query() { format, seed }: ExplainQueryDto,
    @Req() { headers, caller }: AuthenticatedRequest,
  ): Promise<JsonObject> {
    const request = READERS[format ?? 'messages'](body, readRequestHeaders(headers));
    const { inputs, plan, outlook } = await this.routes.explain(request, caller, seed);
    return explainView(plan, inputs.needs.promptTokensMin, outlook);
  }
}
