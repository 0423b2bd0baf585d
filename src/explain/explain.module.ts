import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { PresetsModule } from '../presets/presets.module.js';
import { ExplainController } from './explain.controller.js';

@Module({ imports: [InferenceModule, PresetsModule], controllers: [ExplainController] })
export class ExplainModule {}
