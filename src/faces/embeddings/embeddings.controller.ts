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
import { CACHE_ANSWER_HEADERS, CACHE_HEADERS } from '../common/read-cache.js';
import { REPLAY_HEADERS } from '../common/read-idempotency.js';
import type { InferenceRequest } from '../common/inference.interceptor.js';
import { CreateEmbeddingsDto } from './create-embeddings.dto.js';
import { EMBEDDINGS_EXAMPLES } from './embeddings-examples.js';
import { embeddingsFace } from './embeddings-face.js';
import { readRequest } from './read-request.js';
import { embeddingsReply } from './schemas/reply.js';

/** `POST /embeddings`: an inference whose model computes vectors. */
@Controller('embeddings')
export class EmbeddingsController {
  constructor(private readonly delivery: Delivery) {}

  @Post()
  @InferenceRoute()
  @Answers(embeddingsReply, {
    summary: 'Compute embeddings',
    description: 'More inputs than the provider takes in one call are sent in several, and returned in their order.',
    reads: { ...TASK_HEADERS, ...CACHE_HEADERS, ...ROUTER_METADATA_HEADER },
    headers: {
      [GENERATION_ID_HEADER]: 'The id of the generation, on errors after routing too.',
      [WARNING_HEADER]: WARNING_MEANING,
      ...REPLAY_HEADERS,
      ...CACHE_ANSWER_HEADERS,
    },
    errors: INFERENCE_ERRORS,
    examples: EMBEDDINGS_EXAMPLES,
  })
  create(
    @FromBody() body: CreateEmbeddingsDto,
    @Req() { headers, caller, observer }: InferenceRequest,
    @Res() response: Response,
  ): undefined {
    const request = readRequest(body, readRequestHeaders(headers, caller));
    const extras = unknownFields(body);
    addWarnings(response, misspeltFields({ vendor: 'openai', value: extras }, CreateEmbeddingsDto));
    const face = embeddingsFace(request.task.encoding);
    void this.delivery.deliver(response, { request, caller, observer, api: 'embeddings', face });
  }
}
