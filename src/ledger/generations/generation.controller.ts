import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CatalogStore } from '../../catalog/catalog-store.js';
import type { Caller } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import type { JsonObject } from '../../core/json/json.js';
import { explainDecision } from '../../core/routing/decision/explain-decision.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { ClosedQuery } from '../../shared/http/query.guard.js';
import { single } from '../../shared/http/reply-schemas.js';
import { FromQuery } from '../../shared/http/parameter-types.js';
import { FromCaller } from '../../shared/http/route.decorators.js';
import { GenerationQueryDto } from './generation-query.dto.js';
import { generationView, viewGeneration, type GenerationView } from './generation-view.js';
import { GenerationRepository } from './generation.repository.js';
import { explainConsultations, findDecision } from './kept-decisions.js';

/**
 * The record of one settled generation: an inference key finds those of its workspace, a management key those of its
 * account or, where it is bound, of its workspace.
 */
@Controller('generation')
@ClosedQuery()
export class GenerationController {
  constructor(
    private readonly generations: GenerationRepository,
    private readonly database: DataSource,
    private readonly catalog: CatalogStore,
  ) {}

  @Get()
  @Answers(single(generationView), {
    summary: 'Show the record of a generation',
    description:
      'It exists once the generation is settled. An inference key finds those of its workspace, a management key those of its account or, where it is bound, of its workspace. `id` is the id of the generation, or the `request-id` header of its reply.',
    errors: ['not-found'],
  })
  async show(@FromCaller() caller: Caller, @FromQuery() { id }: GenerationQueryDto): Promise<{ data: GenerationView }> {
    const row = await this.generations.find(caller, id);
    if (!row) throw new GatewayError('not-found', 'There is no generation with this id, or it is still running.');
    return { data: viewGeneration(row, await this.decisionOf(row.id)) };
  }

  private async decisionOf(id: string): Promise<JsonObject | null> {
    const kept = await findDecision(this.database, id);
    if (!kept) return null;
    const { current } = this.catalog;
    const consulted = await explainConsultations(this.database, id, current);
    return { ...explainDecision(kept.decision, current), consulted } as unknown as JsonObject;
  }
}
