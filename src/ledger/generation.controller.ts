import { Controller, Get, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ClosedQuery } from '../shared/http/query.guard.js';
import { one } from '../shared/http/replies.js';
import { FromCaller } from '../shared/http/route.decorators.js';
import { GenerationQueryDto } from './generation-query.dto.js';
import { generationView, viewGeneration, type GenerationRecordView } from './generation-view.js';
import { GenerationRepository } from './generation.repository.js';

/**
 * What became of one generation, once it is settled: an inference key finds those of its workspace, a management key
 * those of its account.
 */
@Controller('generation')
@ClosedQuery()
export class GenerationController {
  constructor(private readonly generations: GenerationRepository) {}

  @Get()
  @Answers(one(generationView), {
    summary: 'Show what became of a generation',
    description:
      'Once it is settled: of the workspace of an inference key, of the account of a management key. `id` is that of the generation, or the `request-id` header of its reply.',
    errors: ['not-found'],
  })
  async show(
    @FromCaller() caller: Caller,
    @Query() { id }: GenerationQueryDto,
  ): Promise<{ data: GenerationRecordView }> {
    const row = await this.generations.find(caller, id);
    if (!row) throw new GatewayError('not-found', 'There is no generation with this id, or it is still running.');
    return { data: viewGeneration(row) };
  }
}
