import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CreateChatDto } from '../faces/chat/create-chat.dto.js';
import { readRequest as readChatRequest } from '../faces/chat/read-request.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { ExplainRoute } from '../inference/explain-route.js';
import { misspeltFields } from '../faces/common/misspelt-fields.js';
import { readRequestHeaders, REQUEST_HEADERS, type RequestHeaders } from '../faces/common/read-headers.js';
import { CreateMessageDto } from '../faces/messages/create-message.dto.js';
import { MESSAGE_EXAMPLES } from '../faces/messages/message-examples.js';
import { readRequest as readMessagesRequest } from '../faces/messages/read-request.js';
import { abortWhenGone } from '../shared/http/abort-when-gone.js';
import { Answers } from '../shared/http/answers.decorator.js';
import type { DtoClass } from '../shared/http/dto-rules.js';
import { readBody } from '../shared/http/dto.pipe.js';
import { one } from '../shared/http/replies.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import type { AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { ExplainQueryDto } from './explain-query.dto.js';
import { planView, type PlanView } from './explain-schema.js';
import { explainView } from './explain-view.js';

interface Reader {
  readonly dto: DtoClass;
  read(body: unknown, headers: RequestHeaders): ModelRequest;
}

const READERS: Readonly<Record<NonNullable<ExplainQueryDto['format']>, Reader>> = {
  messages: {
    dto: CreateMessageDto,
    read: (body, headers) => readMessagesRequest(readBody(body, CreateMessageDto), headers),
  },
  chat: {
    dto: CreateChatDto,
    read: (body, headers) => readChatRequest(readBody(body, CreateChatDto), headers),
  },
};

/** `POST /routing/explain`: where a request would go and why, without calling a provider. Either kind of key. */
@Controller('routing/explain')
export class ExplainController {
  constructor(private readonly routes: ExplainRoute) {}

  @Post()
  @HttpCode(200)
  @Answers(one(planView), {
    summary: 'Show where a request would go, and why',
    description:
      'No provider is called and nothing is charged. The body is one of inference, of the format that `format` names.',
    reads: REQUEST_HEADERS,
    bodies: [CreateMessageDto, CreateChatDto],
    errors: ['not-found'],
    examples: MESSAGE_EXAMPLES,
  })
  async explain(
    @FromBody() body: object,
    @FromQuery() { format, seed }: ExplainQueryDto,
    @Req() { headers, caller }: AuthenticatedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: PlanView }> {
    const reader = READERS[format ?? 'messages'];
    const request = reader.read(body, readRequestHeaders(headers, caller));
    const foreseen = await this.routes.explain(request, caller, abortWhenGone(response).signal, seed);
    const misspelt = request.extras ? misspeltFields(request.extras, reader.dto) : [];
    return explainView(foreseen.plan, foreseen.inputs.needs, {
      ...foreseen,
      ...(request.tags && { tags: request.tags }),
      warnings: [...misspelt, ...(foreseen.warnings ?? [])],
    });
  }
}
