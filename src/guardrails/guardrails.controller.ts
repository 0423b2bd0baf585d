import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { CreateGuardrailDto, readTerms, UpdateGuardrailDto } from './guardrail-bodies.dto.js';
import { viewGuardrail, type GuardrailView } from './guardrail-view.js';
import { ListGuardrailsDto, readPage } from './list-guardrails.dto.js';
import { Rulebook } from './rulebook.js';

/** Administration of guardrails (WIRE 2.9). */
@Controller('guardrails')
@Accepts('management')
export class GuardrailsController {
  constructor(private readonly rulebook: Rulebook) {}

  @Post()
  async create(@FromCaller() caller: Caller, @Body() body: CreateGuardrailDto): Promise<{ data: GuardrailView }> {
    const guardrail = await this.rulebook.create(caller, { ...readTerms(body), name: body.name }, body.workspace_id);
    return { data: viewGuardrail(guardrail) };
  }

  @Get()
  async list(
    @FromCaller() { accountId }: Caller,
    @Query() query: ListGuardrailsDto,
  ): Promise<{ data: GuardrailView[]; total_count: number }> {
    const [guardrails, total] = await this.rulebook.list(accountId, readPage(query), query.workspace_id);
    return { data: guardrails.map(viewGuardrail), total_count: total };
  }

  @Get(':id')
  async show(@FromCaller() { accountId }: Caller, @Param('id') id: string): Promise<{ data: GuardrailView }> {
    return { data: viewGuardrail(await this.rulebook.get(accountId, id)) };
  }

  @Patch(':id')
  async update(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: UpdateGuardrailDto,
  ): Promise<{ data: GuardrailView }> {
    return { data: viewGuardrail(await this.rulebook.update(caller, id, readTerms(body))) };
  }

  @Delete(':id')
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.rulebook.delete(caller, id);
    return { deleted: true };
  }
}
