import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Delivery } from '../common/delivery.js';
import { INFERENCE_ERRORS } from '../common/inference-errors.js';
import { InferenceRoute } from '../common/inference-route.decorator.js';
import type { InferenceRequest } from '../common/inference.interceptor.js';
import { misspeltFields } from '../common/misspelt-fields.js';
import { readRequestHeaders, REQUEST_HEADERS, ROUTER_METADATA_HEADER } from '../common/read-headers.js';
import { CACHE_ANSWER_HEADERS } from '../common/read-cache.js';
import { REPLAY_HEADERS } from '../common/read-idempotency.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { GENERATION_ID_HEADER } from '../../shared/http/error.filter.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../../shared/http/warning-header.js';
import { responsesPresets } from './responses-presets.js';
import { FromBody } from '../../shared/http/parameter-types.js';
import { CreateResponseDto } from './create-response.dto.js';
import { ignoredOptions } from './ignored-options.js';
import { readRequest } from './read-request.js';
import { RESPONSE_EXAMPLES } from './response-examples.js';
import { responsesFace } from './responses-face.js';
import { REASONING_PROOF } from './schemas/options.js';
import { responseEvent, responseReply } from './schemas/reply.js';
import { echoOf } from './view-response.js';

/**
 * `POST /responses`: inference in the responses format, without storing anything. Only the body's `stream` decides the
 * form of the reply.
 */
@Controller('responses')
export class ResponsesController {
  constructor(private readonly delivery: Delivery) {}

  @Post()
  @InferenceRoute(responsesPresets)
  @Answers(responseReply, {
    summary: 'Ask a model, in the responses format',
    description: 'Nothing is stored. Fields that are not declared here are passed on to providers of the same format.',
    events: responseEvent,
    reads: { ...REQUEST_HEADERS, ...ROUTER_METADATA_HEADER },
    headers: {
      [GENERATION_ID_HEADER]: 'The id of the generation, on errors after routing too.',
      [WARNING_HEADER]: WARNING_MEANING,
      ...REPLAY_HEADERS,
      ...CACHE_ANSWER_HEADERS,
    },
    errors: INFERENCE_ERRORS,
    examples: RESPONSE_EXAMPLES,
  })
  create(
    @FromBody() body: CreateResponseDto,
    @Req() { headers, caller, preset, observer }: InferenceRequest,
    @Res() response: Response,
  ): undefined {
    const { request, forms, lists } = readRequest(body, readRequestHeaders(headers, caller));
    if (request.extras) addWarnings(response, misspeltFields(request.extras, CreateResponseDto));
    addWarnings(response, ignoredOptions(body, lists));
    const wantsProof = body.include?.includes(REASONING_PROOF) === true;
    const face = responsesFace({ forms, wantsProof, echo: echoOf(body) });
    void this.delivery.deliver(response, {
      request: preset ? { ...request, preset } : request,
      caller,
      observer,
      api: 'responses',
      face,
    });
  }
}
