import { Body, Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { JsonObject } from '../core/json.js';
import { ExplainRoute } from '../inference/explain-route.js';
import { readRequestHeaders } from '../inference/read-headers.js';
import { CreateMessageDto } from '../messages/create-message.dto.js';
import { readRequest } from '../messages/read-request.js';
import type { AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { ExplainQueryDto } from './explain-query.dto.js';
import { explainView } from './explain-view.js';

/** `POST /routing/explain`: where a body would go and why, without calling anybody. Either kind of key. */
@Controller('routing/explain')
export class ExplainController {
  constructor(private readonly routes: ExplainRoute) {}

  @Post()
  @HttpCode(200)
  async explain(
    @Body() body: CreateMessageDto,
    @Query() { seed }: ExplainQueryDto,
    @Req() { headers, caller }: AuthenticatedRequest,
  ): Promise<JsonObject> {
    const request = readRequest(body, readRequestHeaders(headers));
    const { inputs, plan, outlook } = await this.routes.explain(request, caller, seed);
    return explainView(plan, inputs.needs.promptTokensMin, outlook);
  }
}
