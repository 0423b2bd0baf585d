import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, type Caller } from '../core/caller.js';
import { unmatchedModels } from '../core/routing/unmatched-models.js';
import { abortWhenGone } from '../shared/http/server/abort-when-gone.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../shared/http/warning-header.js';
import {
  CreateGuardrailDto,
  readFilterTerms,
  readTerms,
  TryTextDto,
  UpdateGuardrailDto,
} from './guardrail-bodies.dto.js';
import { GuardrailTrial, guardrailTrialView, type GuardrailTrialView } from './guardrail-trial.js';
import { guardrailView, viewGuardrail, type GuardrailView } from './guardrail-view.js';
import { ListGuardrailsDto } from './list-guardrails.dto.js';
import { GuardrailsService } from './guardrails.service.js';

/** Administration of guardrails (docs/operate/guardrails.md#routes). */
@Controller('guardrails')
@Accepts('management')
export class GuardrailsController {
  constructor(
    private readonly guardrailsService: GuardrailsService,
    private readonly trial: GuardrailTrial,
    private readonly catalog: CatalogStore,
    private readonly replies: ListReplies,
  ) {}

  @Post()
  @Answers(single(guardrailView), {
    summary: 'Make a guardrail',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    errors: ['not-found'],
    description:
      'Without an assignment it has no effect: assign it to keys or members, or make it a workspace’s default.',
    examples: {
      budget: { name: 'Five dollars a day', limit_usd: 5, reset_interval: 'daily' },
      content: {
        name: 'Nothing private',
        allowed_models: ['anthropic/*'],
        enforce_zdr: true,
        content_filters: [{ pattern: 'project-[0-9]{4}', action: 'redact', label: '[PROJECT]' }],
        content_filter_builtins: [{ slug: 'email', action: 'redact' }],
      },
    },
  })
  async create(
    @FromCaller() caller: Caller,
    @FromBody() body: CreateGuardrailDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: GuardrailView }> {
    const guardrail = await this.guardrailsService.create(
      caller,
      { ...readTerms(body), name: body.name },
      body.workspace_id,
    );
    this.warn(response, body);
    return { data: viewGuardrail(guardrail) };
  }

  @Get()
  @Answers(part(guardrailView), {
    summary: 'List guardrails',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListGuardrailsDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: guardrailView,
      read: async (page) => {
        const [guardrails, total, last] = await this.guardrailsService.list(reachOf(caller), page, query.workspace_id);
        return [guardrails.map(viewGuardrail), total, last];
      },
    });
  }

  @Get(':id')
  @Answers(single(guardrailView), { summary: 'Show a guardrail' })
  async show(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ data: GuardrailView }> {
    return { data: viewGuardrail(await this.guardrailsService.get(reachOf(caller), id)) };
  }

  @Patch(':id')
  @Answers(single(guardrailView), {
    summary: 'Change a guardrail',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    description: 'Absent fields stay as they are; null clears a field.',
    examples: { budget: { limit_usd: 10, reset_interval: 'weekly' } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: UpdateGuardrailDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: GuardrailView }> {
    const guardrail = await this.guardrailsService.update(caller, id, readTerms(body));
    this.warn(response, body);
    return { data: viewGuardrail(guardrail) };
  }

  @Delete(':id')
  @Answers(deleted, { summary: 'Delete a guardrail' })
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.guardrailsService.delete(caller, id);
    return { deleted: true };
  }

  @Post(':id/test')
  @HttpCode(200)
  @Answers(single(guardrailTrialView), {
    summary: 'Try the content filters of a guardrail on a text',
    description:
      'As if a user sent it. Nothing is sent or recorded. Filters in the body are tried in place of the stored ones, so that they can be tried before they are saved.',
    examples: {
      stored: { text: 'Write to ada@example.com.' },
      other: {
        text: 'The files of project-1234.',
        content_filters: [{ pattern: 'project-[0-9]{4}', action: 'redact', label: '[PROJECT]' }],
        content_filter_builtins: null,
      },
    },
  })
  async test(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: TryTextDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: GuardrailTrialView }> {
    const { signal } = abortWhenGone(response);
    return { data: await this.trial.run(reachOf(caller), id, readFilterTerms(body), body.text, signal) };
  }

  private warn(response: Response, body: Pick<CreateGuardrailDto, 'allowed_models' | 'ignored_models'>): void {
    for (const field of ['allowed_models', 'ignored_models'] as const)
      addWarnings(response, unmatchedModels(field, body[field], this.catalog.current));
  }
}
