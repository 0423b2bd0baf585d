import { Controller, Delete, Get, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, type Caller } from '../core/caller.js';
import { unmatchedModels } from '../core/routing/unmatched-models.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { deleted, one, part } from '../shared/http/replies.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../shared/http/warning-header.js';
import { CreateGuardrailDto, readTerms, UpdateGuardrailDto } from './guardrail-bodies.dto.js';
import { guardrailView, viewGuardrail, type GuardrailView } from './guardrail-view.js';
import { ListGuardrailsDto } from './list-guardrails.dto.js';
import { GuardrailsService } from './guardrails.service.js';

/** Administration of guardrails (docs/operate/guardrails.md#routes). */
@Controller('guardrails')
@Accepts('management')
export class GuardrailsController {
  constructor(
    private readonly guardrailsService: GuardrailsService,
    private readonly catalog: CatalogStore,
  ) {}

  @Post()
  @Answers(one(guardrailView), {
    summary: 'Make a guardrail',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    errors: ['not-found'],
    description:
      'Without an assignment it is not in force: assign it to keys or members, or make it a workspace’s default.',
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
  @Answers(part(guardrailView), { summary: 'List guardrails', errors: ['not-found'] })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListGuardrailsDto,
  ): Promise<{ data: GuardrailView[]; total_count: number }> {
    const [guardrails, total] = await this.guardrailsService.list(reachOf(caller), query, query.workspace_id);
    return { data: guardrails.map(viewGuardrail), total_count: total };
  }

  @Get(':id')
  @Answers(one(guardrailView), { summary: 'Show a guardrail' })
  async show(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ data: GuardrailView }> {
    return { data: viewGuardrail(await this.guardrailsService.get(reachOf(caller), id)) };
  }

  @Patch(':id')
  @Answers(one(guardrailView), {
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

  private warn(response: Response, body: Pick<CreateGuardrailDto, 'allowed_models' | 'ignored_models'>): void {
    for (const field of ['allowed_models', 'ignored_models'] as const)
      addWarnings(response, unmatchedModels(field, body[field], this.catalog.current));
  }
}
