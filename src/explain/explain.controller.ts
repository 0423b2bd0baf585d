import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CreateChatDto } from '../faces/chat/create-chat.dto.js';
import { readRequest as readChatRequest } from '../faces/chat/read-request.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { ExplainRoute } from '../inference/explain-route.js';
import { misspeltFields } from '../faces/common/misspelt-fields.js';
import { readRequestHeaders, REQUEST_HEADERS, type RequestHeaders } from '../faces/common/read-headers.js';
import { chatPresets } from '../faces/chat/chat-presets.js';
import { isJsonObject } from '../core/json/json.js';
import { messagesPresets } from '../faces/messages/messages-presets.js';
import { ActivePresets } from '../presets/active-presets.js';
import type { PresetFormat } from '../presets/preset-format.js';
import { CreateMessageDto } from '../faces/messages/create-message.dto.js';
import { MESSAGE_EXAMPLES } from '../faces/messages/message-examples.js';
import { readRequest as readMessagesRequest } from '../faces/messages/read-request.js';
import { CreateEmbeddingsDto } from '../faces/embeddings/create-embeddings.dto.js';
import { readRequest as readEmbeddingsRequest } from '../faces/embeddings/read-request.js';
import { CreateRerankDto } from '../faces/rerank/create-rerank.dto.js';
import { readRequest as readRerankRequest } from '../faces/rerank/read-request.js';
import { CreateResponseDto } from '../faces/responses/create-response.dto.js';
import { ignoredOptions } from '../faces/responses/ignored-options.js';
import { readRequest as readResponsesRequest } from '../faces/responses/read-request.js';
import { responsesPresets } from '../faces/responses/responses-presets.js';
import { abortWhenGone } from '../shared/http/server/abort-when-gone.js';
import { Answers } from '../shared/http/answers.decorator.js';
import type { Warning } from '../core/warning.js';
import type { DtoClass } from '../shared/http/dto-rules.js';
import { readBody } from '../shared/http/dto.pipe.js';
import { single } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import type { AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { ExplainQueryDto } from './explain-query.dto.js';
import { planView, type PlanView } from './explain-schema.js';
import { explainView } from './explain-view.js';

interface Reader {
  readonly dto: DtoClass;
  /** Absent: its bodies take no presets. */
  readonly presets?: PresetFormat;
  read(body: unknown, headers: RequestHeaders): ReadBody;
}

interface ReadBody {
  readonly request: ModelRequest;
  readonly warnings?: readonly Warning[];
}

const READERS: Readonly<Record<NonNullable<ExplainQueryDto['format']>, Reader>> = {
  messages: {
    dto: CreateMessageDto,
    presets: messagesPresets,
    read: (body, headers) => ({ request: readMessagesRequest(readBody(body, CreateMessageDto), headers) }),
  },
  chat: {
    dto: CreateChatDto,
    presets: chatPresets,
    read: (body, headers) => ({ request: readChatRequest(readBody(body, CreateChatDto), headers) }),
  },
  responses: {
    dto: CreateResponseDto,
    presets: responsesPresets,
    read: (body, headers) => {
      const dto = readBody(body, CreateResponseDto);
      const { request, lists } = readResponsesRequest(dto, headers);
      return { request, warnings: ignoredOptions(dto, lists) };
    },
  },
  embeddings: {
    dto: CreateEmbeddingsDto,
    read: (body, headers) => ({ request: readEmbeddingsRequest(readBody(body, CreateEmbeddingsDto), headers) }),
  },
  rerank: {
    dto: CreateRerankDto,
    read: (body, headers) => ({ request: readRerankRequest(readBody(body, CreateRerankDto), headers) }),
  },
};

/** `POST /routing/explain`: where a request would go and why, without calling a provider. Either kind of key. */
@Controller('routing/explain')
export class ExplainController {
  constructor(
    private readonly routes: ExplainRoute,
    private readonly presets: ActivePresets,
  ) {}

  @Post()
  @HttpCode(200)
  @Answers(single(planView), {
    summary: 'Show the endpoints that a request would be sent to, and why',
    description:
      'No provider is called and nothing is charged. The body is one of inference, of the format that `format` names.',
    reads: REQUEST_HEADERS,
    bodies: [CreateMessageDto, CreateChatDto, CreateResponseDto, CreateEmbeddingsDto, CreateRerankDto],
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
    const applied =
      reader.presets && isJsonObject(body) ? await this.presets.apply(body, caller, reader.presets) : undefined;
    const read = reader.read(applied?.body ?? body, readRequestHeaders(headers, caller));
    const { request } = read;
    const explained = await this.routes.explain(request, caller, abortWhenGone(response).signal, seed);
    const misspelt = request.extras ? misspeltFields(request.extras, reader.dto) : [];
    return explainView(explained.plan, explained.inputs.needs, {
      ...explained,
      ...(request.tags && { tags: request.tags }),
      ...(applied && { preset: applied.use }),
      warnings: [...(applied?.warnings ?? []), ...misspelt, ...(read.warnings ?? []), ...(explained.warnings ?? [])],
    });
  }
}
