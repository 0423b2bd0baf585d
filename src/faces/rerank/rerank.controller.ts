import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Answers } from '../../shared/http/answers.decorator.js';
import { unknownFields } from '../../shared/http/dto.pipe.js';
import { GENERATION_ID_HEADER } from '../../shared/http/error.filter.js';
import { FromBody } from '../../shared/http/parameter-types.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../../shared/http/warning-header.js';
import { Delivery } from '../common/delivery.js';
import { INFERENCE_ERRORS } from '../common/inference-errors.js';
import { InferenceRoute } from '../common/inference-route.decorator.js';
import { misspeltFields } from '../common/misspelt-fields.js';
import { readRequestHeaders, ROUTER_METADATA_HEADER, TASK_HEADERS } from '../common/read-headers.js';
import { REPLAY_HEADERS } from '../common/read-idempotency.js';
import type { InferenceRequest } from '../common/inference.interceptor.js';
import { CreateRerankDto } from './create-rerank.dto.js';
import { RERANK_EXAMPLES } from './rerank-examples.js';
import { rerankFace } from './rerank-face.js';
import { readRequest } from './read-request.js';
import { rerankReply } from './schemas/reply.js';

/** `POST /rerank`: an inference whose model ranks documents. */
@Controller('rerank')
export class RerankController {
  constructor(private readonly delivery: Delivery) {}

  @Post()
  @InferenceRoute()
  @Answers(rerankReply, {
    summary: 'Rank documents by a query',
    description: 'The best first, each with its score.',
    reads: { ...TASK_HEADERS, ...ROUTER_METADATA_HEADER },
    headers: {
      [GENERATION_ID_HEADER]: 'The id of the generation, on errors after routing too.',
      [WARNING_HEADER]: WARNING_MEANING,
      ...REPLAY_HEADERS,
    },
    errors: INFERENCE_ERRORS,
    examples: RERANK_EXAMPLES,
  })
  create(
    @FromBody() body: CreateRerankDto,
    @Req() { headers, caller, observer }: InferenceRequest,
    @Res() response: Response,
  ): undefined {
    const request = readRequest(body, readRequestHeaders(headers, caller));
    const extras = unknownFields(body);
    addWarnings(response, misspeltFields({ vendor: 'openai', value: extras }, CreateRerankDto));
    const face = rerankFace(body.documents);
    void this.delivery.deliver(response, { request, caller, observer, api: 'rerank', face });
  }
}
