import { Module } from '@nestjs/common';
import { RoutingModule } from '../routing/routing.module.js';
import { CreateCompletion } from './create-completion.js';
import { Delivery } from './deliver.js';

@Module({
  imports: [RoutingModule],
  providers: [CreateCompletion, Delivery],
  exports: [CreateCompletion, Delivery],
})
export class InferenceModule {}
