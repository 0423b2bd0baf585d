import { Module } from '@nestjs/common';
import { RoutingModule } from '../routing/routing.module.js';
import { CreateCompletion } from './create-completion.js';
import { Delivery } from './deliver.js';
import { GenerationRecords } from './generation-records.js';

@Module({
  imports: [RoutingModule],
  providers: [CreateCompletion, Delivery, GenerationRecords],
  exports: [CreateCompletion, Delivery],
})
export class InferenceModule {}
