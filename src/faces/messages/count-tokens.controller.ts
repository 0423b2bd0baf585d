import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CountTokens } from '../../inference/count-tokens.js';
import { misspeltFields } from '../common/misspelt-fields.js';
import { readRequestHeaders, REQUEST_HEADERS } from '../common/read-headers.js';
import { abortWhenGone } from '../../shared/http/server/abort-when-gone.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { FromBody } from '../../shared/http/parameter-types.js';
import { Accepts, type AuthenticatedRequest } from '../../shared/http/route.decorators.js';
import { integer, object, optional, type Static } from '../../shared/http/schema.js';
import { addWarnings } from '../../shared/http/warning-header.js';
import { TakesPresets } from '../../presets/preset.guard.js';
import { messagesPresets } from './messages-presets.js';
import { CreateMessageDto } from './create-message.dto.js';
import { MESSAGE_EXAMPLES } from './message-examples.js';
import { readRequest } from './read-request.js';

/** States whether the number is the provider's own (`native`) or this gateway's estimate (`estimate`). */
const SOURCE_HEADER = 'X-Token-Count';

/** `context_management` where its edits were requested: the count before them. */
const counted = object({
  input_tokens: integer(),
  context_management: optional(object({ original_input_tokens: integer() })),
});

/** `POST /messages/count_tokens`: how many tokens the prompt of a Messages body has. Chosen: the vendor's own form. */
@Controller('messages/count_tokens')
export class CountTokensController {
  constructor(private readonly counting: CountTokens) {}

  @Post()
  @HttpCode(200)
  @Accepts('inference')
  @TakesPresets(messagesPresets)
  @Answers(counted, {
    summary: 'Count the tokens of a prompt',
    description: 'The body is that of `POST /messages`. Nothing is charged.',
    reads: REQUEST_HEADERS,
    headers: { [SOURCE_HEADER]: '`native`: the provider’s own count; `estimate`: a guess of this gateway’s.' },
    errors: ['not-found'],
    examples: MESSAGE_EXAMPLES,
  })
  async count(
    @FromBody() body: CreateMessageDto,
    @Req() { headers, caller }: AuthenticatedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Static<typeof counted>> {
    const request = readRequest(body, readRequestHeaders(headers));
    if (request.extras) addWarnings(response, misspeltFields(request.extras, CreateMessageDto));
    const { inputTokens, originalInputTokens, source } = await this.counting.run(
      request,
      caller,
      abortWhenGone(response).signal,
    );
    response.setHeader(SOURCE_HEADER, source);
    return {
      input_tokens: inputTokens,
      ...(originalInputTokens !== undefined && {
        context_management: { original_input_tokens: originalInputTokens },
      }),
    };
  }
}
