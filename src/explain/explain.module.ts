import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { ExplainController } from './explain.controller.js';

@Module({ imports: [InferenceModule], controllers: [ExplainController] })
export class ExplainModule {}
