import { Controller, HttpCode, Param, Post, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../core/caller.js';
import type { JsonObject } from '../../core/json/json.js';
import { PresetQueryDto } from '../../presets/preset-bodies.dto.js';
import { designatedPresetView, type DesignatedPresetView } from '../../presets/preset-view.js';
import { PresetSaver, SAVING } from '../../presets/preset-saver.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { ExactJsonInterceptor } from '../../shared/http/exact-json.interceptor.js';
import { FromBody, FromQuery } from '../../shared/http/parameter-types.js';
import { single } from '../../shared/http/reply-schemas.js';
import { FromCaller } from '../../shared/http/route.decorators.js';
import { CreateChatDto } from './create-chat.dto.js';
import { CHAT_EXAMPLES } from './chat-examples.js';
import { chatPresets } from './chat-presets.js';

/** `POST /presets/{slug}/chat/completions`: saves the settings of a body of this format. Either kind of key. */
@UseInterceptors(ExactJsonInterceptor)
@Controller('presets/:slug/chat/completions')
export class ChatPresetsController {
  constructor(private readonly saver: PresetSaver) {}

  @Post()
  @HttpCode(200)
  @Answers(single(designatedPresetView), {
    summary: 'Save the settings of a body as a preset',
    ...SAVING,
    bodies: [CreateChatDto],
    examples: CHAT_EXAMPLES,
  })
  async save(
    @FromCaller() caller: Caller,
    @Param('slug') slug: string,
    @FromQuery() query: PresetQueryDto,
    @FromBody() body: JsonObject,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: DesignatedPresetView }> {
    return this.saver.save({ caller, slug, workspace: query.workspace_id }, body, chatPresets, response);
  }
}
