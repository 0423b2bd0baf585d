import { Controller, Get, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import { FromCaller } from '../shared/http/route.decorators.js';
import { GenerationQueryDto } from './generation-query.dto.js';
import { viewGeneration } from './generation-view.js';
import { GenerationRepository } from './generation.repository.js';

/** What became of one generation of the key's workspace, once it is settled. Either kind of key. */
@Controller('generation')
export class GenerationController {
  constructor(private readonly generations: GenerationRepository) {}

  @Get()
  async show(@FromCaller() caller: Caller, @Query() { id }: GenerationQueryDto): Promise<{ data: JsonObject }> {
    const row = await this.generations.find(caller, id);
    if (!row) throw new GatewayError('not-found', 'There is no generation with this id, or it is still running.');
    return { data: viewGeneration(row) };
  }
}
